#include "support/journals/history.hpp"

#include <algorithm>

#include "domain/operation.hpp"
#include "domain/window_change.hpp"

namespace holdfast::test {

Record& History::add(RecordKind kind) {
  const std::uint64_t seq = last_seq() + 1;
  Record& record = records.emplace_back();
  record.seq = seq;
  record.kind = kind;
  record.at = now;
  return record;
}

Record& History::add(RecordKind kind, std::string_view token, const Command& command) {
  Record& record = add(kind);
  record.tenant = caller.tenant;
  record.principal = caller.principal;
  record.operation = command.operation();
  record.token = token;
  record.digest = sha256(canonical_parameters(command));
  return record;
}

HoldId History::place(std::string_view token, const Placing& what) {
  const auto is_placed = [](const Record& each) { return each.kind == RecordKind::placed; };
  const auto before = std::count_if(records.begin(), records.end(), is_placed);
  Record& record = add(RecordKind::placed, token, Command::place(what));
  record.hold.ordinal = static_cast<std::uint64_t>(before) + 1;
  record.hold.salt = 0xabc000 + record.hold.ordinal;
  record.resource = what.resource;
  record.requester = what.requester;
  record.quantity = what.quantity;
  record.expires_at = now + what.duration;
  return record.hold;
}

void History::confirm(std::string_view token, HoldId id) {
  add(RecordKind::confirmed, token, Command::confirm(id)).hold = id;
}

void History::release(std::string_view token, HoldId id) {
  add(RecordKind::released, token, Command::release(id)).hold = id;
}

void History::expire(std::string_view token, HoldId id) {
  add(RecordKind::expired, token, Command::expire(id)).hold = id;
}

void History::change_window(Duration before, Duration window) {
  Record& record = add(RecordKind::window_changed);
  record.detail = window_record({before, window}, record.seq, now).detail;
}

void History::extend(std::string_view token, HoldId id, Duration duration) {
  Record& record =
      add(RecordKind::extended, token, Command(Extending{.hold = id, .duration = duration}));
  record.hold = id;
  record.expires_at = now + duration;
}

void History::confirm_part(std::string_view token, HoldId id, std::int64_t quantity) {
  Record& record = add(RecordKind::partly_confirmed, token,
                       Command(Confirming{.hold = id, .quantity = quantity}));
  record.hold = id;
  record.quantity = quantity;
}

void History::confirm_finally(std::string_view token, HoldId id, std::int64_t quantity) {
  Record& record = add(RecordKind::confirmed, token,
                       Command(Confirming{.hold = id, .quantity = quantity, .final = true}));
  record.hold = id;
  record.quantity = quantity;
}

void History::cancel(std::string_view token, HoldId id, std::int64_t quantity) {
  Record& record =
      add(RecordKind::cancelled, token, Command(Cancelling{.hold = id, .quantity = quantity}));
  record.hold = id;
  record.quantity = quantity;
}

GroupId History::place_group(std::string_view token, const Grouping& what) {
  const std::uint64_t outcome = last_seq() + what.holds.size() + 1;
  const Command command{Grouping(what)};
  GroupId group;
  for (const GroupItem& each : what.holds) {
    const HoldId id = place(token, {.resource = each.resource,
                                    .requester = what.requester,
                                    .duration = what.duration,
                                    .quantity = each.quantity});
    if (group.first.ordinal == 0) group.first = id;
    last().operation = Operation::group_place;
    last().digest = sha256(canonical_parameters(command));
    last().ref = outcome;
  }
  Record& record = add(RecordKind::grouped, token, command);
  record.hold = group.first;
  record.count = static_cast<std::int64_t>(what.holds.size());
  return group;
}

void History::change_group(std::string_view token, const Command& command, GroupId group,
                           const std::vector<HoldId>& held, RecordKind part, RecordKind outcome) {
  const std::uint64_t outcome_seq = last_seq() + held.size() + 1;
  for (const HoldId& each : held) {
    Record& record = add(part, token, command);
    record.hold = each;
    record.ref = outcome_seq;
    if (const auto* extending = command.as<GroupExtending>())
      record.expires_at = now + extending->duration;
  }
  Record& record = add(outcome, token, command);
  record.hold = group.first;
  record.count = static_cast<std::int64_t>(held.size());
}

void History::confirm_group(std::string_view token, GroupId group,
                            const std::vector<HoldId>& held) {
  change_group(token, Command(GroupConfirming{group}), group, held, RecordKind::confirmed,
               RecordKind::group_confirmed);
}

void History::release_group(std::string_view token, GroupId group,
                            const std::vector<HoldId>& held) {
  change_group(token, Command(GroupReleasing{group}), group, held, RecordKind::released,
               RecordKind::group_released);
}

void History::extend_group(std::string_view token, GroupId group, const std::vector<HoldId>& held,
                           Duration duration) {
  change_group(token, Command(GroupExtending{.group = group, .duration = duration}), group, held,
               RecordKind::extended, RecordKind::group_extended);
}

void History::declare(std::string_view token, std::string_view resource, std::int64_t capacity) {
  const Command command = Command::declare(std::string(resource), capacity);
  Record& record = add(RecordKind::declared, token, command);
  record.resource = resource;
  record.capacity = capacity;
}

void History::refuse(std::string_view token, const Command& command, Rejection rejection) {
  Record& record = add(RecordKind::rejected, token, command);
  record.rejection = rejection;
  record.hold = hold_named_by(command);
  if (rejection == Rejection::invalid_request) {
    record.reason = Reason::resource_blank;
    return;
  }
  if (const auto* placing = command.as<Placing>()) {
    record.resource = placing->resource;
    record.requester = placing->requester;
    record.quantity = placing->quantity;
  }
  if (const auto* confirming = command.as<Confirming>())
    record.quantity = confirming->quantity.value_or(0);
  if (const auto* cancelling = command.as<Cancelling>())
    record.quantity = cancelling->quantity.value_or(0);
  if (const auto* declaring = command.as<Declaring>()) {
    record.resource = declaring->resource;
    record.capacity = declaring->capacity;
  }
}

void History::sweep(HoldId id) {
  Record& record = add(RecordKind::expired);
  record.tenant = caller.tenant;
  record.hold = id;
}

Record& History::repeat(RecordKind kind, std::uint64_t seq) {
  const Record first = records.at(seq - 1);
  Record& record = add(kind);
  record.tenant = first.tenant;
  record.principal = first.principal;
  record.operation = first.operation;
  record.token = first.token;
  record.digest = first.digest;
  record.ref = seq;
  return record;
}

void History::replay(std::uint64_t seq) {
  Record& record = repeat(RecordKind::replayed, seq);
  record.count = 1;
  record.first_at = now;
}

void History::collide(std::uint64_t seq) {
  Record& record = repeat(RecordKind::collided, seq);
  record.digest = sha256("another request");
  record.rejection = Rejection::token_collision;
}

void History::flood(std::int64_t count, Instant first_at) {
  Record& record = add(RecordKind::replayed);
  record.count = count;
  record.first_at = first_at;
}

History good_history() {
  History h;
  h.declare("d1", "ward", 3);             // 1
  const HoldId h1 = h.place("p1", room);  // 2
  h.last().nonce = "n1";
  h.replay(2);                                                            // 3
  h.collide(2);                                                           // 4
  h.refuse("p2", Command::place(room), Rejection::resource_unavailable);  // 5
  h.wait(1min);
  h.confirm("c1", h1);                                        // 6
  h.replay(6);                                                // 7
  h.refuse("r1", Command::release(h1), Rejection::not_held);  // 8
  Placing beds{.resource = "ward", .requester = "p41", .duration = 5min, .quantity = 2};
  const HoldId h2 = h.place("p3", beds);  // 9
  beds.quantity = 1;
  const HoldId h3 = h.place("p4", beds);                                    // 10
  h.refuse("p5", Command::place(beds), Rejection::resource_unavailable);    // 11
  h.refuse("x1", Command::expire(h2), Rejection::window_not_elapsed);       // 12
  h.release("r2", h3);                                                      // 13
  h.refuse("d2", Command::declare("ward", 1), Rejection::capacity_in_use);  // 14
  const HoldId guessed{h2.ordinal, h2.salt ^ 1U};
  h.refuse("c2", Command::confirm(guessed), Rejection::not_known);  // 15
  const Placing nothing{.resource = " ", .requester = "p41", .duration = 5min};
  h.refuse("p6", Command::place(nothing), Rejection::invalid_request);  // 16
  h.wait(5min);  // h2 lapses at this very instant
  h.refuse("c3", Command::confirm(h2), Rejection::window_elapsed);  // 17
  h.sweep(h2);                                                      // 18
  beds.quantity = 3;
  beds.duration = 1min;
  const HoldId h4 = h.place("p7", beds);  // 19
  h.wait(1min);
  h.expire("x2", h4);        // 20
  h.flood(12, h.now - 30s);  // 21
  h.wait(4min);              // the window of p1 is over, that of p3 just now
  h.place("p1", {.resource = "room_308", .requester = "guest_g91", .duration = 1h});  // 22
  h.replay(9);                                                                        // 23
  h.last().count = 2;
  h.last().first_at = h.now - 1us;
  return h;
}

History changing_history() {
  History h;
  h.declare("d1", "ward", 5);  // 1
  const HoldId h1 = h.place(
      "p1", {.resource = "ward", .requester = "p41", .duration = 5min, .quantity = 4});  // 2
  h.wait(1min);
  h.extend("e1", h1, 10min);    // 3: until minute 11
  h.confirm_part("c1", h1, 1);  // 4
  h.refuse("c2", Command(Confirming{.hold = h1, .quantity = 4}),
           Rejection::quantity_exceeded);                             // 5
  h.cancel("x1", h1, 1);                                              // 6
  h.refuse("x2", Command(Cancelling{h1}), Rejection::not_confirmed);  // 7
  h.refuse("e2", Command(Extending{.hold = h1, .duration = 24h}),
           Rejection::lifetime_exceeded);  // 8
  const Grouping two{.requester = "p42", .duration = 5min, .holds = {{"ward", 1}, {"ward", 1}}};
  const GroupId g1 = h.place_group("g1", two);  // 9, 10, 11
  const HoldId h2 = g1.first;
  const HoldId h3{h2.ordinal + 1, h2.salt + 1};
  h.refuse("p2", Command::place({.resource = "ward", .requester = "q", .duration = 1min}),
           Rejection::resource_unavailable);  // 12
  h.extend_group("g2", g1, {h2, h3}, 12min);  // 13, 14, 15
  h.replay(11);                               // 16
  h.confirm("c3", h2);                        // 17
  h.release_group("g3", g1, {h3});            // 18, 19
  h.confirm_finally("c4", h1, 1);             // 20: two are released
  h.cancel("x3", h1, 1);                      // 21
  const Grouping four{.requester = "p43", .duration = 1min, .holds = {{"ward", 3}, {"ward", 1}}};
  const GroupId g2 = h.place_group("g4", four);  // 22, 23, 24
  const HoldId h4 = g2.first;
  const HoldId h5{h4.ordinal + 1, h4.salt + 1};
  h.confirm_part("c5", h4, 2);  // 25
  h.wait(1min);
  h.sweep(h4);                                                                       // 26
  h.expire("x4", h5);                                                                // 27
  h.cancel("x5", h4, 2);                                                             // 28
  const GroupId g3 = h.place_group("g5", four);                                      // 29, 30, 31
  h.confirm_group("g6", g3, {g3.first, {g3.first.ordinal + 1, g3.first.salt + 1}});  // 32, 33, 34
  h.replay(34);                                                                      // 35
  return h;
}

History history_of_windows() {
  History h;
  h.declare("d", "ward", 9);
  h.place("a", {.resource = "ward", .requester = "p41", .duration = 5h});
  h.wait(9min);
  h.place("b", {.resource = "ward", .requester = "p42", .duration = 5h});
  h.replay(2);
  h.wait(1min - 1us);
  h.change_window(10min, 1h);  // "a" has a microsecond left
  h.wait(50min);
  h.replay(2);
  h.collide(3);
  h.wait(1us);
  h.place("a", {.resource = "ward", .requester = "p43", .duration = 5h});  // its hour is over
  h.wait(1min);
  h.change_window(1h, 2min);  // "b" is forgotten: it is 52 minutes old
  h.place("b", {.resource = "ward", .requester = "p44", .duration = 5h});
  h.wait(1min - 1us);
  h.replay(8);
  h.wait(1us);
  h.place("a", {.resource = "ward", .requester = "p45", .duration = 5h});
  h.wait(1min);
  h.change_window(2min, 10min);  // the second "b" was two minutes old, and is gone
  h.place("b", {.resource = "ward", .requester = "p46", .duration = 5h});
  h.replay(12);
  h.replay(1);  // its operation keeps tokens for ever, whatever the store does
  h.wait(9min - 1us);
  h.replay(12);
  return h;
}

}  // namespace holdfast::test
