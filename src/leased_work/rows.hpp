#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "domain/module.hpp"
#include "leased_work/decisions.hpp"

/// Rows of leased work, by their type: a row of the queues, which has `static constexpr RowSpace
/// space`, the `id` of the work, its `LeaseState lease`, and `RowIndex index(std::string_view key)
/// const`. It goes when the work ends, and the row of what it is about stays.
namespace holdfast::leased_work {

template <typename Row>
[[nodiscard]] RowName name_in_queues(std::string_view key) {
  return {Row::space, tenant_of_queues, key};
}

/// What an id names: what the work is about, and what is left to do, if anything is.
template <typename Subject, typename Row>
struct Found {
  const Subject* subject = nullptr;
  const Row* work = nullptr;

  [[nodiscard]] bool known() const { return subject != nullptr; }
  /// Null: nothing is left to do.
  [[nodiscard]] const LeaseState* lease() const { return work == nullptr ? nullptr : &work->lease; }
};

/// By the key in the id, which is empty where it is none. A key that was used again has rows of
/// another id.
template <typename Subject, typename Row>
[[nodiscard]] Found<Subject, Row> find(std::string_view id, std::string_view key,
                                       const Deciding& deciding) {
  if (key.empty()) return {};
  const auto* const subject = deciding.rows.row<Subject>(deciding.tenant(), key);
  if (subject == nullptr || subject->id != id) return {};
  const auto* const work = row_of<Row>(deciding.rows.row(name_in_queues<Row>(key)));
  return {.subject = subject, .work = work != nullptr && work->id == id ? work : nullptr};
}

template <typename Subject, typename Row>
[[nodiscard]] Refused not_the_holder(const Found<Subject, Row>& found, std::int64_t fence,
                                     const Deciding& deciding, const Refusals& refusals) {
  return not_the_holder(found.known(), found.lease(),
                        {deciding.request.call.caller.principal, fence}, refusals);
}

template <typename Subject, typename Row>
[[nodiscard]] Refused not_at_rest(const Found<Subject, Row>& found, const Refusals& refusals) {
  return not_at_rest(found.known(), found.lease(), refusals);
}

/// What the parameters of an operation ask for: `kinds` of a tenant's workers, or of dispatchers,
/// whose queues say what they do.
template <typename P>
[[nodiscard]] Asked asked_for(const P& what, std::string_view tenant, std::string_view does) {
  Asked asked{.queues = {}, .max = what.max, .lease = what.lease};
  for (const std::string& kind : what.kinds) {
    asked.queues.push_back(what.dispatches ? queue_of_dispatchers(does, kind)
                                           : queue_of_workers(tenant, kind));
  }
  return asked;
}

/// Shows `take` the work that is asked for and may be leased now, queue by queue, until it has
/// taken enough or says that it takes no more.
template <typename Row, typename Take>
void offer(const Asked& asked, const Deciding& deciding, const Take& take) {
  std::int64_t left = asked.max;
  for (auto each = asked.queues.begin(); each != asked.queues.end(); ++each) {
    if (std::find(asked.queues.begin(), each, *each) != each) continue;  // it was gone through
    for (const RowName& name : deciding.rows.listed(Row::space, tenant_of_queues, *each)) {
      if (left == 0) return;
      const auto* const work = deciding.rows.row<Row>(name.tenant, name.key);
      // A call of this batch may have had it before.
      if (work == nullptr || !may_be_leased(work->lease, deciding.now) ||
          work->index(name.key).parent != *each)
        continue;
      if (!take(*work)) return;
      --left;
    }
  }
}

/// Shows `lost` each row among those that are due whose lease ended without a word, with its key. A
/// call of the batch may have ended or renewed it.
template <typename Row, typename Lost>
void each_lost(const WorkingSet& rows, const Due& due, Instant now, const Lost& lost) {
  for (const RowName& name : due.rows) {
    if (name.space != Row::space) continue;
    const auto* const work = rows.row<Row>(name.tenant, name.key);
    if (work != nullptr && is_lost(work->lease, now)) lost(*work, name.key);
  }
}

// What records do to rows.

template <typename Row>
[[nodiscard]] const Row* find_in_queues(const RowWriter& rows, std::string_view key) {
  return row_of<Row>(rows.find(name_in_queues<Row>(key)));
}

template <typename Row>
void put_in_queues(const Record& record, RowWriter& rows, std::string_view key, Row row) {
  rows.put(name_in_queues<Row>(key), {std::make_shared<const Row>(std::move(row)), record.seq});
}

/// Gives away all that a record says was leased, or nothing: false where it names work that is not
/// there. `key_in` finds the key in an id.
template <typename Row>
[[nodiscard]] bool apply_leased(const Record& record, RowWriter& rows, const Leased& said,
                                std::string_view (*key_in)(std::string_view id)) {
  const auto is_there = [&](const Leased::Item& each) {
    return find_in_queues<Row>(rows, key_in(each.id)) != nullptr;
  };
  if (!std::all_of(said.items.begin(), said.items.end(), is_there)) return false;
  for (const Leased::Item& each : said.items) {
    const std::string_view key = key_in(each.id);
    Row work = *find_in_queues<Row>(rows, key);
    take_lease(work.lease, said, each);
    put_in_queues(record, rows, key, std::move(work));
  }
  return true;
}

}  // namespace holdfast::leased_work
