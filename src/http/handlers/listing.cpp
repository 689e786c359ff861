#include "http/handlers/listing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/time_text.hpp"
#include "base/utf8.hpp"
#include "http/handlers/problem.hpp"

namespace holdfast::http {
namespace {}  // namespace

std::optional<std::string> QueryReader::text(std::string_view name) {
  known_.push_back(name);
  std::optional<std::string> found;
  for (const QueryItem& item : context_.target.query) {
    if (item.name != name) continue;
    if (found) wrong(name, "This is there twice.");
    found = item.value;
  }
  return found;
}

std::size_t QueryReader::limit() {
  const auto given = text("limit");
  if (!given) return page_items_default;
  std::size_t limit = 0;
  const auto [end, error] = std::from_chars(given->data(), given->data() + given->size(), limit);
  const bool sound = error == std::errc() && end == given->data() + given->size() && limit >= 1 &&
                     limit <= page_items_max;
  if (!sound) wrong("limit", fmt::format("A limit is a number from 1 to {}.", page_items_max));
  return sound ? limit : page_items_default;
}

Duration QueryReader::wait() {
  const auto given = text("wait");
  if (!given) return {};
  const auto duration = parse_duration(*given);
  if (!duration) {
    wrong("wait", "This is a duration such as 10s or PT10S.");
    return {};
  }
  return std::min(*duration, context_.application.settings().limits.wait_max);
}

std::optional<std::uint64_t> QueryReader::sequence(std::string_view name) {
  const auto given = text(name);
  if (!given) return std::nullopt;
  const auto number = sequence_number(*given);
  if (!number) wrong(name, "This is the sequence number of a record, or 0.");
  return number;
}

void QueryReader::wrong(std::string_view name, std::string detail) {
  errors_.push_back({"?" + to_valid_utf8(name), std::move(detail)});
}

bool QueryReader::refused() {
  for (const QueryItem& item : context_.target.query) {
    if (std::find(known_.begin(), known_.end(), item.name) == known_.end())
      wrong(item.name, "There is no such parameter here.");
  }
  if (errors_.empty()) return false;
  refuse_body(context_, errors_);
  return true;
}

bool check_no_query(const Context& context) { return !QueryReader(context).refused(); }

std::optional<std::uint64_t> sequence_number(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool sound = error == std::errc() && end == text.data() + text.size() &&
                     number <= static_cast<std::uint64_t>(quantity_max);
  return sound ? std::optional(number) : std::nullopt;
}

std::string list_address(const Context& context, std::size_t limit) {
  std::string address(path_of(context.request.target));
  address += fmt::format("?limit={}&", limit);
  for (const QueryItem& item : context.target.query) {
    if (item.name == "cursor" || item.name == "limit") continue;
    address += percent_encoded(item.name) + "=" + percent_encoded(item.value) + "&";
  }
  return address;
}

Response list_problem(const StoreError& error) {
  if (error.bad_cursor) {
    Problem problem = problem_for(Rejection::malformed_request, error.message);
    return problem_response(std::move(problem), {{"?cursor", error.message}});
  }
  return store_problem(error);
}

}  // namespace holdfast::http
