#include "cli/auditing.hpp"

#include <fmt/format.h>

#include "cli/progress.hpp"
#include "cli/text.hpp"
#include "store/open.hpp"

namespace holdfast::cli {
namespace {

constexpr std::size_t chunk_records = 10'000;

Error read_error(const StoreError& error) { return {error.message, error.effect}; }

std::string progress_text(std::uint64_t done, std::uint64_t all) {
  const std::uint64_t percent = all == 0 ? 100 : done * 100 / all;
  return fmt::format("auditing: {} of {} records ({}%)", number_text(done), number_text(all),
                     percent);
}

}  // namespace

Result<Verdict> audit_store(Context& context, const std::string& path,
                            const std::function<void(const Record&)>& watch) {
  auto reader = read_records(path);
  if (!reader) return tl::unexpected(read_error(reader.error()));
  Audit audit((*reader)->rules());
  Progress progress(context.err);
  Verdict verdict;
  std::vector<Record> chunk;
  std::uint64_t after = 0;
  do {
    const auto read = (*reader)->read(after, chunk_records, chunk);
    if (!read) return tl::unexpected(read_error(read.error()));
    for (const Record& record : chunk) {
      audit.see(record);
      if (watch) watch(record);
    }
    verdict.checksums += chunk.size();
    if (!chunk.empty()) after = chunk.back().seq;
    if (chunk.size() == chunk_records) {
      progress.show(progress_text(verdict.checksums, (*reader)->last_seq()));
    }
  } while (chunk.size() == chunk_records);
  verdict.report = audit.finish();
  verdict.broken_checksums = (*reader)->broken();
  return verdict;
}

}  // namespace holdfast::cli
