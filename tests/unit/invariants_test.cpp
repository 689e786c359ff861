#include "domain/invariants.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <set>

#include "modules/commands/commands.hpp"
#include "support/journals/planted.hpp"
#include "support/rules.hpp"

namespace holdfast::test {
namespace {

using ::testing::Contains;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAreArray;

AuditReport audit(const std::vector<Record>& records) {
  Audit judge{short_rules()};
  for (const Record& record : records) judge.see(record);
  return judge.finish();
}

std::set<std::string> broken(const AuditReport& report) {
  std::set<std::string> ids;
  for (const Violation& each : report.violations) ids.emplace(each.invariant);
  return ids;
}

std::string words(const AuditReport& report) {
  std::string all;
  for (const Violation& each : report.violations) {
    all += fmt::format("{} at record {}: {}\n", each.invariant, each.seq, each.text);
  }
  return all;
}

TEST(Invariants, nothing_is_wrong_with_nothing) {
  const AuditReport report = audit({});
  EXPECT_TRUE(report.clean());
  EXPECT_EQ(report.records, 0U);
}

TEST(Invariants, a_good_history_is_clean_and_puts_every_invariant_to_the_test) {
  const AuditReport report = audit(good_history().records);
  EXPECT_TRUE(report.clean()) << words(report);
  EXPECT_EQ(report.records, 23U);
  EXPECT_EQ(report.holds, 5U);
  EXPECT_EQ(report.tokens, 16U);
  EXPECT_EQ(report.resources, 3U);
  for (std::size_t i = 0; i < invariant_count; ++i) {
    EXPECT_GT(report.checked[i], 0U) << invariant_table[i].id;
    EXPECT_EQ(report.broken[i], 0U) << invariant_table[i].id;
  }
}

TEST(Invariants, commands_put_those_of_their_module_to_the_test) {
  const AuditReport report = audit(history_of_commands().records);
  EXPECT_TRUE(report.clean()) << words(report);
  for (std::size_t i = 0; i < invariants().size(); ++i) {
    if (!invariants()[i].id.starts_with("CMD-")) continue;
    EXPECT_GT(report.checked[i], 0U) << invariants()[i].id;
  }
}

TEST(Invariants, subscriptions_put_those_of_their_module_to_the_test) {
  const AuditReport report = audit(history_of_subscriptions().records);
  EXPECT_TRUE(report.clean()) << words(report);
  for (std::size_t i = 0; i < invariants().size(); ++i) {
    if (invariants()[i].id.starts_with("SUB-")) {
      EXPECT_GT(report.checked[i], 0U) << invariants()[i].id;
    }
  }
}

TEST(Invariants, each_has_a_planted_violation) {
  std::set<std::string> shown;
  for (const Planted& planted : planted_violations()) shown.insert(planted.broken.front());
  for (const InvariantRow& row : invariant_table) EXPECT_THAT(shown, Contains(std::string(row.id)));
  for (const InvariantRow& row : commands::module.invariants)
    EXPECT_THAT(shown, Contains(std::string(row.id)));
}

class InvariantsPlanted : public ::testing::TestWithParam<Planted> {};

TEST_P(InvariantsPlanted, is_reported_with_what_it_breaks_and_nothing_else) {
  const AuditReport report = audit(GetParam().history.records);
  EXPECT_THAT(broken(report), UnorderedElementsAreArray(GetParam().broken)) << words(report);
  EXPECT_EQ(report.violations.size(), report.violations_total);
}

INSTANTIATE_TEST_SUITE_P(Each, InvariantsPlanted, ::testing::ValuesIn(planted_violations()),
                         [](const auto& planted) { return planted.param.name; });

TEST(Invariants, a_violation_names_its_record_and_its_hold) {
  History h;
  const HoldId id = h.place("p", {.resource = "room_307", .requester = "g91", .duration = 1h});
  h.release("r", id);
  h.release("r2", id);
  const AuditReport report = audit(h.records);
  ASSERT_THAT(report.violations, SizeIs(3));  // PC-3, CAP-2, and IR-5 for PC-3
  for (const Violation& each : report.violations) {
    EXPECT_EQ(each.seq, 3U);
    EXPECT_EQ(each.hold, id.text());
  }
  EXPECT_THAT(report.violations,
              Contains(Field(&Violation::text, HasSubstr("released after it was released"))));
  EXPECT_THAT(report.violations, Contains(Field(&Violation::text, HasSubstr("PC-3 (1)"))));
}

TEST(Invariants, of_many_violations_all_are_counted_and_some_kept) {
  History h;
  const HoldId id = h.place("p", {.resource = "room_307", .requester = "g91", .duration = 1h});
  for (int i = 0; i < 1000; ++i) h.confirm("c" + std::to_string(i), id);
  const AuditReport report = audit(h.records);
  EXPECT_EQ(report.broken[2], 999U);  // PC-3
  EXPECT_EQ(report.violations_total, 999U + 1U);
  EXPECT_THAT(report.violations, SizeIs(violations_kept + 1));
}

TEST(Invariants, the_same_number_twice_is_a_missing_record_too) {
  History h;
  h.declare("d", "ward", 3);
  h.declare("d2", "ward", 4);
  h.last().seq = 1;
  EXPECT_EQ(broken(audit(h.records)), (std::set<std::string>{"PC-10", "IR-5"}));
}

TEST(Invariants, lapsed_holds_make_room_at_their_very_instant_even_if_nobody_said_so) {
  History h;
  const HoldId id = h.place("p", room);
  h.wait(1h);
  h.place("p2", room);
  h.sweep(id);
  EXPECT_TRUE(audit(h.records).clean());
}

TEST(Invariants, windows_are_those_of_the_first_recordings_operation) {
  Rules rules = short_rules();
  rules.policies[Operation::hold_place].window = 1min;
  const auto judge = [&](Duration pause) {
    History h;
    h.place("p", {.resource = "room_307", .requester = "g91", .duration = 1h});
    h.wait(pause);
    h.collide(1);
    Audit audit(rules);
    for (const Record& record : h.records) audit.see(record);
    return audit.finish().clean();
  };
  EXPECT_TRUE(judge(1min - 1us));
  EXPECT_FALSE(judge(1min));
}

/// Picks among the ordinary, the edges and the absurd.
class Nonsense {
 public:
  explicit Nonsense(std::uint64_t seed) : random_(seeded_random(seed)) {}

