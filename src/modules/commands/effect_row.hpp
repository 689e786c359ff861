#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "domain/module_rows.hpp"
#include "leased_work/lease_state.hpp"
#include "modules/commands/command_row.hpp"
#include "modules/commands/declaration.hpp"

/// An effect that has not settled: an entry of the queue it waits in. When it settles the entry is
/// gone, and the journal and the command say what became of it.
///
/// Its life, by its shield. A lease that ends without a word is *lost*: whoever held it may have
/// acted.
///
///              lease                          lease is lost, or its holder says `unknown`
///   call ──────────────► leased   S1: call again     S2: failed, outcome unknown
///    ▲                    │       S3: probe          S4: call again, then reconcile
///    └── retry, absent ◄──┤
///                         ├─► executed (S4 that may have acted twice: reconcile, then executed)
///                         └─► failed: refused, or tried as often as declared
namespace holdfast::commands {

/// What is to be done about an effect next.
enum class Stage : std::uint8_t {
  call,       ///< act
  probe,      ///< ask the provider whether it happened (S3)
  reconcile,  ///< ask the provider how often it happened, and undo what is too much (S4)
};

[[nodiscard]] std::string_view name(Stage stage);
[[nodiscard]] std::optional<Stage> stage_named(std::string_view name);

struct EffectRow {
  static constexpr RowSpace space{2002};
  static constexpr std::string_view tenant_of_queues = leased_work::tenant_of_queues;

  std::string tenant;          ///< whose command it is
  std::string id;              ///< the command's
  std::string token;           ///< the command's key: what goes to the provider as its own
  std::string sealed_token{};  ///< the same, sealed: what a lease's record says
  EffectKind kind = EffectKind::push;
  Shield shield = Shield::s1;
  std::string provider;
  Stage stage = Stage::call;

  leased_work::LeaseState lease{};  ///< its attempts are calls begun
  bool uncertain = false;           ///< an earlier call may have taken place
  std::string result{};             ///< what the provider answered, while it is reconciled

  // The envelope; what is secret in `args` is sealed.
  std::string entity;
  std::string action;
  std::string target{};
  std::string args{};
  std::string actor{};
  std::string effective_actor{};
  std::string correlation_id{};
  Instant created_at{};

  /// In a record without what its command says beside it, too: see `of_command`.
  void write(JsonWriter& json, Written as = Written::row) const;
  [[nodiscard]] static std::optional<EffectRow> read(std::string_view json,
                                                     Written as = Written::row);
  /// Takes over what it has of its command.
  void of_command(const CommandRow& command, std::string_view tenant);
  /// In its queue, by when it is ready; leased, in none, and due when the lease ends.
  [[nodiscard]] RowIndex index(std::string_view key) const;
};

/// What dispatchers do with effects, in the names of their queues, of which each provider has one.
inline constexpr std::string_view dispatchers_do = "call";

}  // namespace holdfast::commands
