"""Tuning by measurement, with the names that TVM's auto-scheduler (0.x) gives them.

    import halide as hl
    from nestor import auto_scheduler

    @auto_scheduler.register_workload
    def matmul_bias(rows, depth, columns):
        ...
        return [a, b, bias, out]          # hl.ImageParam and hl.Param, then hl.Func; with estimates

    task = auto_scheduler.SearchTask(func=matmul_bias, args=(1024, 1024, 1024), target="host")
    print(task.compute_dag)
    task.tune(auto_scheduler.TuningOptions(
        num_measure_trials=64, measure_callbacks=[auto_scheduler.RecordToFile("matmul.db")]))
    schedule, program = task.apply_best("matmul.db")
    program.print_lowered()
    compiled = program.compile()
    compiled(a_array, b_array, bias_array, out_array)
    evaluator = compiled.time_evaluator(min_repeat_ms=500)
    print(evaluator(a_array, b_array, bias_array, out_array).median, "s")
    print(task.print_best("matmul.db", print_mode="cpp"))

All of the work is done by the ``nestor`` command and the plug-in that are installed beside this
package: what ``nestor tune`` measures and what this module measures are the same records.
docs/auto-scheduler.md puts TVM's names and these side by side, and says what differs.
"""

from __future__ import annotations

from .child import CommandError
from .options import (
    LocalBuilder,
    LocalRunner,
    PreloadMeasuredStates,
    RecordToFile,
    SketchPolicy,
    TuningOptions,
    XGBModel,
)
from .program import CompiledProgram, ScheduledProgram, TimeEvaluator, TimeResult, time_evaluator
from .records import Record, load_best_record, load_records
from .task import ComputeDAG, MeasureResult, SearchTask, TuningResult
from .workload import make_workload_key, register_workload

__all__ = [
    "CommandError",
    "CompiledProgram",
    "ComputeDAG",
    "LocalBuilder",
    "LocalRunner",
    "MeasureResult",
    "PreloadMeasuredStates",
    "Record",
    "RecordToFile",
    "ScheduledProgram",
    "SearchTask",
    "SketchPolicy",
    "TimeEvaluator",
    "TimeResult",
    "TuningOptions",
    "TuningResult",
    "XGBModel",
    "load_best_record",
    "load_records",
    "make_workload_key",
    "register_workload",
    "time_evaluator",
]
