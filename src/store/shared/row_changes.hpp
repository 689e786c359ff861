#pragma once

#include <map>

#include "store/shared/driver.hpp"
#include "store/store.hpp"

/// Rows of modules: what a batch does to them, and how they are read.
namespace holdfast::shared {

/// Collects what a batch's records do to rows of modules.
class RowChanges final : public RowWriter {
 public:
  RowChanges(const Wanted& wanted, const Loaded& loaded);
  [[nodiscard]] const ModuleRow* find(const RowName& name) const override;
  void put(const RowName& name, ModuleRow row) override;
  void put_new(const RowName& name, ModuleRow row) override;
  [[nodiscard]] bool remove(const RowName& name) override;
  void finish(Changes& changes) const;

 private:
  void keep(const KeptRow& row);
  [[nodiscard]] bool was_wanted(const RowName& name) const;

  struct Kept {
    ModuleRow row;          ///< without a value: there is none any more
    std::uint64_t was = 0;  ///< its version in the database; 0: there is none
    bool changed = false;
  };

  const std::vector<OwnedRowName>& wanted_;
  std::map<OwnedRowName, Kept, RowNameOrder> rows_;
};

/// Loads the rows that are due into a batch's, and names them, earliest first.
[[nodiscard]] std::vector<RowName> load_due(Loaded& loaded, std::size_t due_max, WorkingSet& rows);

/// The fault of a row that is not what its module wrote; nothing if there is none.
[[nodiscard]] std::optional<Fault> broken_row(const Loaded& loaded);

class Pool;
[[nodiscard]] StoreResult<Page<RowFound>> read_rows(Pool& readers, const Driver& driver,
                                                    std::string_view tenant, const RowQuery& query);
[[nodiscard]] StoreResult<ListSizes> read_list_sizes(Pool& readers, const Driver& driver,
                                                     std::string_view tenant, RowSpace space);

}  // namespace holdfast::shared
