#include "cli/auditing.hpp"

#include <fmt/format.h>

#include "cli/progress.hpp"
#include "cli/text.hpp"

namespace holdfast::cli {
namespace {

Error read_error(const StoreError& error) { return {error.message, error.effect}; }

std::string progress_text(std::uint64_t done, std::uint64_t all) {
  const std::uint64_t percent = all == 0 ? 100 : done * 100 / all;
  return fmt::format("auditing: {} of {} records ({}%)", number_text(done), number_text(all),
                     percent);
}

}  // namespace

Result<Verdict> audit_store(Context& context, const std::string& path, const AuditWatch& watch) {
  auto reader = read_records(path);
  if (!reader) return tl::unexpected(read_error(reader.error()));
  Progress progress(context.err);
  auto verdict = audit_records(**reader, watch, [&](std::uint64_t done, std::uint64_t all) {
    progress.show(progress_text(done, all));
  });
  if (!verdict) return tl::unexpected(read_error(verdict.error()));
  return std::move(*verdict);
}

}  // namespace holdfast::cli
