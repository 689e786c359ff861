#include "cli/listing.hpp"

#include <fmt/format.h>

namespace holdfast::cli {

void add_list_options(Options& options, ListOptions& list) {
  options.option("--limit", "N", list.limit, "At most so many, 1 to 10000 (100)");
  options.option("--cursor", "C", list.cursor, "Go on where a list ended: the cursor it printed");
  options.flag("--all", list.all, "Everything, however long");
  options.exclusive("--all", "--limit");
}

std::string list_ending(std::string_view one, std::uint64_t shown, const ListOptions& options,
                        const std::string& next) {
  if (!next.empty()) {
    return fmt::format("{}; there are more: --cursor {} goes on, --all shows everything",
                       count_text(shown, one), shell_quoted(next));
  }
  if (shown == 0) {
    return fmt::format("No {}{}.", options.cursor.empty() ? "such " : "more ", plural(one));
  }
  return count_text(shown, one) + ".";
}

}  // namespace holdfast::cli
