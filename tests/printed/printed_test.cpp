// A schedule is applied in four ways: by apply(), by the same after JSON, by the printed C++, and
// by the printed Python (apply_python.py, which ran before). All to the deserialised pipeline; the
// lowered statements must be the same.

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "cases.h"
#include "halide/apply.h"
#include "halide/equivalence.h"
#include "halide/errors.h"
#include "halide/lower.h"
#include "halide/pipeline_file.h"
#include "halide/read_pipeline.h"
#include "schedule/print.h"
#include "support/isolate.h"

namespace nestor::testing {
namespace {

using Halide::Internal::Stmt;

constexpr double kLimitSeconds = 600;  // of a child that hangs, not of one that is slow

std::string text_of(const std::string& path) {
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

class Comparison {
  public:
    explicit Comparison(const PrintedCase& test)
        : test_(test), built_(test.pipeline.build()), target_(target_of(built_)) {}

    /// "same" or what is wrong; a legal schedule that Halide refuses is.
    std::string run() {
        const Result<LoadedPipeline> loaded = load_pipeline(file(test_.pipeline.name, ".hlpipe"));
        if (!loaded) {
            return built_.expect.deserializes ? loaded.error() : "same";
        }
        Result<PipelineDag> dag = read_pipeline(loaded.value().pipeline, target_);
        if (!dag) {
            return "reading: " + dag.error();
        }
        dag_ = std::move(dag).value();
        const std::string json = text_of(file(test_.name, ".json"));
        const Result<Schedule> schedule = parse_json(dag_, json);
        if (!schedule) {
            return "JSON: " + schedule.error();
        }
        if (print_json(dag_, schedule.value()) != json) {
            return "JSON: the text does not come back";
        }
        if (schedule.value() != normalized(schedule_of(test_, dag_, target_))) {
            return "JSON: another schedule comes back";
        }
        const Result<Stmt> applied =
            scheduled([&](const Halide::Pipeline& p) { return apply(p, dag_, schedule.value()); });
        const std::string cpp = compare(applied, "C++", by_cpp());
        const std::string python = cpp.empty() ? compare(applied, "Python", by_python()) : cpp;
        return !python.empty() ? python : applied.ok() ? "same" : "refused: " + applied.error();
    }

  private:
    /// A file that `write` or apply_python.py wrote.
    static std::string file(const std::string& name, const char* suffix) {
        std::string path = NESTOR_PRINTED_SCHEDULES "/";
        path += name;
        path += suffix;
        return path;
    }

    Result<Stmt> scheduled(const std::function<Status(Halide::Pipeline&)>& schedule) {
        Result<LoadedPipeline> loaded = load_pipeline(file(test_.pipeline.name, ".hlpipe"));
        if (!loaded) {
            return Error{loaded.error()};
        }
        Halide::Pipeline pipeline = loaded.value().pipeline;
        const Status applied = catching("refused", [&]() -> Status { return schedule(pipeline); });
        return applied ? lower(pipeline, target_) : Result<Stmt>(Error{applied.error()});
    }

    Result<Stmt> by_cpp() {
        const auto body = printed_bodies().find(test_.name);
        if (body == printed_bodies().end()) {
            return Error{"there is no such body"};
        }
        return scheduled([&](Halide::Pipeline& pipeline) -> Status {
            body->second(pipeline, target_);
            return Ok{};
        });
    }

    Result<Stmt> by_python() {
        if (const std::string error = text_of(file(test_.name, ".error")); !error.empty()) {
            return Error{error};
        }
        const Result<LoadedPipeline> loaded = load_pipeline(file(test_.name, ".scheduled.hlpipe"));
        return loaded ? lower(loaded.value().pipeline, target_)
                      : Result<Stmt>(Error{loaded.error()});
    }

    static std::string compare(const Result<Stmt>& applied, const std::string& language,
                               const Result<Stmt>& printed) {
        if (applied.ok() && printed.ok()) {
            const std::string differs = difference(applied.value(), printed.value());
            return differs.empty() ? "" : language + " differs: " + differs;
        }
        if (!applied.ok() && !printed.ok()) {
            return "";
        }
        return applied.ok() ? language + " is refused: " + printed.error()
                            : language + " is not refused, but apply() is: " + applied.error();
    }

    const PrintedCase& test_;
    BuiltPipeline built_;
    Halide::Target target_;
    PipelineDag dag_;
};

class Printed : public ::testing::TestWithParam<PrintedCase> {};

TEST_P(Printed, SchedulesAsApplyDoes) {
    const PrintedCase& test = GetParam();
    const IsolatedResult result = run_isolated(
        [&] {
            std::string answer;
            const Status status = catching("building", [&]() -> Status {
                answer = Comparison(test).run();
                return Ok{};
            });
            return status ? answer : status.error();
        },
        kLimitSeconds);
    EXPECT_EQ(result.error, "");
    EXPECT_EQ(result.text, "same");
}

INSTANTIATE_TEST_SUITE_P(Pipelines, Printed, ::testing::ValuesIn(printed_cases()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace nestor::testing
