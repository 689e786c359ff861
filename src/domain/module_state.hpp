#pragma once

#include <boost/unordered/unordered_map.hpp>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "domain/module_rows.hpp"

/// Rows of modules in memory: what stores that keep their state there have of them.
namespace holdfast {

/// A row's place in the list of its parent.
struct RowPlace {
  std::int64_t position = 0;
  std::string key;
  friend auto operator<=>(const RowPlace&, const RowPlace&) = default;
};

struct RowFound {
  RowPlace place;
  ModuleRow row;
};

/// Which rows of a list: those after that place, up to that position, in order.
struct RowRange {
  RowSpace space{};
  std::string_view tenant;
  std::string_view parent;
  std::optional<RowPlace> after{};
  std::int64_t last_position = INT64_MAX;
  std::size_t limit = 1;
};

/// Lists of one kind of rows that have any, each with how many, in no order.
struct ListSize {
  std::string parent;
  std::uint64_t rows = 0;
};
using ListSizes = std::vector<ListSize>;

struct DueRow {
  Instant due;
  RowName name;  ///< good until the row's state changes
};

/// The rows of one module. A module may bring a class of its own, more compact for what is live.
/// Changed by one thread at a time, while nobody reads.
class ModuleState : public RowWriter {
 public:
  [[nodiscard]] virtual std::vector<RowFound> list(const RowRange& range) const = 0;
  [[nodiscard]] virtual ListSizes list_sizes(std::string_view tenant, RowSpace space) const = 0;
  /// Rows due by then, earliest first, at most so many.
  [[nodiscard]] virtual std::vector<DueRow> due(Instant until, std::size_t limit) const = 0;
  [[nodiscard]] virtual std::size_t bytes() const = 0;
};

/// The reference, and what modules have that bring none. Keeps every row.
class RowTable final : public ModuleState {
 public:
  [[nodiscard]] const ModuleRow* find(const RowName& name) const override;
  void put(const RowName& name, ModuleRow row) override;
  [[nodiscard]] bool remove(const RowName& name) override;
  [[nodiscard]] std::vector<RowFound> list(const RowRange& range) const override;
  [[nodiscard]] ListSizes list_sizes(std::string_view tenant, RowSpace space) const override;
  [[nodiscard]] std::vector<DueRow> due(Instant until, std::size_t limit) const override;
  [[nodiscard]] std::size_t bytes() const override { return bytes_; }

 private:
  struct Entry {
    ModuleRow row;
    RowIndex index;
  };
  using Rows = boost::unordered_map<OwnedRowName, Entry, RowNameHash, SameRowName>;
  using Parent = std::tuple<RowSpace, std::string, std::string>;  // tenant, parent

  void drop(Rows::const_iterator row);
  [[nodiscard]] static std::size_t bytes_of(const RowName& name) {
    return sizeof(Rows::value_type) + name.tenant.size() + name.key.size();
  }

  Rows rows_;
  std::map<Parent, std::map<RowPlace, const Entry*>> lists_;
  std::set<std::pair<Instant, RowName>> due_;  // names are those of rows_
  std::size_t bytes_ = 0;
};

/// The rows of all modules, each in a state of its own.
class ModuleStates final : public RowWriter {
 public:
  /// `own`: modules that bring a class of their own are given it.
  explicit ModuleStates(bool own);

  [[nodiscard]] const ModuleRow* find(const RowName& name) const override;
  void put(const RowName& name, ModuleRow row) override;
  [[nodiscard]] bool remove(const RowName& name) override;
  [[nodiscard]] std::vector<RowFound> list(const RowRange& range) const;
  [[nodiscard]] ListSizes list_sizes(std::string_view tenant, RowSpace space) const;
  [[nodiscard]] std::vector<DueRow> due(Instant until, std::size_t limit) const;
  [[nodiscard]] std::optional<Instant> next_due() const;
  [[nodiscard]] std::size_t bytes() const;

 private:
  struct Place {
    RowSpace space{};
    ModuleState* state = nullptr;
  };
  [[nodiscard]] ModuleState& of(RowSpace space) const;

  std::vector<std::unique_ptr<ModuleState>> states_;
  std::vector<Place> places_;  // one for each kind of row
};

}  // namespace holdfast