  Record record() {
    Record record;
    record.seq = below(10) == 0 ? number() : ++seq_;
    record.kind = static_cast<RecordKind>(below(11));
    record.at = instant();
    record.tenant = text();
    record.principal = text();
    record.operation = static_cast<Operation>(below(8));
    record.token = text();
    record.digest.bytes[0] = static_cast<std::uint8_t>(below(3));
    if (below(2) == 0) record.rejection = static_cast<Rejection>(below(24));
    record.reason = static_cast<Reason>(below(256));
    record.hold = {below(2) == 0 ? below(20) : number(), below(2) == 0 ? 0 : number()};
    record.resource = text();
    record.requester = text();
    record.quantity = static_cast<std::int64_t>(number());
    record.expires_at = instant();
    record.capacity = static_cast<std::int64_t>(number());
    record.ref = below(2) == 0 ? below(seq_ + 2) : number();
    record.count = static_cast<std::int64_t>(number());
    record.first_at = instant();
    return record;
  }

 private:
  std::uint64_t bits() {
    std::array<std::uint8_t, 8> bytes{};
    random_->fill(bytes);
    std::uint64_t number = 0;
    for (const std::uint8_t byte : bytes) number = number << 8U | byte;
    return number;
  }
  std::uint64_t below(std::uint64_t end) { return bits() % end; }
  std::uint64_t number() {
    constexpr std::array<std::uint64_t, 8> edges{0,
                                                 1,
                                                 2,
                                                 std::uint64_t{1} << 53U,
                                                 std::uint64_t{1} << 60U,
                                                 std::uint64_t{1} << 63U,
                                                 (std::uint64_t{1} << 63U) - 1,
                                                 ~std::uint64_t{0}};
    const std::uint64_t which = below(edges.size() + 4);
    return which < edges.size() ? edges.at(which) : bits() >> below(64);
  }
  Instant instant() { return Instant(Duration(static_cast<std::int64_t>(number()))); }
  std::string text() {
    constexpr std::array<std::string_view, 6> texts{"", "a", "b", "\xff\x01", " ", "ä"};
    const std::uint64_t which = below(texts.size() + 1);
    return which < texts.size() ? std::string(texts.at(which)) : std::string(2000, 'x');
  }

  std::shared_ptr<Random> random_;
  std::uint64_t seq_ = 0;
};

TEST(Invariants, no_nonsense_can_make_the_audit_fail) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Nonsense nonsense(seed);
    Audit judge{short_rules()};
    for (int i = 0; i < 2000; ++i) judge.see(nonsense.record());
    const AuditReport report = judge.finish();
    EXPECT_EQ(report.records, 2000U);
    EXPECT_FALSE(report.clean());
    EXPECT_LE(report.violations.size(), violations_kept * invariant_count);
  }
}

}  // namespace
}  // namespace holdfast::test
