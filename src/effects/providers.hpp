#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "effects/circuit.hpp"

namespace holdfast::effects {

/// How things stand with one provider, on this node.
struct ProviderState {
  std::string name;
  std::size_t concurrency_max = 64;
  Duration lease = std::chrono::seconds(30);  ///< the longest of its commands'
  Circuit circuit{};
  std::size_t in_flight = 0;
  bool leasing = false;  ///< a lease has been asked for and not answered
  bool woken = true;     ///< there may be something to lease; not, since a lease had fewer
  Time not_before{};     ///< it asked to be left alone until then

  /// How many effects may be leased now.
  [[nodiscard]] std::size_t room(Time now) const;
};

/// Every provider whose effects a dispatcher sees to, by name: those that the registry in force
/// names, and those that one before it did. One thread at a time.
class Providers {
 public:
  /// What does effects here; of those that none of them does nothing is leased.
  explicit Providers(Performers performers) : performers_(std::move(performers)) {}

  /// Takes over limits and names, where that is another registry.
  void follow(const std::shared_ptr<const commands::Registry>& registry);
  /// Null: no registry ever named it.
  [[nodiscard]] ProviderState* find(std::string_view name);
  void wake_all();
  using ByName = std::map<std::string, ProviderState, std::less<>>;
  [[nodiscard]] const ByName& all() const { return states_; }

  /// Those of which something may be leased now.
  [[nodiscard]] std::vector<ProviderState*> with_room(Time now);

 private:
  [[nodiscard]] bool is_ours(const commands::Effect& effect) const;

  const Performers performers_;
  std::shared_ptr<const commands::Registry> registry_;
  ByName states_;
};

}  // namespace holdfast::effects
