// Prints every case: write DIR FILES
//
//     DIR/bodies_<k>.cpp          the C++ bodies in FILES files, wrapped as Halide's `schedule`
//     output does DIR/<case>.json, <case>.py  the schedule in the other formats
//     DIR/<pipeline>.hlpipe       and its side file

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "base/files.h"
#include "cases.h"
#include "halide/errors.h"
#include "halide/pipeline_file.h"
#include "halide/read_pipeline.h"
#include "schedule/print.h"

namespace nestor::testing {
namespace {

std::string function_text(const std::string& name, const std::string& body) {
    return "static void apply_schedule_" + name +
           "(::Halide::Pipeline pipeline, ::Halide::Target target) {\n"
           "    using ::Halide::Func;\n"
           "    using ::Halide::MemoryType;\n"
           "    using ::Halide::RVar;\n"
           "    using ::Halide::TailStrategy;\n"
           "    using ::Halide::Var;\n"
           "    (void)target;\n" +
           body + "}\n" + "static const nestor::testing::RegisterBody register_" + name + "(\"" +
           name + "\", apply_schedule_" + name + ");\n\n";
}

class Printing {
  public:
    Printing(std::string folder, int files)
        : folder_(std::move(folder)), bodies_(static_cast<std::size_t>(files)) {}

    Status add(const PrintedCase& test) {
        if (test.pipeline.name != pipeline_) {
            const BuiltPipeline built = test.pipeline.build();
            target_ = target_of(built);
            Result<PipelineDag> dag = read_pipeline(built.pipeline, target_);
            if (!dag) {
                return Error{dag.error()};
            }
            dag_ = std::move(dag).value();
            pipeline_ = test.pipeline.name;
            const std::string file = folder_ + "/" + pipeline_ + ".hlpipe";
            if (const Status saved = save_pipeline(built.pipeline, file); !saved) {
                return saved;
            }
        }
        const Schedule schedule = schedule_of(test, dag_, target_);
        std::string& bodies = bodies_[count_++ % bodies_.size()];
        bodies += function_text(test.name, print_cpp(dag_, schedule));
        const std::string stem = folder_ + "/" + test.name;
        const Status written = write_file(stem + ".json", print_json(dag_, schedule));
        return written ? write_file(stem + ".py", print_python(dag_, schedule)) : written;
    }

    Status write_bodies() const {
        for (std::size_t i = 0; i < bodies_.size(); i++) {
            const Status written =
                write_file(folder_ + "/bodies_" + std::to_string(i) + ".cpp",
                           "#include \"Halide.h\"\n#include \"printed/cases.h\"\n\n" + bodies_[i]);
            if (!written) {
                return written;
            }
        }
        return Ok{};
    }

  private:
    std::string folder_;
    std::string
        pipeline_;  // built last: its two cases share it, as random numbers differ each time
    PipelineDag dag_;
    Halide::Target target_;
    std::vector<std::string> bodies_;
    std::size_t count_ = 0;
};

int print_all(const std::string& folder, int files) {
    Printing printing(folder, files);
    for (const PrintedCase& test : printed_cases()) {
        const Status added =
            catching("building " + test.name, [&]() -> Status { return printing.add(test); });
        if (!added) {
            std::fprintf(stderr, "%s: %s\n", test.name.c_str(), added.error().c_str());
            return 1;
        }
    }
    const Status written = printing.write_bodies();
    if (!written) {
        std::fprintf(stderr, "%s\n", written.error().c_str());
    }
    return written ? 0 : 1;
}

}  // namespace
}  // namespace nestor::testing

int main(int argc, char** argv) {
    if (argc != 3) {
        std::fprintf(stderr, "usage: write DIR FILES\n");
        return 2;
    }
    return nestor::testing::print_all(argv[1], std::max(1, std::atoi(argv[2])));
}
