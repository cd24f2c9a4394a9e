#pragma once
// Where the plug-in is.

#include <string>

#include "base/result.h"

namespace nestor {

inline constexpr const char* kPluginFile = "libautoschedule_nestor.so";
/** The same under the file name that older build files use; it registers as Adams2019, too. */
inline constexpr const char* kOldPluginFile = "libauto_schedule.so";

/** Path of the running executable. */
[[nodiscard]] std::string own_path();

/** The absolute path of `file`, one of the two above. `given` (--plugin) is the plug-in or its
 * folder; if it is empty, the environment variable NESTOR_PLUGIN says so; without that, the folders
 * beside the running executable are searched, as a build tree, an installation and a Python package
 * have them. */
[[nodiscard]] Result<std::string> find_plugin(const std::string& given,
                                              const std::string& file = kPluginFile);

}  // namespace nestor
