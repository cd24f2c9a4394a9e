#include "check_schedules.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>

#include "halide/apply.h"
#include "halide/read_pipeline.h"
#include "halide/target_machine.h"
#include "halide/verify.h"
#include "run.h"
#include "schedule/legality.h"
#include "schedule/print.h"
#include "search/folds.h"

namespace nestor::testing {

namespace {

class SchedulesCheck {
  public:
    SchedulesCheck(const TestPipeline& test, std::uint64_t seed, const MakeSchedules& make)
        : test_(test), built_(test.build()), seed_(seed), make_(make) {}

    SchedulesReport run() {
        const Halide::Target target = target_of(built_);
        Result<PipelineDag> dag = read_pipeline(built_.pipeline, target);
        if (!dag) {
            return fail("reading: " + dag.error());
        }
        dag_ = std::move(dag).value();
        const Result<Verifier> verifier = Verifier::create(built_.pipeline, target);
        if (!verifier) {
            return fail("baseline: " + verifier.error());
        }
        if (built_.expect.run) {
            reference_ = std::make_unique<Reference>(test_, seed_);
            if (!reference_->error().empty()) {
                return fail("reference: " + reference_->error());
            }
        }
        for (const Proposal& each : make_(dag_, machine_of(target))) {
            if (std::string failure = check(each, verifier.value()); !failure.empty()) {
                return fail(each.name + ": " + failure + "\n" + print_cpp(dag_, each.schedule));
            }
        }
        return report_;  // with no seed accepted the pipeline is left as it is, which is the
                         // reference
    }

  private:
    std::string check(const Proposal& each, const Verifier& verifier) {
        const Result<Schedule> parsed = parse_json(dag_, print_json(dag_, each.schedule));
        if (!parsed || parsed.value() != normalized(each.schedule)) {
            return "does not come back from JSON: " + (parsed ? "it differs" : parsed.error());
        }
        const Halide::Pipeline copy = deep_copy(built_.pipeline);
        if (const Status applied = apply(copy, dag_, each.schedule); !applied) {
            return "does not apply: " + applied.error();
        }
        if (const Status verified = verifier.verify(copy); !verified) {
            report_.refused++;
            return "";
        }
        report_.accepted++;
        const ApplySchedule schedule = [&](Halide::Pipeline& p) {
            if (const Status status = apply(p, dag_, each.schedule); !status) {
                throw Halide::CompileError(status.error());
            }
        };
        return built_.expect.run ? check_schedule(*reference_, schedule).failure
                                 : check_lowers(test_, schedule);
    }

    SchedulesReport fail(const std::string& why) {
        report_.failure = why;
        return report_;
    }

    const TestPipeline& test_;
    BuiltPipeline built_;
    std::uint64_t seed_;
    const MakeSchedules& make_;
    PipelineDag dag_;
    std::unique_ptr<Reference> reference_;
    SchedulesReport report_;
};

}  // namespace

std::vector<Proposal> all_proposals(const PipelineDag& dag, const Machine& machine) {
    const Limits limits(1e9, std::int64_t{1} << 40U);
    return search(dag, machine, {}, limits).proposals;
}

void add_folded(const PipelineDag& dag, const Machine& machine, std::vector<Proposal>& proposals) {
    std::vector<Proposal> folded;
    for (const Proposal& each : proposals) {
        Schedule schedule = with_folds(dag, each.schedule, machine);
        if (!(schedule == each.schedule) && check_legality(dag, schedule).empty()) {
            folded.push_back({each.name + ", folded", std::move(schedule), 0});
        }
    }
    std::ranges::move(folded, std::back_inserter(proposals));
}

std::vector<Proposal> main_proposals(const PipelineDag& dag, const Machine& machine,
                                     std::size_t seeds) {
    const Limits limits(1e9, std::int64_t{1} << 40U);
    std::vector<Proposal> proposals =
        search(dag, machine, {.caps = {}, .passes = 0, .dropout = {}, .moves = {}}, limits)
            .proposals;
    if (seeds < proposals.size()) {
        std::ranges::rotate(
            proposals,
            proposals.begin() + static_cast<std::ptrdiff_t>(dag.algorithm_hash % proposals.size()));
        proposals.resize(seeds);
    }
    for (Proposal& each : all_proposals(dag, machine)) {
        const auto same = [&](const Proposal& known) { return known.schedule == each.schedule; };
        if (std::ranges::none_of(proposals, same)) {
            proposals.push_back(std::move(each));
            break;
        }
    }
    return proposals;
}

SchedulesReport check_schedules(const TestPipeline& test, std::uint64_t seed,
                                const MakeSchedules& make) {
    return SchedulesCheck(test, seed, make).run();
}

}  // namespace nestor::testing
