#include "report/structure.h"

#include <map>
#include <vector>

#include "schedule/placement.h"
#include "schedule/scheduled_dag.h"

namespace nestor {

namespace {

std::string site_text(const PipelineDag& dag, const Schedule& schedule, const LoopSite& site) {
    return function_text(dag, schedule, site.function) + "." +
           loop_name(stage_dims(dag, schedule, site.function, site.stage), site.loop);
}

void list(std::string& text, const std::string& place, const std::vector<std::string>& functions) {
    for (std::size_t i = 0; i < functions.size(); i++) {
        const std::string head = (text.empty() ? "" : "; ") + place + ": ";
        text += (i == 0 ? head : ", ") + functions[i];
    }
}

}  // namespace

std::string structure_text(const PipelineDag& dag, const Schedule& schedule) {
    const ScheduledDag graph(dag, schedule);
    const Placement placement(*graph, schedule);
    std::vector<std::string> root, each_use, pinned;
    std::map<LoopSite, std::vector<std::string>> sites;
    for (int f = 0; f < static_cast<int>(schedule.functions.size()); f++) {
        const std::string name = function_text(dag, schedule, f);
        switch (placement.kind(f)) {
            case Placement::Kind::Inlined:
                break;
            case Placement::Kind::AtEachUse:
                each_use.push_back(name);
                break;
            case Placement::Kind::Root:
                root.push_back(name);
                break;
            case Placement::Kind::At:
                sites[schedule.functions[f].compute.site].push_back(name);
                break;
            case Placement::Kind::Unknown:
                pinned.push_back(name);
                break;
        }
    }
    std::string text;
    list(text, "root", root);
    for (const auto& [site, functions] : sites) {
        list(text, "in " + site_text(dag, schedule, site), functions);
    }
    list(text, "at each use", each_use);
    list(text, "as its author scheduled it", pinned);
    return text;
}

}  // namespace nestor
