#include "cli/arguments.hpp"

#include <fmt/format.h>

#include <charconv>

#include "base/time_text.hpp"
#include "cli/text.hpp"
#include "domain/canonical.hpp"

namespace holdfast::cli {
namespace {

constexpr std::size_t limit_max = 10'000;  // of a list, which is printed page by page

bool is_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

std::string_view without_minus(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  return text;
}

/// Digits and a unit, so a duration, even if no clock could ever measure it.
bool is_huge_duration(std::string_view text) {
  const std::size_t unit = text.find_first_not_of("0123456789");
  if (unit == 0 || unit == std::string_view::npos) return false;
  return parse_duration(fmt::format("1{}", text.substr(unit))).has_value();
}

/// Of a parameter of the engine's it is what the engine says of one that can be sent.
Failure out_of_bounds(std::string_view field, const std::string& detail) {
  Failure failure = refusal(Rejection::invalid_request, detail, field);
  failure.problem.reason = reason_named(fmt::format("{}-bounds", field)).value_or(Reason::none);
  return failure;
}

}  // namespace

Parsed<Duration> parse_duration_argument(std::string_view text, std::string_view field) {
  const std::string_view positive = without_minus(text);
  if (const auto duration = parse_duration(positive)) {
    return positive.size() == text.size() ? *duration : -*duration;
  }
  if (is_huge_duration(positive)) {
    return tl::unexpected(
        out_of_bounds(field, fmt::format("The {} {} is outside the allowed bounds.", field, text)));
  }
  return tl::unexpected(usage_failure(fmt::format(
      "'{}' is not a {}; write 90s, 15m, 24h, 7d or ISO 8601 as in PT15M", printable(text),
      field == "duration" ? "duration" : fmt::format("duration for the {}", field))));
}

Parsed<std::int64_t> parse_number_argument(std::string_view text, std::string_view field) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size()) return number;
  if (is_digits(without_minus(text))) {
    return tl::unexpected(out_of_bounds(
        field, fmt::format("The {} is below 1 or above {}.", field, number_text(quantity_max))));
  }
  return tl::unexpected(usage_failure(fmt::format(
      "'{}' is not a {}; write a whole number, as in --{} 2", printable(text), field, field)));
}

Parsed<HoldId> parse_id_argument(std::string_view text) {
  if (const auto id = HoldId::parse(text)) return *id;
  return tl::unexpected(
      refusal(Rejection::not_known,
              fmt::format("'{}' names no hold: an id looks like {}, as `holdfast list` shows them.",
                          printable(text), HoldId{0x2a, 0xf3c9d1e5b7a8421}.text())));
}

Parsed<GroupId> parse_group_argument(std::string_view text) {
  if (const auto id = GroupId::parse(text)) return *id;
  return tl::unexpected(refusal(
      Rejection::not_known,
      fmt::format("'{}' names no group: an id looks like {}, as `holdfast group` prints it.",
                  printable(text), GroupId{{0x2a, 0xf3c9d1e5b7a8421}}.text())));
}

Parsed<std::vector<GroupItem>> parse_items_argument(std::string_view text) {
  std::vector<GroupItem> items;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    if (word.empty()) continue;
    const std::size_t sign = word.rfind('=');
    GroupItem item{.resource = std::string(word.substr(0, sign))};
    if (sign != std::string_view::npos) {
      auto quantity = parse_number_argument(word.substr(sign + 1), "quantity");
      if (!quantity) return tl::unexpected(quantity.error());
      item.quantity = *quantity;
    }
    items.push_back(std::move(item));
  }
  return items;
}

Parsed<std::string> parse_json_argument(std::string_view text, std::string_view what) {
  auto canonical = canonicalize(text);
  if (canonical) return std::move(*canonical);
  return tl::unexpected(
      usage_failure(fmt::format("{} is not JSON: {}", what, canonical.error().message)));
}

Parsed<std::vector<std::string>> parse_names_argument(std::string_view text) {
  std::vector<std::string> names;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    names.emplace_back(word);
  }
  return names;
}

Parsed<std::size_t> parse_limit_argument(std::string_view text) {
  std::size_t limit = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), limit);
  const bool number = error == std::errc() && end == text.data() + text.size();
  if (number && limit >= 1 && limit <= limit_max) return limit;
  return tl::unexpected(
      usage_failure(fmt::format("'{}' is not a limit; write a number from 1 to {}, as in --limit "
                                "50, or --all for everything",
                                printable(text), number_text(limit_max))));
}

Parsed<Duration> parse_patience_argument(std::string_view text, Duration otherwise) {
  if (text.empty()) return otherwise;
  const auto patience = parse_duration(text);
  if (patience && patience->count() > 0) return *patience;
  return tl::unexpected(usage_failure(fmt::format(
      "'{}' is not a patience; write 5s, 1m or 1h, as in --patience 1m", printable(text))));
}

Parsed<std::optional<Duration>> parse_window_argument(std::string_view text) {
  if (text.empty()) return std::nullopt;
  const auto window = parse_duration(text);
  constexpr auto longest = std::chrono::hours(24 * 36'600);  // as for the service
  if (window && window->count() > 0 && *window <= longest) return window;
  return tl::unexpected(usage_failure(
      fmt::format("'{}' is not a window; write 10m, 24h or 7d, as in --window 24h; at most 36600d",
                  printable(text))));
}

}  // namespace holdfast::cli
