#pragma once

#include "holdfast/commands.hpp"
#include "modules/commands/command_row.hpp"
#include "modules/commands/declaration.hpp"
#include "modules/commands/effect_row.hpp"
#include "modules/commands/prepare.hpp"
#include "support/stores/store_test.hpp"

/// Commands on a store under test: a registry, and calls on it.
namespace holdfast::test {

inline commands::Declaration declared(std::string entity, std::string action) {
  commands::Declaration declaration;
  declaration.entity = std::move(entity);
  declaration.action = std::move(action);
  return declaration;
}

inline commands::Declaration pulled(std::string entity, std::string action,
                                    commands::Shield shield) {
  commands::Declaration declaration = declared(std::move(entity), std::move(action));
  declaration.command_class = commands::CommandClass::i3;
  declaration.effect.kind = commands::EffectKind::pull;
  declaration.effect.shield = shield;
  declaration.effect.provider = "warehouse";
  return declaration;
}

inline std::shared_ptr<const commands::Registry> registry_of(
    std::vector<commands::Declaration> declarations, std::string digest = "0123") {
  auto registry = std::make_shared<commands::Registry>();
  registry->digest = std::move(digest);
  for (commands::Declaration& each : declarations) {
    const std::string name = each.name();
    registry->commands[name] = std::make_shared<const commands::Declaration>(std::move(each));
  }
  return registry;
}

/// The text of a member, wherever it stands in a document; empty if it is not there.
[[nodiscard]] inline std::string text_in(const std::string& json, const std::string& name) {
  const std::size_t at = json.find("\"" + name + "\":\"");
  if (at == std::string::npos) return {};
  const std::size_t from = at + name.size() + 4;
  return json.substr(from, json.find('"', from) - from);
}

[[nodiscard]] inline std::string id_of(const Answer& answer) {
  return text_in(answer.document, "command_id");
}

MATCHER(conflicts, "is refused since its key is another command's") {
  return arg.rejection == Rejection::execution_rejected &&
         arg.reason == Reason::idempotency_conflict && arg.collided;
}

/// How often a text stands in another.
[[nodiscard]] inline std::size_t times(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

/// A command as the store shows it; nothing if there is none with that id.
[[nodiscard]] inline std::optional<commands::CommandRow> command_in(
    const Store& store, const std::string& id, std::string_view tenant = "default") {
  const auto page = store.rows(
      tenant, {.space = commands::CommandRow::space, .key = std::string(commands::row_key_in(id))});
  EXPECT_TRUE(page) << page.error().message;
  if (page->items.empty()) return std::nullopt;
  auto row = *row_of<commands::CommandRow>(&page->items.front().row);
  return row.id == id ? std::optional(std::move(row)) : std::nullopt;
}

/// An effect that has not settled, as the store shows it.
[[nodiscard]] inline std::optional<commands::EffectRow> effect_in(const Store& store,
                                                                  const std::string& id) {
  const auto page = store.rows(
      commands::EffectRow::tenant_of_queues,
      {.space = commands::EffectRow::space, .key = std::string(commands::row_key_in(id))});
  EXPECT_TRUE(page) << page.error().message;
  if (page->items.empty()) return std::nullopt;
  return *row_of<commands::EffectRow>(&page->items.front().row);
}

/// A test of commands on one store after the other. Each submission is prepared by the registry in
/// force, as the service does it.
class CommandTest : public StoreTest {
 protected:
  /// These are the commands from now on.
  void declare(std::vector<commands::Declaration> declarations, std::string digest = "0123") {
    preparer_.put_in_force(registry_of(std::move(declarations), std::move(digest)));
  }

  [[nodiscard]] Call call(Submitting what, std::string token, Caller caller = {}) const {
    Call made{.command = Command(std::move(what)),
              .token = Token(std::move(token)),
              .caller = std::move(caller)};
    preparer_(made);
    return made;
  }

  Answer submit(Submitting what, std::string token, Caller caller = {}) {
    return harness().submit(call(std::move(what), std::move(token), std::move(caller)));
  }

  /// Any other call, with a token of its own.
  template <typename P>
  Answer run(P parameters, Caller caller = {}) {
    return run_as(std::move(parameters), harness().next_token(), std::move(caller));
  }

  template <typename P>
  Answer run_as(P parameters, std::string token, Caller caller = {}) {
    return harness().submit(Call{.command = Command(std::move(parameters)),
                                 .token = Token(std::move(token)),
                                 .caller = std::move(caller)});
  }

  /// What a worker of that provider gets; a test fails that gets nothing.
  Answer lease(std::int64_t max = 1, Duration lease = 30s, const std::string& kind = "warehouse") {
    Answer answer = run(Leasing{.kinds = {kind}, .max = max, .lease = lease});
    EXPECT_THAT(answer, done());
    return answer;
  }

  [[nodiscard]] bool nothing_to_lease(const std::string& kind = "warehouse") {
    return id_of(run(Leasing{.kinds = {kind}, .max = 100})).empty();
  }

  std::size_t count(RecordKind kind) {
    std::size_t found = 0;
    const auto records = harness().store().records(0, 100000);
    for (const Record& each : *records) found += each.kind == kind ? 1U : 0U;
    return found;
  }

  std::optional<commands::CommandRow> command(const std::string& id) {
    return command_in(harness().store(), id);
  }
  std::optional<commands::EffectRow> effect(const std::string& id) {
    return effect_in(harness().store(), id);
  }

  [[nodiscard]] const commands::Sealer& sealer() const { return preparer_.sealer(); }

 private:
  commands::Preparer preparer_{HashKey{1, 2}};
};

}  // namespace holdfast::test
