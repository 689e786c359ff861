// What the operations on subscriptions do, and what their records do to rows.

#include <algorithm>

#include "domain/row_json.hpp"
#include "modules/subscriptions/subscription_row.hpp"
#include "modules/subscriptions/subscriptions.hpp"

namespace holdfast::subscriptions {
namespace {

constexpr std::size_t url_bytes_max = 1024;
/// Who says that it goes on has so much longer.
constexpr Duration lease_while_on = std::chrono::seconds(60);
constexpr std::string_view unreadable = "it does not say how its subscription stands";

RowName name_of(std::string_view id) {
  return {SubscriptionRow::space, SubscriptionRow::tenant_of_list, id};
}

std::string text_of(const SubscriptionRow& row) {
  std::string text;
  JsonWriter json(text);
  row.write(json);
  return text;
}

const SubscriptionRow* find(std::string_view id, const Deciding& deciding) {
  const auto* const row = deciding.rows.row<SubscriptionRow>(SubscriptionRow::tenant_of_list, id);
  return row != nullptr && row->tenant == deciding.tenant() ? row : nullptr;
}

/// What can be called: the rest is for whoever calls it, who knows what names stand for.
bool is_url(std::string_view url) {
  if (url.size() > url_bytes_max) return false;
  const bool web = url.starts_with("https://") || url.starts_with("http://");
  return web && std::all_of(url.begin(), url.end(), [](char c) { return c > ' ' && c < 0x7f; });
}

Duration backoff_of(std::uint64_t failures) {
  const std::uint64_t doublings = std::min<std::uint64_t>(failures - 1, 20);
  return std::min<Duration>(std::chrono::seconds(1) * (1LL << doublings), backoff_max);
}

void fail(SubscriptionRow& row, const Advancing& what, Instant now) {
  row.error = what.error;
  ++row.failures;
  if (!row.failing_since) row.failing_since = now;
  row.next_at = now + backoff_of(row.failures);
  const bool too_long = now - *row.failing_since >= give_up_after;
  if (!too_long && what.verdict != "gone") return;
  row.disabled = true;
  row.reason = too_long ? "failing" : "gone";
}

}  // namespace

template <typename P>
void OnSubscription<P>::needs(const P& what, Needs& needs) {
  needs.row_of(SubscriptionRow::tenant_of_list, SubscriptionRow::space, what.id);
}

template struct OnSubscription<Unsubscribing>;
template struct OnSubscription<Resending>;
template struct OnSubscription<RotatingSecret>;
template struct OnSubscription<Serving>;
template struct OnSubscription<Advancing>;

/// It begins with what comes after it.
Refused Subscribe::decide(const Subscribing& what, Deciding& deciding) {
  if (!is_url(what.url)) return Refusal{Rejection::invalid_request, Reason::url_invalid};
  Record& record = deciding.outcome(kinds::created);
  SubscriptionRow row;
  row.tenant = deciding.tenant();
  row.id = subscription_id(row.tenant, deciding.request.token(), record.seq);
  row.url = what.url;
  row.events = what.events;
  row.description = what.description;
  row.made_seq = row.cursor = record.seq;
  row.created_at = row.secret_since = row.next_at = deciding.now;
  record.detail = text_of(row);
  return {};
}

template <>
Refused OnSubscription<Unsubscribing>::decide(const Unsubscribing& what, Deciding& deciding) {
  const SubscriptionRow* const row = find(what.id, deciding);
  if (row == nullptr) return Refusal{Rejection::subscription_not_known};
  deciding.outcome(kinds::deleted).detail = text_of(*row);
  return {};
}

template <>
Refused OnSubscription<Resending>::decide(const Resending& what, Deciding& deciding) {
  const SubscriptionRow* const found = find(what.id, deciding);
  if (found == nullptr) return Refusal{Rejection::subscription_not_known};
  Record& record = deciding.outcome(kinds::rewound);
  SubscriptionRow row = *found;
  row.cursor = std::min(static_cast<std::uint64_t>(what.after), record.seq);
  row.disabled = false;
  row.reason.clear();
  row.failures = 0;
  row.failing_since.reset();
  row.lease_until.reset();  // who serves it is told that its fence is old
  ++row.fence;
  row.next_at = deciding.now;
  record.detail = text_of(row);
  return {};
}

template <>
Refused OnSubscription<RotatingSecret>::decide(const RotatingSecret& what, Deciding& deciding) {
  const SubscriptionRow* const found = find(what.id, deciding);
  if (found == nullptr) return Refusal{Rejection::subscription_not_known};
  SubscriptionRow row = *found;
  ++row.secret;
  row.secret_since = deciding.now;
  deciding.outcome(kinds::rotated).detail = text_of(row);
  return {};
}

template <>
Refused OnSubscription<Serving>::decide(const Serving& what, Deciding& deciding) {
  const SubscriptionRow* const found = find(what.id, deciding);
  if (found == nullptr) return Refusal{Rejection::subscription_not_known};
  if (found->disabled || found->leased(deciding.now) || found->next_at > deciding.now)
    return {};  // somebody else has it: nothing is done, and nothing recorded
  SubscriptionRow row = *found;
  ++row.fence;
  row.lease_until = deciding.now + what.lease;
  row.holder = deciding.request.call.caller.principal;
  deciding.outcome(kinds::leased).detail = text_of(row);
  return {};
}

template <>
Refused OnSubscription<Advancing>::decide(const Advancing& what, Deciding& deciding) {
  const SubscriptionRow* const found = find(what.id, deciding);
  if (found == nullptr) return Refusal{Rejection::subscription_not_known};
  const bool holds = found->lease_until && found->fence == static_cast<std::uint64_t>(what.fence);
  if (!holds) return Refusal{Rejection::stale_fence};
  SubscriptionRow row = *found;
  const bool good = what.verdict == "on" || what.verdict == "done";
  if (!good && what.verdict != "failed" && what.verdict != "gone")
    return Refusal{Rejection::invalid_request, Reason::verdict_unknown};
  const auto reached = static_cast<std::uint64_t>(what.cursor);
  row.cursor = std::max(row.cursor, std::min(reached, deciding.draft.next_seq));
  if (what.verdict == "on") {
    row.lease_until = std::max(*row.lease_until, deciding.now + lease_while_on);
  } else {
    row.lease_until.reset();
    row.holder.clear();
  }
  if (good) {
    row.failures = 0;
    row.failing_since.reset();
    row.error.clear();
    row.next_at = deciding.now;
  } else {
    fail(row, what, deciding.now);
  }
  deciding.outcome(row.disabled ? kinds::disabled : kinds::advanced).detail = text_of(row);
  return {};
}

void name_rows(const Record& record, Needs& needs) {
  if (const auto row = SubscriptionRow::read(record.detail))
    needs.row_of(SubscriptionRow::tenant_of_list, SubscriptionRow::space, row->id);
}

std::string_view apply(const Record& record, RowWriter& rows) {
  auto row = SubscriptionRow::read(record.detail);
  if (!row || row->id.empty()) return unreadable;
  const std::string id = row->id;
  if (record.kind == kinds::deleted)
    return rows.remove(name_of(id)) ? std::string_view() : "it is about a subscription that is not";
  ModuleRow made{std::make_shared<const SubscriptionRow>(std::move(*row)), record.seq};
  record.kind == kinds::created ? rows.put_new(name_of(id), std::move(made))
                                : rows.put(name_of(id), std::move(made));
  return {};
}

}  // namespace holdfast::subscriptions
