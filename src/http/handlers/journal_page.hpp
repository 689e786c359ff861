#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "http/transport/message.hpp"
#include "store/store.hpp"

/// The journal as a tenant sees it: pages of its own records, in commit order.
namespace holdfast::http {

struct JournalPage {
  std::vector<Record> records;
  std::uint64_t last_seq = 0;  ///< everything up to here was looked at
  bool at_end = false;         ///< there was nothing after it
};

/// The tenant's records after a sequence number that are wanted, at most so many. A page may be
/// shorter than asked for and not be the end: a long search is cut into steps.
[[nodiscard]] StoreResult<JournalPage> read_journal(const Store& store, std::string_view tenant,
                                                    std::uint64_t after, std::size_t limit,
                                                    bool (*wanted)(const Record&));

/// Why nothing can follow a record; nothing if something can. A reader that has seen more than
/// there is read another history: it would miss what is written up to there.
[[nodiscard]] std::optional<Response> beyond_the_end(const Store& store, std::uint64_t after);

/// `{"items":[…],"next":"…","more":…}` and the link. `write` appends a record as JSON.
[[nodiscard]] Response journal_page(std::string_view address, const JournalPage& page,
                                    std::size_t limit,
                                    const std::function<void(std::string&, const Record&)>& write);

}  // namespace holdfast::http
