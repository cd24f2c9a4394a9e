#include "cli/old_arguments.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include "cli/generator.h"
#include "cli/plugin_path.h"

namespace nestor {

namespace {

/** Plug-ins of Halide's, by their file names now and then, and what they register. */
struct KnownPlugin {
    const char* file;
    const char* scheduler;
};

constexpr std::array kKnownPlugins = {
    KnownPlugin{"libautoschedule_nestor.so", "Nestor"},
    KnownPlugin{"libautoschedule_adams2019.so", "Adams2019"},
    KnownPlugin{"libautoschedule_li2018.so", "Li2018"},
    KnownPlugin{"libgradient_autoscheduler.so", "Li2018"},
    KnownPlugin{"libautoschedule_mullapudi2016.so", "Mullapudi2016"},
    KnownPlugin{"libautoschedule_anderson2021.so", "Anderson2021"},
};

struct Renamed {
    const char* then;
    const char* now;
};

constexpr std::array kOutputs = {Renamed{"o", "object"}, Renamed{"h", "c_header"},
                                 Renamed{"html", "stmt_html"}, Renamed{"cpp", "c_source"}};

std::string file_name(const std::string& path) {
    return std::filesystem::path(path).filename();
}

/** Old spellings of a boolean parameter. */
bool is_true(const std::string& value) {
    return value == "true" || value == "True" || value == "1";
}

/** 1. sort the words; 2. decide on the scheduler; 3. its plug-in; 4. its parameters. */
class Translation {
  public:
    explicit Translation(const PluginFinder& find) : find_(find) {}

    Result<TranslatedArguments> run(const std::vector<std::string>& words) {
        for (std::size_t i = 0; i < words.size(); i++) {
            if (words[i].size() < 2 || words[i].front() != '-') {
                read_param(words[i]);
            } else if (i + 1 == words.size()) {
                return Error{"the generator's option " + words[i] + " needs a value"};
            } else {
                read_option(words[i], words[i + 1]);
                i++;
            }
        }
        choose_scheduler();
        if (Status status = choose_plugins(); !status.ok()) {
            return Error{status.error()};
        }
        translate_machine_params();
        out_.words.insert(out_.words.end(), params_.begin(), params_.end());
        return std::move(out_);
    }

  private:
    void read_option(const std::string& flag, const std::string& value) {
        if (flag == "-s") {
            named_ = value;
        } else if (flag == "-p") {
            for (const std::string& plugin : split(value, ',')) {
                plugins_.push_back(plugin);
            }
        } else if (flag == "-v") {
            out_.log_outputs = value != "0";
        } else {
            if (flag == "-o") {
                out_.output_folder = out_.words.size() + 1;
            }
            out_.words.insert(out_.words.end(),
                              {flag, flag == "-e" ? rename_outputs(value) : value});
        }
    }

    void read_param(const std::string& word) {
        const std::size_t equals = word.find('=');
        const std::string key = word.substr(0, equals);
        const std::string value = equals == std::string::npos ? "" : word.substr(equals + 1);
        if (key == "auto_schedule") {
            wanted_ = is_true(value);
            if (!wanted_) {
                note(word, "(no scheduler)");
            }
        } else if (key == "machine_params") {
            machine_params_ = value;
        } else {
            if (key == "autoscheduler") {
                scheduler_ = value;
            } else if (key == "autoscheduler.parallelism") {
                has_parallelism_ = true;
            }
            params_.push_back(word);
        }
    }

    std::string rename_outputs(const std::string& value) {
        std::vector<std::string> outputs = split(value, ',');
        for (std::string& output : outputs) {
            for (const Renamed& row : kOutputs) {
                if (output == row.then) {
                    note("-e " + output, row.now);
                    output = row.now;
                    break;
                }
            }
        }
        return joined(outputs, ",");
    }

    // What a known plug-in registers; empty for others.
    [[nodiscard]] static std::string scheduler_of(const std::string& plugin) {
        for (const KnownPlugin& row : kKnownPlugins) {
            if (file_name(plugin) == row.file) {
                return row.scheduler;
            }
        }
        return "";
    }

