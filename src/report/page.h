#pragma once
// Reports as one HTML page that needs nothing else: no network, no other file.
//
// The page holds the reports as JSON, and its own script (page/script.js) builds everything visible
// from that, by text nodes only; the charts are Chart.js's.

#include <string>
#include <string_view>
#include <vector>

#include "report/report.h"

namespace nestor {

/** The page. `source`: the name of the records file, for its foot. */
[[nodiscard]] std::string report_page(const std::vector<Report>& reports,
                                      const std::string& source);

/** Text that is itself in HTML, also within quotes. */
[[nodiscard]] std::string escape_html(std::string_view text);

/** JSON text that means the same and can't end the <script> that holds it. */
[[nodiscard]] std::string escape_json_island(std::string_view json);

}  // namespace nestor
