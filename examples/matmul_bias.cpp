// A product of matrices plus a bias, tuned by measuring: the tutorial of TVM's auto-scheduler with
// Nestor, from C++. matmul_bias.py is the same in Python.
//
//   matmul_bias [TRIALS [SIZE [RECORDS]]]     64 trials, 1024 x 1024 x 1024, matmul_bias.db

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <string>

#include "nestor/auto_scheduler.h"

namespace {

namespace auto_scheduler = nestor::auto_scheduler;
using Matrix = Halide::Buffer<float, 2>;

// 1. The computation. Halide counts dimensions from the innermost one: (column, row).
auto_scheduler::Workload matmul_bias(const auto_scheduler::Args& args) {
    const int rows = static_cast<int>(args.at(0)), depth = static_cast<int>(args.at(1)),
              columns = static_cast<int>(args.at(2));
    Halide::ImageParam left(Halide::Float(32), 2, "left");
    Halide::ImageParam right(Halide::Float(32), 2, "right");
    Halide::ImageParam bias(Halide::Float(32), 2, "bias");
    const Halide::Var column("column"), row("row");
    const Halide::RDom k(0, depth, "k");
    Halide::Func product("product"), out("out");
    product(column, row) = 0.0f;
    product(column, row) += left(k, row) * right(column, k);
    out(column, row) = product(column, row) + bias(column, row);

    left.set_estimates({{0, depth}, {0, rows}});
    right.set_estimates({{0, columns}, {0, depth}});
    bias.set_estimates({{0, columns}, {0, rows}});
    out.set_estimates({{0, columns}, {0, rows}});
    return {{left, right, bias}, {out}};
}

Matrix random_matrix(int size, unsigned seed) {
    Matrix matrix(size, size);
    matrix.for_each_value([&](float& value) {
        seed = seed * 1664525U + 1013904223U;
        value = static_cast<float>(seed >> 8U) / static_cast<float>(1U << 24U);
    });
    return matrix;
}

/** Elements that are not what a plain loop computes. */
int count_wrong(const Matrix& left, const Matrix& right, const Matrix& bias, const Matrix& out) {
    int wrong = 0;
    for (int row = 0; row < out.height(); row++) {
        for (int column = 0; column < out.width(); column++) {
            double sum = bias(column, row);
            for (int k = 0; k < left.width(); k++) {
                sum += static_cast<double>(left(k, row)) * right(column, k);
            }
            wrong += std::abs(out(column, row) - sum) <= 1e-3 * sum ? 0 : 1;
        }
    }
    return wrong;
}

/** Goes on from the file: what was measured is not measured again. */
void resume_search(auto_scheduler::SearchTask& task, const std::string& records) {
    std::cout << "Going on:\n";
    auto_scheduler::SketchPolicy policy;
    policy.program_cost_model.update_from_file(records);
    policy.init_search_callbacks = {{records}};
    auto_scheduler::TuningOptions options;
    options.num_measure_trials = 4;
    options.measure_callbacks = {auto_scheduler::RecordToFile{records}};
    task.tune(options, policy);
}

int run(int trials, int size, const std::string& records) {
    // 2. The task, and its computational graph.
    auto_scheduler::register_workload("matmul_bias", matmul_bias);
    auto_scheduler::SearchTask task("matmul_bias", {size, size, size});
    std::cout << "Computational graph:\n" << task.compute_dag() << "\n";

    // 3. Tune.
    auto_scheduler::TuningOptions options;
    options.num_measure_trials = trials;
    options.measure_callbacks = {auto_scheduler::RecordToFile{records}};
    task.tune(options);

    // 4. The best schedule, applied.
    auto_scheduler::ScheduledProgram program = task.apply_best(records);
    std::cout << "Lowered program:\n";
    program.print_lowered();

    // 5. Right, and how fast.
    Halide::Callable compiled = program.compile();
    const Matrix left = random_matrix(size, 1), right = random_matrix(size, 2),
                 bias = random_matrix(size, 3);
    Matrix out(size, size);
    const auto call = [&] {
        if (compiled(left, right, bias, out) != 0) {
            throw std::runtime_error("the program failed");
        }
    };
    call();
    const int wrong = count_wrong(left, right, bias, out);
    std::printf("%d of %d elements are wrong.\n", wrong, size * size);
    const double seconds = auto_scheduler::time_evaluator(call, 10, 3, 500).median();
    std::printf("Time of this program: %.3f ms (%.1f GFLOP/s)\n", seconds * 1e3,
                2e-9 * std::pow(size, 3) / seconds);
    std::fflush(stdout);

    // 6. The schedule as C++; "python" and "json" are the other forms.
    std::cout << "Equivalent schedule:\n" << task.print_best(records, "cpp") << "\n";

    // 7. Later, in another program: go on.
    resume_search(task, records);
    return wrong == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    const int trials = argc > 1 ? std::atoi(argv[1]) : 64;
    const int size = argc > 2 ? std::atoi(argv[2]) : 1024;
    if (trials < 1 || size < 1 || argc > 4) {
        std::fprintf(stderr, "usage: %s [TRIALS [SIZE [RECORDS]]]\n", argv[0]);
        return 2;
    }
    try {
        return run(trials, size, argc > 3 ? argv[3] : "matmul_bias.db");
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
        return 1;
    }
}
