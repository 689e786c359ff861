#include "store/sqlite/state/load.hpp"

#include <algorithm>

namespace holdfast::sqlite {
namespace {

/// How much lapsed quantity the batch can need of any one resource.
struct Need {
  std::int64_t quantity = 0;  ///< of all its placings together
  bool all = false;           ///< a capacity changes: nobody knows
};

Need need_of(const Keys& keys) {
  Need need;
  for (const Request* request : keys.requests) {
    const Command& command = request->command();
    if (command.operation == Operation::resource_declare) need.all = true;
    if (command.operation != Operation::hold_place) continue;
    const std::int64_t quantity = std::clamp(command.quantity, std::int64_t{0}, quantity_max);
    need.quantity = std::min(need.quantity + quantity, quantity_max);
  }
  return need;
}

class Loader {
 public:
  Loader(const Resident& resident, Unit& unit, Need need)
      : resident_(resident), unit_(unit), need_(need) {}

  void request(const Request& request) {
    if (const auto token = resident_.tokens().find(request.key)) {
      unit_.rows.load_token(request.key, *token);
      hold(token->hold_ordinal);
    }
    if (!request.call.nonce.empty()) {
      if (const auto spent = resident_.nonces().find(request.nonce_key)) {
        unit_.rows.load_nonce(request.nonce_key, *spent);
      }
    }
    const Command& command = request.command();
    hold(command.hold.ordinal);
    if (!command.resource.empty()) resource({request.tenant(), command.resource});
  }

  void due(std::size_t most) {
    if (most == 0) return;
    resident_.holds().for_each_due(unit_.now, [&](std::uint64_t ordinal) {
      hold(ordinal);
      unit_.due.push_back(ordinal);
      return unit_.due.size() < most;
    });
  }

 private:
  void hold(std::uint64_t ordinal) {
    if (const auto row = resident_.hold(ordinal)) unit_.rows.load_hold(*row);
  }

  void resource(const ScopedName& key) {
    const ResourceSlot* slot = resident_.resource(key.tenant, key.name);
    if (slot == nullptr || unit_.rows.has_resource(key)) return;
    ResourceRow row{.capacity = slot->capacity, .occupied = slot->occupied, .lapsed = {}};
    std::int64_t missing = slot->occupied - slot->capacity + need_.quantity;
    HoldTable::for_each_lapsed(*slot, unit_.now, [&](std::uint64_t ordinal) {
      if (missing <= 0 && !need_.all) return false;
      hold(ordinal);
      row.lapsed.push_back(ordinal);
      missing -= resident_.holds().hold(ordinal)->quantity;
      return true;
    });
    unit_.rows.load_resource(key, std::move(row));
  }

  const Resident& resident_;
  Unit& unit_;
  const Need need_;
};

}  // namespace

void load(const Resident& resident, const Keys& keys, Unit& unit) {
  unit.rows.reserve(keys.requests.size());
  Loader loader(resident, unit, need_of(keys));
  for (const Request* request : keys.requests) loader.request(*request);
  loader.due(keys.due_max);
}

}  // namespace holdfast::sqlite
