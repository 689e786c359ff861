// What is made from the description of a record is what it was before there was one: rows,
// checksums and leaves of stores and heads that are out there.

#include "domain/record_layout.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "evidence/leaf.hpp"
#include "store/checksum.hpp"
#include "store/journal_row.hpp"
#include "support/journals/history.hpp"

namespace holdfast::test {
namespace {

/// Numbers that look like chance and are always the same.
class Chance {
 public:
  std::uint64_t next() {
    state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
    return state_ >> 20U;
  }
  std::uint64_t below(std::uint64_t bound) { return next() % bound; }
  std::int64_t small(std::uint64_t bound) { return static_cast<std::int64_t>(below(bound)); }
  std::string text() {
    std::string text;
    for (std::uint64_t left = below(5); left > 0; --left) text += static_cast<char>(below(256));
    return text;
  }

 private:
  std::uint64_t state_ = 1;
};

// As many as there were when this was first made.
constexpr std::uint64_t rejections_then = 23;
constexpr std::uint64_t reasons_then = 15;

/// Whatever the members can hold, whether or not it makes sense together.
Record arbitrary(Chance& chance) {
  Record record;
  record.seq = chance.next();
  record.kind = static_cast<RecordKind>(1 + chance.below(8));
  record.at = Instant(Duration(static_cast<std::int64_t>(chance.next()) - (std::int64_t{1} << 40)));
  record.tenant = chance.text();
  record.principal = chance.text();
  record.operation = static_cast<Operation>(chance.below(6));
  record.token = chance.text();
  record.nonce = chance.text();
  for (std::uint8_t& each : record.digest.bytes) each = static_cast<std::uint8_t>(chance.next());
  const std::uint64_t rejection = chance.below(rejections_then + 1);
  if (rejection != 0) record.rejection = rejection_table.at(rejection - 1).id;
  record.reason = static_cast<Reason>(chance.below(reasons_then));
  if (chance.below(2) == 1) {
    record.hold.ordinal = chance.next();
    record.hold.salt = chance.next();
  }
  record.resource = chance.text();
  record.requester = chance.text();
  record.quantity = chance.small(3);
  record.expires_at = Instant(Duration(chance.small(3)));
  record.capacity = chance.small(4);
  record.ref = chance.below(4);
  record.count = chance.small(3);
  record.first_at = Instant(Duration(chance.small(3) * 1000));
  return record;
}

/// A row as text: the columns that there were before schema 3, which put its own behind them.
struct RowText {
  static constexpr int columns_before = 22;
  std::string text;
  void number(int column, std::optional<std::int64_t> value) {
    text += fmt::format("{}={};", column, value ? std::to_string(*value) : "NULL");
  }
  void bytes(int column, std::string_view value) {
    if (column < columns_before || !value.empty()) text += fmt::format("{}={};", column, value);
  }
};

/// What is made of records.
struct Made {
  std::uint64_t chain = 0;
  std::string rows;
  std::string leaves;

  void add(const Record& record) {
    chain = checksum(chain, record);
    RowText row;
    journal::write(row, record, chain);
    rows += row.text + "\n";
    std::optional<Digest> on_record;
    if (record.kind == RecordKind::collided) on_record = record.digest;
    JsonWriter json(leaves);
    evidence::write_leaf(json, record, evidence::hashes_of(record, on_record));
    leaves += "\n";
  }
};

TEST(RecordLayout, makes_what_was_made_of_a_history_before) {
  Made made;
  for (const Record& each : good_history().records) made.add(each);
  EXPECT_EQ(made.chain, 0x39c1d24b77d09061U);
  EXPECT_EQ(sha256(made.rows).hex(),
            "e8339312b956756a514969242ebd31ee0cf80a2bfcac1b0af31da1af118e9f86");
  EXPECT_EQ(sha256(made.leaves).hex(),
            "79142b952228a62f7742953abe12a81dcaae14f4b38e73c0cbfc11b8dd47d0db");
}

TEST(RecordLayout, makes_what_was_made_of_any_record_before) {
  Made made;
  Chance chance;
  for (int i = 0; i < 2000; ++i) made.add(arbitrary(chance));
  EXPECT_EQ(made.chain, 0x34118abdaec9b792U);
  EXPECT_EQ(sha256(made.rows).hex(),
            "d5b15494ddaa6c1e6a3c3555eef7551536ef61b580b4566277b46144f5e602c9");
  EXPECT_EQ(sha256(made.leaves).hex(),
            "08b904de9b939569a7aef2010f29d46294b3e7af8e22c6964885d5bc6447df93");
}

/// A row as a store gives it back.
struct StoredCells {
  std::array<std::optional<std::int64_t>, layout::column_count> numbers;
  std::array<std::optional<std::string>, layout::column_count> texts;

  void number(int at, std::optional<std::int64_t> value) {
    numbers.at(static_cast<std::size_t>(at)) = value;
  }
  void bytes(int at, std::string_view value) {
    if (!value.empty()) texts.at(static_cast<std::size_t>(at)) = value;
  }
  [[nodiscard]] std::optional<std::int64_t> number(int at) const {
    return numbers.at(static_cast<std::size_t>(at));
  }
  [[nodiscard]] std::optional<std::string_view> bytes(int at) const {
    const auto& text = texts.at(static_cast<std::size_t>(at));
    return text ? std::optional<std::string_view>(*text) : std::nullopt;
  }
};

Record stored_by(Chance& chance) {
  Record record = arbitrary(chance);
  if (record.token.empty()) record.digest = {};  // neither is stored alone
  return record;
}

TEST(RecordLayout, reads_what_it_wrote) {
  Chance chance;
  for (int i = 0; i < 2000; ++i) {
    const Record record = stored_by(chance);
    StoredCells cells;
    journal::write(cells, record, 7);
    Record read;
    std::uint64_t sum = 0;
    EXPECT_TRUE(journal::read(cells, read, sum));
    EXPECT_EQ(read, record);
    EXPECT_EQ(sum, 7U);
  }
}

/// Every column in turn becomes NULL where it was not, or something where it was NULL.
TEST(RecordLayout, finds_every_null_that_was_put_in_or_taken_away) {
  Chance chance;
  for (int i = 0; i < 200; ++i) {
    const Record record = stored_by(chance);
    for (std::size_t at = 0; at < layout::column_count; ++at) {
      StoredCells cells;
      journal::write(cells, record, 7);
      const layout::Column& column = layout::columns.at(at);
      if (column.null == layout::Null::never) continue;
      if (column.is_number()) {
        cells.numbers.at(at) = cells.numbers.at(at) ? std::nullopt : std::optional<std::int64_t>(0);
      } else {
        cells.texts.at(at) = cells.texts.at(at) ? std::nullopt : std::optional<std::string>("");
      }
      Record read;
      std::uint64_t sum = 0;
      const bool as_written = journal::read(cells, read, sum);
      // What is missing altogether, the checksum tells.
      EXPECT_TRUE(!as_written || checksum(0, read) != checksum(0, record)) << column.name;
    }
  }
}

}  // namespace
}  // namespace holdfast::test
