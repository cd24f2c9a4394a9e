#!/usr/bin/env python3
"""A product of matrices plus a bias, tuned by measuring: the tutorial of TVM's auto-scheduler with Nestor.

    python3 examples/matmul_bias.py                          # 1024 x 1024 x 1024, 64 trials
    python3 examples/matmul_bias.py --trials 400             # the same file: goes on from there
    python3 examples/matmul_bias.py --size 128 --trials 8 --records small.db

Needs `pip install .` in Nestor's source tree.
"""

import argparse

import halide as hl
import numpy as np
from nestor import auto_scheduler


# 1. The computation, under a name. Halide counts dimensions from the innermost one: (column, row).
@auto_scheduler.register_workload
def matmul_bias(rows, depth, columns):
    left = hl.ImageParam(hl.Float(32), 2, "left")
    right = hl.ImageParam(hl.Float(32), 2, "right")
    bias = hl.ImageParam(hl.Float(32), 2, "bias")
    column, row = hl.Var("column"), hl.Var("row")
    k = hl.RDom([(0, depth)], "k")
    product, out = hl.Func("product"), hl.Func("out")
    product[column, row] = hl.f32(0)
    product[column, row] += left[k, row] * right[column, k]
    out[column, row] = product[column, row] + bias[column, row]

    left.set_estimates([(0, depth), (0, rows)])
    right.set_estimates([(0, columns), (0, depth)])
    bias.set_estimates([(0, columns), (0, rows)])
    out.set_estimates([(0, columns), (0, rows)])
    return [left, right, bias, out]


def resume_search(task, records, trials):
    """Goes on from the file: what was measured is not measured again, and what was learned is used."""
    print("Going on:")
    cost_model = auto_scheduler.XGBModel()
    cost_model.update_from_file(records)
    policy = auto_scheduler.SketchPolicy(
        task, cost_model, init_search_callbacks=[auto_scheduler.PreloadMeasuredStates(records)]
    )
    options = auto_scheduler.TuningOptions(
        num_measure_trials=trials, measure_callbacks=[auto_scheduler.RecordToFile(records)]
    )
    task.tune(options, search_policy=policy)


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", type=int, default=1024, help="rows, depth and columns")
    parser.add_argument("--trials", type=int, default=64, help="schedules to measure")
    parser.add_argument("--resume", type=int, default=4, help="schedules to measure when going on")
    parser.add_argument("--threads", type=int, help="of Halide's pool (default: all cores)")
    parser.add_argument("--records", default="matmul_bias.db", help="file that keeps the measurements")
    return parser.parse_args()


def main():
    arguments = read_arguments()
    n = arguments.size

    # 2. The task, and its computational graph.
    task = auto_scheduler.SearchTask(
        func=matmul_bias, args=(n, n, n), target="host", threads=arguments.threads
    )
    print("Computational graph:")
    print(task.compute_dag)

    # 3. Tune.
    options = auto_scheduler.TuningOptions(
        num_measure_trials=arguments.trials,
        measure_callbacks=[auto_scheduler.RecordToFile(arguments.records)],
    )
    task.tune(options)

    # 4. The best schedule, applied.
    _, program = task.apply_best(arguments.records)
    print("Lowered program:")
    program.print_lowered()

    # 5. Right, and how fast.
    random = np.random.default_rng(1)
    left, right, bias = (random.uniform(size=(n, n)).astype(np.float32) for _ in range(3))
    out = np.empty((n, n), np.float32)
    compiled = program.compile()
    compiled(left, right, bias, out)
    np.testing.assert_allclose(out, left @ right + bias, rtol=1e-3)
    print("The result is NumPy's.")
    evaluator = compiled.time_evaluator(repeat=3, min_repeat_ms=500)
    times = evaluator(left, right, bias, out)
    print(f"Time of this program: {times.median * 1e3:.3f} ms ({2e-9 * n**3 / times.median:.1f} GFLOP/s)")

    # 6. The schedule as C++; "python" and "json" are the other forms.
    print("Equivalent schedule:")
    print(task.print_best(arguments.records, print_mode="cpp"))

    # 7. Later, in another program: go on.
    resume_search(task, arguments.records, arguments.resume)


if __name__ == "__main__":
    main()
