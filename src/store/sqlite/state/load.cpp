#include "store/sqlite/state/load.hpp"

#include <algorithm>

#include "domain/answer.hpp"
#include "domain/operation.hpp"
#include "store/row_lists.hpp"

namespace holdfast::sqlite {
namespace {

/// How much lapsed quantity the batch can need of any one resource.
class Need final : public Needs {
 public:
  /// Of the request that is told next.
  void begin(std::string_view tenant) { tenant_ = tenant; }
  [[nodiscard]] std::string_view tenant() const override { return tenant_; }
  void hold(HoldId) override {}
  void group(GroupId) override {}
  void resource(std::string_view, std::int64_t quantity) override {
    quantity = std::clamp(quantity, std::int64_t{0}, quantity_max);
    quantity_ = std::min(quantity_ + quantity, quantity_max);
  }
  /// A capacity changes: nobody knows.
  void resource_in_full(std::string_view) override { all_ = true; }
  void row(RowSpace, std::string_view) override {}
  void row_of(std::string_view, RowSpace, std::string_view) override {}
  void list(const RowList&) override {}

  [[nodiscard]] std::int64_t quantity() const { return quantity_; }  ///< of all of them together
  [[nodiscard]] bool all() const { return all_; }

 private:
  std::string_view tenant_;
  std::int64_t quantity_ = 0;
  bool all_ = false;
};

void tell(const Request& request, Needs& needs) {
  if (const OperationSpec* spec = find_spec(request.command().operation()))
    spec->needs(request.command().parameters(), needs);
}

class Loader final : public Needs {
 public:
  Loader(const Resident& resident, Unit& unit, const Need& need, Told& told)
      : resident_(resident), unit_(unit), need_(need), told_(told) {}

  void request(const Request& request) {
    if (const auto token = resident_.tokens().find(request.key)) {
      hold(token->hold_ordinal);
      if (may_be_told_by_record(*token, unit_.rows.hold(token->hold_ordinal)))
        told_.push_back(request.key);
      unit_.rows.load_token(request.key, *token);
    }
    if (!request.call.nonce.empty()) {
      if (const auto spent = resident_.nonces().find(request.nonce_key)) {
        unit_.rows.load_nonce(request.nonce_key, *spent);
      }
    }
    tenant_ = request.tenant();
    tell(request, *this);
  }

  [[nodiscard]] std::string_view tenant() const override { return tenant_; }
  void hold(HoldId id) override { hold(id.ordinal); }
  void group(GroupId id) override {
    hold(id.first);
    const HoldRow* const first = unit_.rows.hold(id.first.ordinal);
    const std::uint64_t size = first == nullptr ? 0 : first->group_size;
    for (std::uint64_t i = 1; i < size; ++i) hold(id.first.ordinal + i);
  }
  void resource(std::string_view name, std::int64_t) override { resource({tenant_, name}); }
  void resource_in_full(std::string_view name) override { resource({tenant_, name}); }
  void row(RowSpace space, std::string_view key) override { (void)row({space, tenant_, key}); }
  void row_of(std::string_view tenant, RowSpace space, std::string_view key) override {
    (void)row({space, tenant, key});
  }
  void list(const RowList& list) override { lists_.emplace_back(list); }

  /// When all requests were looked at: what they want of one list is loaded together.
  void lists() {
    if (!lists_.empty()) load_lists(std::move(lists_), resident_.rows(), unit_.now, unit_.rows);
  }

  void rows(std::span<const OwnedRowName> names) {
    for (const OwnedRowName& each : names) (void)row(each);
  }

  void due(std::size_t most) {
    if (most == 0) return;
    resident_.holds().for_each_due(unit_.now, [&](std::uint64_t ordinal) {
      hold(ordinal);
      unit_.due.push_back(ordinal);
      return unit_.due.size() < most;
    });
    for (const DueRow& each : resident_.rows().due(unit_.now, most))
      unit_.due_rows.push_back(*row(each.name));
  }

 private:
  void hold(std::uint64_t ordinal) {
    if (const auto row = resident_.hold(ordinal)) unit_.rows.load_hold(*row);
  }

  std::optional<RowName> row(const RowName& name) {
    const ModuleRow* const found = resident_.rows().find(name);
    if (found == nullptr) return std::nullopt;
    return unit_.rows.load_row(name, *found);
  }

  void resource(const ScopedName& key) {
    const ResourceSlot* slot = resident_.resource(key.tenant, key.name);
    if (slot == nullptr || unit_.rows.has_resource(key)) return;
    ResourceRow row{.capacity = slot->capacity, .occupied = slot->occupied, .lapsed = {}};
    std::int64_t missing = slot->occupied - slot->capacity + need_.quantity();
    HoldTable::for_each_lapsed(*slot, unit_.now, [&](std::uint64_t ordinal) {
      if (missing <= 0 && !need_.all()) return false;
      hold(ordinal);
      row.lapsed.push_back(ordinal);
      missing -= resident_.holds().held(ordinal);
      return true;
    });
    unit_.rows.load_resource(key, std::move(row));
  }

  const Resident& resident_;
  Unit& unit_;
  const Need& need_;
  Told& told_;
  std::string_view tenant_;  // of the request that is being loaded
  std::vector<WantedList> lists_;
};

}  // namespace

Told load(const Resident& resident, const Keys& keys, Unit& unit) {
  Told told;
  unit.rows.reserve(keys.requests.size());
  Need need;
  for (const Request* request : keys.requests) {
    need.begin(request->tenant());
    tell(*request, need);
  }
  Loader loader(resident, unit, need, told);
  for (const Request* request : keys.requests) loader.request(*request);
  loader.lists();
  loader.rows(keys.rows);
  loader.due(keys.due_max);
  return told;
}

}  // namespace holdfast::sqlite
