#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "leased_work/details.hpp"
#include "modules/commands/command_row.hpp"
#include "modules/commands/effect_row.hpp"

/// What the records of commands say in their `detail`, each a type with its canonical JSON.
namespace holdfast::commands {

/// accepted, executed, rejected: the command, as it stands then, and its effect, if one is to come.
///
/// Views in SQL look for the first member of a name. So `id`, `fence` and `ended` stand before all
/// that a caller or a provider has a say in.
struct Submitted {
  CommandRow command;
  std::optional<EffectRow> effect{};
  std::string about{};  ///< of a rejection: what exactly is wrong, as JSON

  [[nodiscard]] std::string text() const;
  /// What the detail says by itself.
  [[nodiscard]] static std::optional<Submitted> read(std::string_view detail);
  /// All of it; null if it cannot be read.
  [[nodiscard]] static std::shared_ptr<const Submitted> of(const Record& record);
};

/// leased: the effects that were given away, as their holder is told of them.
[[nodiscard]] std::string text_of(const leased_work::Leased& said,
                                  const std::vector<const EffectRow*>& effects);
[[nodiscard]] std::optional<leased_work::Leased> read_leased(std::string_view detail);

/// renewed, postponed, reopened, lost: how an effect stands then.
struct Moved {
  std::string id;
  leased_work::LeaseState lease{};  ///< as far as records say it
  Stage stage = Stage::call;
  bool uncertain = false;
  std::string result{};

  [[nodiscard]] static Moved of(const EffectRow& effect);
  void change(EffectRow& effect) const;
  [[nodiscard]] std::string text() const;
  [[nodiscard]] static std::optional<Moved> read(std::string_view detail);
};

/// Why a command failed of whose effect nobody knows whether it took place.
inline constexpr std::string_view outcome_unknown = "outcome_unknown";

/// settled: how the command ended, and why.
struct Settled {
  std::string id;
  Status status = Status::executed;
  std::string reason{};   ///< of a failure
  std::string outcome{};  ///< JSON
  bool had_effect = true;
  std::uint64_t fence = 0;

  [[nodiscard]] std::string text() const;
  [[nodiscard]] static std::optional<Settled> read(std::string_view detail);
};

/// approved
struct Approved {
  ApprovalRow approval;

  [[nodiscard]] std::string text() const;
  [[nodiscard]] static std::optional<Approved> read(std::string_view detail);
};

/// The id of the command that a record is about; empty if it does not say.
using leased_work::id_in;

}  // namespace holdfast::commands
