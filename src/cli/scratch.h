#pragma once
// Folders that hold what is not finished.

#include <string>
#include <vector>

#include "base/result.h"

namespace nestor {

/** A folder of our own that disappears, with what is in it, when this does. */
class Scratch {
  public:
    /** In `parent`; "" for the system's folder of temporary files. */
    [[nodiscard]] static Result<Scratch> create(const std::string& parent = "");
    ~Scratch();
    Scratch(Scratch&& other) noexcept;
    Scratch& operator=(Scratch&&) = delete;

    [[nodiscard]] const std::string& path() const { return path_; }

    /** Names of the plain files in it, in order. */
    [[nodiscard]] std::vector<std::string> files() const;

    /** Path of its only file with that ending; empty if there is none, or more than one. */
    [[nodiscard]] std::string only_file(const std::string& ending) const;

  private:
    explicit Scratch(std::string path) : path_(std::move(path)) {}

    std::string path_;
};

/** Output files: made in a folder within their own, and moved to their names once all are whole, so
 * that a failure leaves none behind and replaces none. */
class Staging {
  public:
    /** Makes `directory` if it is not there. */
    [[nodiscard]] static Result<Staging> create(const std::string& directory);
    ~Staging();
    Staging(Staging&&) = default;
    Staging& operator=(Staging&&) = delete;

    /** The folder to write to. */
    [[nodiscard]] const std::string& path() const { return scratch_.path(); }

    /** Checks the files, moves them, and yields where they are now. Halide does not look whether
     * all that it prints could be written, so a full disk has to be noticed here. */
    [[nodiscard]] Result<std::vector<std::string>> commit();

  private:
    Staging(std::string directory, bool made, Scratch scratch)
        : directory_(std::move(directory)), made_(made), scratch_(std::move(scratch)) {}

    [[nodiscard]] Status check(const std::vector<std::string>& names) const;

    std::string directory_;
    bool made_;  // by us
    Scratch scratch_;
};

}  // namespace nestor
