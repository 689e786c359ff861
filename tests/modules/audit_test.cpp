// A module's invariants are judged with ours: by its books, and by its views on every engine.

#include <fmt/format.h>

#include "domain/invariants.hpp"
#include "modules/module_calls.hpp"
#include "store/open.hpp"
#include "support/journals/audit.hpp"
#include "support/journals/journal_file.hpp"
#include "support/servers/sql_connection.hpp"
#include "support/stores/store_test.hpp"

namespace holdfast::test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

std::vector<Record> counted(Harness& on) {
  on.submit(add("g/a \"1\"", 3, "a", 1min));
  on.submit(add("g/a \"2\"", 1, "b"));
  on.submit(add("g/a \"1\"", 4, "c", 1min));
  on.advance(2min);
  on.sweep();
  on.submit(add("g/a \"1\"", 5, "d"));
  on.submit(place(room, "e"));
  return all_records(on.store());
}

/// The record says that one more was added than was.
void plant(Record& record) {
  auto said = *object_in<counter::Said>(record.detail);
  ++said.then.value;
  record.detail = object_text(said);
}

TEST(ModuleInvariants, are_listed_after_those_of_the_core) {
  ASSERT_GT(invariants().size(), invariant_table.size());
  EXPECT_EQ(invariants().back().id, "CNT-1");
}

TEST(ModuleInvariants, hold_of_what_was_counted) {
  Harness on("memory");
  JournalFile file;
  file.write(counted(on));
  EXPECT_THAT(file.broken_by_audit(), IsEmpty());
  EXPECT_THAT(file.broken_by_views(), IsEmpty());
}

TEST(ModuleInvariants, planted_violations_are_found_by_books_and_view) {
  for (const std::size_t at : {0U, 2U, 3U, 4U}) {  // additions, and a reset
    Harness on("memory");
    std::vector<Record> records = counted(on);
    plant(records[at]);
    JournalFile file;
    file.write(records);
    EXPECT_THAT(file.broken_by_audit(), ElementsAre("CNT-1")) << at;
    EXPECT_THAT(file.broken_by_views(), ElementsAre("CNT-1")) << at;
  }
}

TEST(ModuleInvariants, what_names_no_counter_is_found_by_the_books_and_fails_no_view) {
  for (const char* detail : {"", "{}", "no JSON", "{\"name\":5}"}) {
    Harness on("memory");
    std::vector<Record> records = counted(on);
    records[2].detail = detail;
    JournalFile file;
    file.write(records);
    EXPECT_THAT(file.broken_by_audit(), Contains("CNT-1")) << detail;
    (void)file.broken_by_views();
  }
}

class ModuleViews : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(on, ModuleViews, testing::Values("postgres", "mariadb"),
                         [](const auto& engine) { return engine.param; });

TEST_P(ModuleViews, find_what_was_planted) {
  Harness on(GetParam());
  std::vector<Record> records = counted(on);
  SqlConnection sql(on.name());
  EXPECT_THAT(sql.execute("SELECT seq FROM audit_cnt_1"), IsEmpty());
  plant(records[2]);
  std::string hex;
  for (const char each : records[2].detail)
    hex += fmt::format("{:02x}", static_cast<unsigned char>(each));
  const std::string bytes =
      GetParam() == "postgres" ? "decode('" + hex + "', 'hex')" : "x'" + hex + "'";
  (void)sql.execute("UPDATE journal SET detail = " + bytes + " WHERE seq = 3");
  EXPECT_THAT(sql.execute("SELECT seq FROM audit_cnt_1"), ElementsAre(SqlRow{"3"}));
}

}  // namespace
}  // namespace holdfast::test
