#include "cli/backend.hpp"

namespace holdfast::cli {

OpenedBackend open_to_change(Context& context, std::optional<Duration> window) {
  if (context.server().empty()) return own_store(context, window);
  if (!window) return use_server(context);
  return tl::unexpected(
      usage_failure("--window is chosen when a store is made; the server's store has its own"));
}

OpenedBackend open_to_read(Context& context) {
  return context.server().empty() ? read_store(context) : use_server(context);
}

}  // namespace holdfast::cli
