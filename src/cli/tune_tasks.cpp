#include "cli/tune_tasks.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <stdexcept>

namespace nestor {

namespace fs = std::filesystem;

namespace {

constexpr std::array kKeys = {"generator", "pipeline", "name", "params", "target", "weight"};

[[noreturn]] void refuse(const YAML::Node& node, const std::string& message) {
    throw std::runtime_error("line " + std::to_string(node.Mark().line + 1) + ": " + message);
}

TaskRequest read_task(const YAML::Node& node, const fs::path& folder,
                      const RequestOptions& common) {
    if (!node.IsMap()) {
        refuse(node, "a task is a list of keys and values");
    }
    for (const auto& entry : node) {
        const auto key = entry.first.as<std::string>();
        if (std::ranges::find(kKeys, key) == kKeys.end()) {
            refuse(entry.first,
                   "no key " + key + " here: generator, pipeline, name, params, target, weight");
        }
    }
    if (node["generator"].IsDefined() == node["pipeline"].IsDefined()) {
        refuse(node, "a task has a generator or a pipeline");
    }
    TaskRequest task;
    task.request = common;
    const YAML::Node path = node["generator"] ? node["generator"] : node["pipeline"];
    task.request.path = (folder / path.as<std::string>()).lexically_normal().string();
    if (node["name"]) {
        task.name = node["name"].as<std::string>();
        if (node["generator"]) {
            task.request.generator_name = task.name;
        }
    } else {
        task.name = fs::path(task.request.path).stem().string();
    }
    if (node["target"]) {
        task.request.target = node["target"].as<std::string>();
    }
    for (const YAML::Node& param : node["params"]) {
        task.request.params.push_back(param.as<std::string>());
    }
    if (node["weight"]) {
        task.weight = node["weight"].as<double>();
        if (!(task.weight > 0)) {
            refuse(node["weight"], "a weight is a number above 0");
        }
    }
    return task;
}

}  // namespace

Result<std::vector<TaskRequest>> read_tasks(const std::string& path, const RequestOptions& common) {
    std::vector<TaskRequest> tasks;
    try {
        const YAML::Node file = YAML::LoadFile(path);
        const YAML::Node list = file.IsMap() ? file["tasks"] : YAML::Node();
        if (!list.IsSequence() || list.size() == 0) {
            return Error{path + ": there is no list of tasks under \"tasks:\""};
        }
        for (const YAML::Node& node : list) {
            TaskRequest task = read_task(node, fs::path(path).parent_path(), common);
            const auto same = [&](const TaskRequest& known) { return known.name == task.name; };
            if (std::ranges::any_of(tasks, same)) {
                refuse(node, "there are two tasks " + task.name);
            }
            tasks.push_back(std::move(task));
        }
    } catch (const YAML::BadFile&) {
        return Error{"cannot read " + path};
    } catch (const std::exception& error) {  // YAML's own are such, too
        return Error{path + ": " + error.what()};
    }
    return tasks;
}

}  // namespace nestor
