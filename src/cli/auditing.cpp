#include "cli/auditing.hpp"

#include "cli/progress.hpp"

namespace holdfast::cli {
namespace {

Error read_error(const StoreError& error) { return {error.message, error.effect}; }

}  // namespace

Result<Verdict> audit_store(Context& context, const std::string& path, const AuditWatch& watch) {
  auto reader = read_records(path);
  if (!reader) return tl::unexpected(read_error(reader.error()));
  ProgressLine progress(context.err);
  auto verdict = audit_records(**reader, watch, [&](std::uint64_t done, std::uint64_t all) {
    progress.show_records("auditing", done, all);
  });
  if (!verdict) return tl::unexpected(read_error(verdict.error()));
  return std::move(*verdict);
}

}  // namespace holdfast::cli