    void choose_scheduler() {
        if (!scheduler_.empty()) {  // today's spelling: it decides
            return;
        }
        if (!wanted_) {
            if (!named_.empty()) {
                note("-s " + named_, "(nothing: auto_schedule is not true)");
            }
            return;
        }
        scheduler_ = named_;
        for (const std::string& plugin : plugins_) {
            scheduler_ = scheduler_.empty() ? scheduler_of(plugin) : scheduler_;
        }
        if (scheduler_.empty()) {
            scheduler_ = "Nestor";
        }
        note(named_.empty() ? "auto_schedule=true" : "auto_schedule=true -s " + named_,
             "autoscheduler=" + scheduler_);
        params_.push_back("autoscheduler=" + scheduler_);
    }

    Status choose_plugins() {
        std::vector<std::string> kept;
        bool provided = false;
        for (const std::string& plugin : plugins_) {
            if (file_name(plugin) == kOldPluginFile) {
                const Result<std::string> ours = find_.ours(kOldPluginFile);
                if (!ours.ok()) {
                    return Error{ours.error()};
                }
                note("-p " + plugin, ours.value());
                kept.push_back(ours.value());
                provided = provided || scheduler_ == "Nestor" || scheduler_ == "Adams2019";
            } else {
                kept.push_back(plugin);
                // One that is not known may register anything but ours.
                const std::string registers = scheduler_of(plugin);
                provided = provided || registers == scheduler_ ||
                           (registers.empty() && scheduler_ != "Nestor");
            }
        }
        if (!scheduler_.empty() && !provided) {
            const Result<std::string> added = plugin_for(scheduler_);
            if (!added.ok()) {
                return Error{added.error()};
            }
            note("(no plug-in for " + scheduler_ + ")", "-p " + added.value());
            kept.push_back(added.value());
        }
        if (!kept.empty()) {
            out_.words.insert(out_.words.end(), {"-p", joined(kept, ",")});
        }
        return Ok{};
    }

    [[nodiscard]] Result<std::string> plugin_for(const std::string& scheduler) const {
        if (scheduler == "Nestor") {
            return find_.ours(kPluginFile);
        }
        if (scheduler == "Adams2019") {
            return find_.ours(kOldPluginFile);
        }
        if (const std::string path = find_.halides(scheduler); !path.empty()) {
            return path;
        }
        return Error{"no plug-in is named (-p) that has the scheduler " + scheduler};
    }

    void translate_machine_params() {
        if (machine_params_.empty()) {
            return;
        }
        const std::vector<std::string> terms = split(machine_params_, ',');
        std::vector<std::string> added;
        if (!scheduler_.empty() && !terms.empty() && !has_parallelism_) {
            added.push_back("autoscheduler.parallelism=" + terms[0]);
        }
        if (scheduler_ == "Mullapudi2016" && terms.size() == 3) {
            added.push_back("autoscheduler.last_level_cache_size=" + terms[1]);
            added.push_back("autoscheduler.balance=" + terms[2]);
        }
        note("machine_params=" + machine_params_, added.empty() ? "(nothing)" : joined(added, " "));
        params_.insert(params_.end(), added.begin(), added.end());
    }

    void note(const std::string& from, const std::string& to) {
        out_.notes.push_back(from + " -> " + to);
    }

    const PluginFinder& find_;
    TranslatedArguments out_;
    std::vector<std::string> params_, plugins_;
    std::string named_;      // -s
    std::string scheduler_;  // that will run; empty: none
    std::string machine_params_;
    bool wanted_ = false;  // auto_schedule=true
    bool has_parallelism_ = false;
};

}  // namespace

Result<TranslatedArguments> translate_old_arguments(const std::vector<std::string>& words,
                                                    const PluginFinder& find) {
    return Translation(find).run(words);
}

}  // namespace nestor
