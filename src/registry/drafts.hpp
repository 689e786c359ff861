#pragma once

#include <optional>
#include <span>
#include <string>

#include "modules/webhooks/source.hpp"
#include "registry/member.hpp"

/// What is taken from the tables of the file, before it is known to go together.
namespace holdfast::registry {

struct ProbeDraft {
  commands::Probe probe{.request = {.method = "GET"}};
  std::optional<std::string> list{};
  std::optional<std::string> id{};
};

struct EffectDraft {
  commands::Effect effect{.request = {.method = "POST"}};
  const toml::table* probe = nullptr;
};

struct CommandDraft {
  commands::Declaration declaration{};
  bool confirmed = false;
  commands::ConfirmBy confirm_by = commands::ConfirmBy::self;
  std::optional<Duration> window{};
  const toml::node* args = nullptr;
  std::string args_schema{};
  std::string compensation{};
  const toml::table* effect = nullptr;
};

enum class SchemeName : std::uint8_t { standard, timestamped, github, hmac };
[[nodiscard]] std::string_view name(SchemeName scheme);

struct WebhookDraft {
  webhooks::Source source{};
  SchemeName scheme = SchemeName::standard;
  std::string header{};
  bool sha512 = false;
  bool base64 = false;
  std::string prefix{};
  std::string timestamp_header{};
  std::optional<std::string> event_id{};
  std::string event_id_header{};
  std::string command{};
  std::string forward{};
  std::string pull{};
};

[[nodiscard]] std::span<const Member<CommandDraft>> command_members();
[[nodiscard]] std::span<const Member<EffectDraft>> effect_members();
[[nodiscard]] std::span<const Member<ProbeDraft>> probe_members();
[[nodiscard]] std::span<const Member<commands::Provider>> provider_members();
[[nodiscard]] std::span<const Member<WebhookDraft>> webhook_members();

/// Fills in what follows from the others, and refuses what does not go together.
void check_webhook(const toml::table& table, WebhookDraft& draft, Problems& problems);
/// Refuses a command that cannot follow from a webhook; null: there is none of that name.
void check_command_of(const toml::table& table, const commands::Declaration* command,
                      Problems& problems);

/// Fills in what follows from the class, and refuses what does not go together.
void check_command(const toml::table& table, CommandDraft& draft, Problems& problems);

/// Reads `[command.effect]` into the declaration.
void read_effect(const toml::table& table, commands::Effect& effect, Problems& problems);

/// Reads and compiles the schema of the arguments, wherever it stands.
void read_arguments(const toml::table& table, const NamedFiles& named, CommandDraft& draft,
                    Problems& problems);

}  // namespace holdfast::registry
