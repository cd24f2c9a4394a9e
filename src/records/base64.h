#pragma once
// Bytes as text (RFC 4648, section 4), for files in JSON.

#include <string>
#include <string_view>

#include "base/result.h"

namespace nestor {

[[nodiscard]] std::string to_base64(std::string_view bytes);
/** An Error for anything that to_base64 does not write. */
[[nodiscard]] Result<std::string> from_base64(std::string_view text);

}  // namespace nestor
