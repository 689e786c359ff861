#include "http/handlers/journal_page.hpp"

#include <fmt/format.h>

#include "http/handlers/changes.hpp"
#include "http/handlers/problem.hpp"

namespace holdfast::http {
namespace {

/// How much of the journal one step of a search looks at: most records may be another tenant's.
constexpr std::size_t records_per_step = 2'000;
constexpr std::size_t steps_max = 50;

}  // namespace

StoreResult<JournalPage> read_journal(const Store& store, std::string_view tenant,
                                      std::uint64_t after, std::size_t limit,
                                      bool (*wanted)(const Record&)) {
  JournalPage page{.records = {}, .last_seq = after};
  for (std::size_t step = 0; step < steps_max; ++step) {
    auto records = store.records(page.last_seq, records_per_step);
    if (!records) return tl::unexpected(records.error());
    for (Record& record : *records) {
      page.last_seq = record.seq;
      if (record.tenant != tenant || !wanted(record)) continue;
      page.records.push_back(std::move(record));
      if (page.records.size() == limit) return page;
    }
    if (records->size() < records_per_step) {
      page.at_end = true;
      return page;
    }
  }
  return page;
}

std::optional<Response> beyond_the_end(const Store& store, std::uint64_t after) {
  if (after == 0) return std::nullopt;
  const auto there = store.records(after - 1, 1);
  if (!there) return store_problem(there.error());
  if (!there->empty()) return std::nullopt;
  const std::string detail = fmt::format(
      "There is no record {} here yet. If the store was set back, as by restoring a backup, read "
      "everything anew.",
      after);
  return problem_response(problem_for(Rejection::malformed_request, detail), {{"?after", detail}});
}

Response journal_page(std::string_view address, const JournalPage& page, std::size_t limit,
                      const std::function<void(std::string&, const Record&)>& write) {
  Response response;
  std::string& out = response.body;
  out = R"({"items":[)";
  for (const Record& each : page.records) {
    if (&each != &page.records.front()) out += ',';
    write(out, each);
  }
  fmt::format_to(std::back_inserter(out), R"(],"next":"{}","more":{}}})", page.last_seq,
                 !page.at_end);
  add_header(response.headers, "Link",
             fmt::format("<{}?after={}&limit={}>; rel=\"next\"", address, page.last_seq, limit));
  return response;
}

}  // namespace holdfast::http
