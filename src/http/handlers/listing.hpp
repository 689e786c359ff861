#pragma once

#include <functional>
#include <optional>
#include <string>

#include "http/handlers/body_reader.hpp"
#include "http/handlers/changes.hpp"
#include "http/router.hpp"
#include "wire/body.hpp"

/// Lists: what is asked for in the query, and pages of it.
namespace holdfast::http {

/// Reads the query of a request, name by name, and collects what is wrong with it. Names nobody
/// asked for are wrong, too: a filter that is misspelt must not be ignored.
class QueryReader {
 public:
  explicit QueryReader(const Context& context) : context_(context) {}

  [[nodiscard]] std::optional<std::string> text(std::string_view name);
  /// `limit`, 1 to `page_items_max`; `page_items_default` if it is not there.
  [[nodiscard]] std::size_t limit();
  /// `wait`, a duration; longer than `limits.wait_max` it is that. Zero if it is not there.
  [[nodiscard]] Duration wait();
  /// The sequence number of a record, or 0; nothing if it is not there.
  [[nodiscard]] std::optional<std::uint64_t> sequence(std::string_view name);
  void wrong(std::string_view name, std::string detail);
  /// Answers the request if anything was wrong. Called after everything was asked for.
  [[nodiscard]] bool refused();

 private:
  const Context& context_;
  std::vector<std::string_view> known_;
  BodyErrors errors_;
};

/// False when the request was refused for parameters that this address does not have: whoever sends
/// `?dry_run=1` must not be taken to mean it.
[[nodiscard]] bool check_no_query(const Context& context);

/// A sequence number as it is written, or 0; nothing if it is none.
[[nodiscard]] std::optional<std::uint64_t> sequence_number(std::string_view text);

/// The address of this list without its cursor, for the link to the next page.
[[nodiscard]] std::string list_address(const Context& context, std::size_t limit);

/// A list could not be read; a cursor nobody gave out is the caller's mistake.
[[nodiscard]] Response list_problem(const StoreError& error);

/// `{"items":[…],"next":…}` and the link.
template <typename Item, typename Write>
[[nodiscard]] Response page_response(const Page<Item>& page, const std::string& address,
                                     const Write& write) {
  Response response;
  JsonWriter json(response.body);
  json.begin_object();
  json.key("items");
  json.begin_array();
  for (const Item& item : page.items) write(json, item);
  json.end_array();
  json.key("next");
  if (page.next.empty()) {
    json.null();
  } else {
    json.string(page.next);
    const std::string link = address + "cursor=" + percent_encoded(page.next);
    add_header(response.headers, "Link", "<" + link + ">; rel=\"next\"");
  }
  json.end_object();
  return response;
}

}  // namespace holdfast::http
