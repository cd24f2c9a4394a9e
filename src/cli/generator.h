#pragma once
// Other people's generators: programs linked with Halide's generator main, run as children.

#include <string>
#include <vector>

#include "base/process.h"
#include "base/result.h"

namespace nestor {

/** One run of a generator. */
struct GeneratorJob {
    std::string name;                  // -g
    std::string directory;             // -o
    std::vector<std::string> outputs;  // -e; empty: the generator's default
    std::string function;              // -f; empty: the generator's default
    std::string base_name;             // -n; likewise
    std::string plugin;                // -p, an absolute path
    std::string target;
    std::vector<std::string> params;  // key=value, autoscheduler.* among them
};

class Generator {
  public:
    /** An Error, saying what to do, if `path` can't be a program at all. */
    [[nodiscard]] static Result<Generator> open(const std::string& path);

    [[nodiscard]] const std::string& path() const { return path_; }

    /** What can be given to -g. Run without arguments, a generator lists that: whatever lists
     * nothing is not a generator, and an Error. */
    [[nodiscard]] Result<std::vector<std::string>> names() const;

    /** `given`, or the only name there is. */
    [[nodiscard]] Result<std::string> choose_name(const std::string& given) const;

    /** The arguments for a job, the program first. */
    [[nodiscard]] std::vector<std::string> command(const GeneratorJob& job) const;

    /** Runs a job, scheduled by Nestor. What the generator prints goes to stderr. The Error says
     * how it ended, what may be the reason, and how to see for oneself. */
    [[nodiscard]] Status run(const GeneratorJob& job) const;

    /** What is said about a run that ended well and left no file. */
    [[nodiscard]] Error wrote_nothing(const GeneratorJob& job) const;

    /** What is said about a run that went wrong. `scratch` is a folder that is gone by the time
     * that the user reads this: the command is shown with another. */
    [[nodiscard]] std::string explain_failure(const std::vector<std::string>& command,
                                              const std::string& scratch,
                                              const ProcessResult& result) const;

  private:
    explicit Generator(std::string path) : path_(std::move(path)) {}

    std::string path_;
};

/** "a,b,c" */
[[nodiscard]] std::string joined(const std::vector<std::string>& words, const std::string& between);
/** The opposite; no empty words. */
[[nodiscard]] std::vector<std::string> split(const std::string& text, char between);

}  // namespace nestor
