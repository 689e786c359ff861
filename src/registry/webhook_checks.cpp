#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "registry/drafts.hpp"

namespace holdfast::registry {
namespace {

using webhooks::Follows;
using webhooks::Source;

constexpr std::array of_hmac{"hash", "encoding", "prefix", "timestamp_header"};
constexpr std::array of_either{"header", "event_id", "event_id_header"};

void refuse_members(const toml::table& table, std::span<const char* const> members,
                    SchemeName scheme, Problems& problems) {
  for (const char* member : members) {
    if (table.contains(member))
      problems.note(
          table, member,
          fmt::format("{} has no meaning in scheme {}; leave it out", member, name(scheme)));
  }
}

signatures::IdPlace id_place(const WebhookDraft& draft) {
  if (!draft.event_id_header.empty()) return signatures::IdInHeader{draft.event_id_header};
  return signatures::IdInBody{draft.event_id.value_or("/id")};
}

signatures::Scheme scheme_of(const WebhookDraft& draft) {
  switch (draft.scheme) {
    case SchemeName::standard:
      return signatures::Standard{};
    case SchemeName::github:
      return signatures::Github{};
    case SchemeName::timestamped: {
      signatures::Timestamped scheme{.event_id = id_place(draft)};
      if (!draft.header.empty()) scheme.header = draft.header;
      return scheme;
    }
    case SchemeName::hmac:
      break;
  }
  signatures::Hmac scheme{
      .header = draft.header,
      .hash = draft.sha512 ? signatures::Hash::sha512 : signatures::Hash::sha256,
      .encoding = draft.base64 ? signatures::Encoding::base64 : signatures::Encoding::hex,
      .prefix = draft.prefix,
      .timestamp_header = std::nullopt,
      .event_id = id_place(draft)};
  if (!draft.timestamp_header.empty()) scheme.timestamp_header = draft.timestamp_header;
  return scheme;
}

void check_scheme(const toml::table& table, WebhookDraft& draft, Problems& problems) {
  const SchemeName scheme = draft.scheme;
  const bool hmac = scheme == SchemeName::hmac;
  if (!hmac) refuse_members(table, of_hmac, scheme, problems);
  if (!hmac && scheme != SchemeName::timestamped)
    refuse_members(table, of_either, scheme, problems);
  if (draft.event_id && !draft.event_id_header.empty())
    problems.note(table, "event_id_header",
                  "the event id is in event_id or in event_id_header; keep one of the two");
  if (hmac && draft.header.empty())
    problems.note(table, "scheme",
                  "scheme hmac needs a header; write the one that has the signature");
  if (problems.any()) return;
  draft.source.scheme = scheme_of(draft);
  if (const std::string mistake = signatures::mistake_in(draft.source.scheme); !mistake.empty())
    problems.note(table, "scheme", fmt::format("the scheme cannot be used: {}", mistake));
  if (table.contains("tolerance") && !signatures::covers_time(draft.source.scheme))
    problems.note(table, "tolerance",
                  "no time is signed in this scheme, so there is no tolerance; leave it out");
}

void check_what_follows(const toml::table& table, WebhookDraft& draft, Problems& problems) {
  Source& source = draft.source;
  const auto count = static_cast<int>(!draft.command.empty()) +
                     static_cast<int>(!draft.forward.empty()) +
                     static_cast<int>(!draft.pull.empty());
  if (count != 1)
    problems.note(table, count == 0 ? "name" : "command",
                  "a webhook has one thing that follows; write command, forward or pull");
  if (table.contains("args") && draft.command.empty())
    problems.note(table, "args", "args are those of a command; leave them out");
  if (table.contains("timeout") && draft.forward.empty())
    problems.note(table, "timeout", "timeout is that of a forward; leave it out");
  source.follows = !draft.command.empty()   ? Follows::command
                   : !draft.forward.empty() ? Follows::forward
                                            : Follows::pull;
  source.target = draft.command + draft.forward + draft.pull;  // only one is not empty
  source.lease = std::max<Duration>(source.lease, source.timeout + std::chrono::seconds(20));
}

}  // namespace

void check_webhook(const toml::table& table, WebhookDraft& draft, Problems& problems) {
  check_scheme(table, draft, problems);
  check_what_follows(table, draft, problems);
  const Source& source = draft.source;
  if (source.backoff_max < source.backoff)
    problems.note(table, "backoff_max", "backoff_max is shorter than backoff; write a longer one");
  if (source.window < 2 * source.tolerance)
    problems.note(table, "window",
                  "window is shorter than twice the tolerance, so a webhook could be taken in "
                  "twice; write a longer one");
}

void check_command_of(const toml::table& table, const commands::Declaration* command,
                      Problems& problems) {
  if (command == nullptr)
    return problems.note(table, "command",
                         "no command of this file has that name; write \"entity.action\"");
  if (command->command_class == commands::CommandClass::i0)
    return problems.note(table, "command",
                         "this command is a question, and cannot be submitted; name another");
  if (command->confirm_by != commands::ConfirmBy::nobody)
    return problems.note(table, "command",
                         "this command waits to be confirmed, and so cannot run by itself; name "
                         "one that can");
  if (command->key == commands::KeyOrigin::derived)
    problems.note(table, "command",
                  "the key of this command is derived, so two webhooks could be one command; set "
                  "its key_mode to \"both\"");
}

}  // namespace holdfast::registry
