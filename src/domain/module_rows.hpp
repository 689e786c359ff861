#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>

#include "base/json_writer.hpp"
#include "domain/record.hpp"

/// The rows of modules. Stores carry them without knowing them: of a row they see its name, the
/// record that made it what it is, where it stands in lists, and its value as JSON. What a row
/// means, and how a record changes it, is its module's.
namespace holdfast {

/// Whose rows they are, and what: the module's number times 100, plus one of its own. It is stored,
/// and so stable for ever.
enum class RowSpace : std::uint16_t {};

struct RowName {
  RowSpace space{};
  std::string_view tenant;
  std::string_view key;  ///< at most `name_bytes_max`
  friend auto operator<=>(const RowName&, const RowName&) = default;
};

/// Where a row stands besides under its name.
struct RowIndex {
  std::string parent{};  ///< the list it is in; empty: none
  /// Its place there; rows of one place are in order of their keys. Where rows are asked for that
  /// are ready, it is the instant from which they are, in microseconds.
  std::int64_t position = 0;
  std::optional<Instant> due{};  ///< when the clock alone makes something of it; unset: never
};

/// One kind of row, whole: how it is kept and found.
struct RowKind {
  RowSpace space{};
  std::string_view name;
  /// Canonical JSON, an object. Numbers beyond 2^53 are text in it.
  void (*write)(const void* row, JsonWriter& json) = nullptr;
  /// What `write` wrote; null for anything else.
  std::shared_ptr<const void> (*read)(std::string_view json) = nullptr;
  RowIndex (*index)(std::string_view key, const void* row) = nullptr;
};

/// A row as it stands. Values never change: whoever changes a row puts another in its place.
struct ModuleRow {
  std::shared_ptr<const void> value;
  std::uint64_t version = 0;  ///< the record that made it so
};

/// What a module changes its rows through: the rows of a batch, or those of a store.
class RowWriter {
 public:
  virtual ~RowWriter() = default;
  /// Null if there is none. Good until the next change.
  [[nodiscard]] virtual const ModuleRow* find(const RowName& name) const = 0;
  virtual void put(const RowName& name, ModuleRow row) = 0;
  /// The same of a row that cannot be there, because its key is made of its record's number: nobody
  /// has to look for it.
  virtual void put_new(const RowName& name, ModuleRow row) { put(name, std::move(row)); }
  /// Afterwards there is no such row, until one is put again. False if there was none.
  [[nodiscard]] virtual bool remove(const RowName& name) = 0;
};

/// What a record does to the rows of its module, if its kind changes rows. Returns why it can do
/// nothing, since one that was altered may say anything; empty when it is done.
[[nodiscard]] std::string_view change_rows(const Record& record, RowWriter& rows);

/// The kind of a row; null if no module has such rows.
[[nodiscard]] const RowKind* find_row_kind(RowSpace space);
/// Every kind of row there is: where there is none, stores need not look for any.
[[nodiscard]] std::span<const RowKind* const> row_kinds();

/// The name of a row that owns its parts, and the order of rows by name.
struct OwnedRowName {
  RowSpace space{};
  std::string tenant;
  std::string key;
  explicit OwnedRowName(const RowName& name)
      : space(name.space), tenant(name.tenant), key(name.key) {}
  // NOLINTNEXTLINE(google-explicit-constructor): a view of itself
  operator RowName() const { return {space, tenant, key}; }
};

struct RowNameOrder {
  using is_transparent = void;
  bool operator()(const RowName& a, const RowName& b) const { return a < b; }
};

/// The hash of a row's name. It is keyed, so that nobody can choose names that meet.
struct RowNameHash {
  using is_transparent = void;
  std::size_t operator()(const RowName& name) const;
};

struct SameRowName {
  using is_transparent = void;
  bool operator()(const RowName& a, const RowName& b) const { return a == b; }
};

/// The rows of one parent that are ready: their position is not after the batch's instant. The
/// first so many, in order of position and key.
struct RowList {
  RowSpace space{};
  std::string_view tenant;
  std::string_view parent;
  std::size_t limit = 1;
};

// By the type of a row, which has `static constexpr RowSpace space`.

template <typename Row>
[[nodiscard]] const Row* row_of(const ModuleRow* row) {
  return row == nullptr ? nullptr : static_cast<const Row*>(row->value.get());
}

template <typename Row>
[[nodiscard]] const Row* find_row(const RowWriter& rows, const Record& record,
                                  std::string_view key) {
  return row_of<Row>(rows.find({Row::space, record.tenant, key}));
}

template <typename Row>
void put_row(RowWriter& rows, const Record& record, std::string_view key, Row row) {
  rows.put({Row::space, record.tenant, key},
           {std::make_shared<const Row>(std::move(row)), record.seq});
}

/// `Row` also has `void write(JsonWriter&) const`, `static std::optional<Row> read(string_view)`
/// and `RowIndex index(std::string_view key) const`. Rows that have a table of their members need
/// only the last: see `member_row`.
template <typename Row>
[[nodiscard]] constexpr RowKind row_kind(std::string_view name) {
  return {
      .space = Row::space,
      .name = name,
      .write = [](const void* row, JsonWriter& json) { static_cast<const Row*>(row)->write(json); },
      .read = [](std::string_view json) -> std::shared_ptr<const void> {
        auto row = Row::read(json);
        return row ? std::make_shared<const Row>(std::move(*row)) : nullptr;
      },
      .index = [](std::string_view key,
                  const void* row) { return static_cast<const Row*>(row)->index(key); }};
}

}  // namespace holdfast
