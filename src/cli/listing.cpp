#include "cli/listing.hpp"

#include <fmt/format.h>

namespace holdfast::cli {

void add_list_options(CLI::App& command, ListOptions& options) {
  CLI::Option* limit =
      command.add_option("--limit", options.limit, "At most so many, 1 to 10000 (100)");
  limit->type_name("N");
  command.add_option("--cursor", options.cursor, "Go on where a list ended: the cursor it printed")
      ->type_name("C");
  command.add_flag("--all", options.all, "Everything, however long")->excludes(limit);
}

std::string list_ending(std::string_view one, std::uint64_t shown, const ListOptions& options,
                        const std::string& next) {
  if (!next.empty()) {
    return fmt::format("{}; there are more: --cursor {} goes on, --all shows everything",
                       count_text(shown, one), shell_quoted(next));
  }
  if (shown == 0) {
    return fmt::format("No {}{}s.", options.cursor.empty() ? "such " : "more ", one);
  }
  return count_text(shown, one) + ".";
}

}  // namespace holdfast::cli
