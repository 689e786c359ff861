#include "keys/keys.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>

#include "base/json_writer.hpp"
#include "base/time_text.hpp"
#include "cli/failure.hpp"
#include "cli/program.hpp"
#include "cli/reply.hpp"
#include "cli/text.hpp"

namespace holdfast::cli {
namespace {

constexpr std::array refusals{Rejection::not_known};

/// In which the service carries out effects and serves its inbox.
constexpr std::string_view services_own_tenant = "holdfast";

constexpr Lesson lesson{
    .summary = "Make, list and revoke the keys of the service",
    .paragraph =
        "A key lets somebody call holdfast serve: a principal of a tenant, in a role. A client "
        "may\n"
        "place, confirm, release and expire; an operator may do everything; an auditor may only "
        "look.\n"
        "create prints the credential, once: only its SHA-256 is kept. A running service knows new "
        "and\n"
        "revoked keys at once. Without any key it serves this machine only and asks nobody; from "
        "the\n"
        "first key on, everybody needs one. Keys are kept in a file beside the store.",
    .examples =
        "  holdfast keys create --principal web_shop\n"
        "  holdfast keys create --principal ada --role operator --tenant hotel\n"
        "  holdfast keys list\n"
        "  holdfast keys revoke 4c1f0a9be2d7",
    .refusals = refusals,
    .tenants = true};

struct Arguments {
  std::string action;
  std::optional<std::string> id;
  std::optional<std::string> principal;
  std::string role = "client";
  std::string file;
};

http::KeyFile key_file(const Context& context, const Arguments& arguments) {
  if (!arguments.file.empty()) return http::KeyFile(arguments.file);
  const char* chosen = std::getenv("HOLDFAST_KEYS");  // as for the service in this environment
  if (chosen != nullptr && *chosen != '\0') return http::KeyFile(chosen);
  return http::KeyFile(http::KeyFile::beside(context.store_path()));
}

Failure file_failure(const std::string& message) {
  Failure failure = store_failure(Error{message});
  failure.problem.title = "The file of keys cannot be read or written";
  return failure;
}

void member(JsonWriter& json, std::string_view name, std::string_view text) {
  json.key(name);
  json.string(text);
}

/// The hash stays where it is: nobody needs it, and it only looks like a credential.
void write_members(JsonWriter& json, const http::Key& key) {
  member(json, "id", key.id);
  member(json, "principal", key.principal);
  member(json, "tenant", key.tenant);
  member(json, "role", name(key.role));
  member(json, "created_at", to_rfc3339(key.created_at));
  json.key("revoked_at");
  if (key.revoked_at) {
    json.string(to_rfc3339(*key.revoked_at));
  } else {
    json.null();
  }
}

void print_json_of(Context& context, const http::Key& key, std::string_view credential = {}) {
  std::string body;
  JsonWriter json(body);
  json.begin_object();
  write_members(json, key);
  if (!credential.empty()) member(json, "credential", credential);
  json.end_object();
  print_json(context.out, {.body = body, .status = credential.empty() ? 200 : 201});
}

void print_created(Output& out, const http::KeyFile::Created& created, bool first) {
  const http::Key& key = created.key;
  out.line(out.paint(
      Colour::green,
      fmt::format("{} may now call as {} of tenant {}.", printable(key.principal),
                  name(key.role) == "client" ? "a client" : fmt::format("an {}", name(key.role)),
                  printable(key.tenant))));
  out.line();
  Table table = facts();
  table.add({{"key"}, {key.id}});
  table.add({{"credential"}, {created.credential, Colour::bold}});
  table.print(out);
  out.line();
  out.line(
      "The credential is shown this once and cannot be shown again: keep it now. It is sent as");
  out.line("Authorization: Bearer hf_…");
  if (!first) return;
  out.line();
  out.line(out.paint(Colour::yellow,
                     "This is the first key: from now on the service refuses everybody without "
                     "credentials."));
}

/// A key in force whose credential nobody has seen is of no use, and cannot be shown again.
int take_back(Context& context, const http::KeyFile& file, const std::string& id) {
  const auto revoked = file.revoke(id, context.now());
  context.err.line(
      revoked ? fmt::format("holdfast: the credential could not be written, so key {} was revoked "
                            "again; make another",
                            id)
              : fmt::format("holdfast: the credential could not be written; revoke key {}: {}", id,
                            printable(revoked.error())));
  return exit_store;
}

int create(Context& context, const Arguments& arguments) {
  if (!arguments.principal) {
    return report(context, usage_failure("a key needs somebody to have it, as in: holdfast keys "
                                         "create --principal web_shop"));
  }
  for (const std::string& each : {*arguments.principal, context.settings.tenant}) {
    if (http::can_be_caller(each)) continue;
    return report(context,
                  usage_failure(fmt::format("'{}' cannot have a key; principals and tenants are "
                                            "UTF-8 text of 1 to {} bytes",
                                            printable(each), name_bytes_max)));
  }
  if (context.settings.tenant == services_own_tenant) {
    return report(context, usage_failure("the service works in the tenant 'holdfast' itself; "
                                         "choose another name"));
  }
  const auto role = http::role_named(arguments.role);
  if (!role) {
    return report(context, usage_failure(fmt::format(
                               "'{}' is not a role; write client, operator or auditor, as in "
                               "--role client",
                               arguments.role)));
  }
  const http::KeyFile file = key_file(context, arguments);
  const auto before = file.read();
  const auto created = file.create(context.settings.tenant, *arguments.principal, *role,
                                   context.now(), *system_random());
  if (!created) return report(context, file_failure(created.error()));
  if (context.settings.json) {
    print_json_of(context, created->key, created->credential);
  } else {
    print_created(context.out, *created, before && before->empty());
  }
  context.out.flush();
  const bool shown = context.out.failure().empty() && !context.out.closed();
  return shown ? 0 : take_back(context, file, created->key.id);
}

int list(Context& context, const http::KeyFile& file) {
  auto keys = file.read();
  if (!keys) return report(context, file_failure(keys.error()));
  if (context.settings.tenant_given) {
    std::erase_if(*keys,
                  [&](const http::Key& each) { return each.tenant != context.settings.tenant; });
  }
  if (context.settings.json) {
    std::string body;
    JsonWriter json(body);
    json.begin_object();
    json.key("items");
    json.begin_array();
    for (const http::Key& each : *keys) {
      json.begin_object();
      write_members(json, each);
      json.end_object();
    }
    json.end_array();
    json.end_object();
    print_json(context.out, {.body = body});
    return 0;
  }
  Table table({{"KEY"}, {"PRINCIPAL"}, {"TENANT"}, {"ROLE"}, {"CREATED"}, {"STATE"}});
  for (const http::Key& each : *keys) {
    table.add({{each.id},
               {each.principal},
               {each.tenant},
               {std::string(name(each.role))},
               {instant_text(each.created_at)},
               each.revoked_at ? Cell{"revoked " + instant_text(*each.revoked_at), Colour::dim}
                               : Cell{"in force", Colour::green}});
  }
  if (!keys->empty()) table.print(context.out);
  context.out.line(fmt::format("{}{} in {}", keys->empty() ? "" : "\n",
                               count_text(keys->size(), "key"), printable(file.path())));
  return 0;
}

/// Somebody who revokes a credential that leaked has just that at hand.
std::string id_in(const std::string& given) {
  constexpr std::string_view prefix = "hf_";
  if (!given.starts_with(prefix)) return given;
  return given.substr(prefix.size(), given.find('_', prefix.size()) - prefix.size());
}

int revoke(Context& context, const http::KeyFile& file, const std::string& id) {
  const auto keys = file.read();
  if (!keys) return report(context, file_failure(keys.error()));
  const bool known =
      std::any_of(keys->begin(), keys->end(), [&](const http::Key& each) { return each.id == id; });
  if (!known) {
    return report(context,
                  nothing_there("There is no such key",
                                fmt::format("{} has no key {}; holdfast keys list shows all.",
                                            file.path(), printable(id))));
  }
  const auto key = file.revoke(id, context.now());
  if (!key) return report(context, file_failure(key.error()));
  if (context.settings.json) {
    print_json_of(context, *key);
  } else {
    context.out.line(fmt::format("Key {} of {} is revoked since {}; nobody can use it.", key->id,
                                 printable(key->principal), instant_text(*key->revoked_at)));
  }
  return 0;
}

int run(Context& context, const Arguments& arguments) {
  const http::KeyFile file = key_file(context, arguments);
  if (arguments.action == "revoke") {
    if (arguments.id) return revoke(context, file, id_in(*arguments.id));
    return report(context, usage_failure("which key? as in: holdfast keys revoke 4c1f0a9be2d7"));
  }
  if (arguments.id) {
    return report(context, usage_failure(fmt::format("'{}' is one word too many; only revoke "
                                                     "takes a key",
                                                     *arguments.id)));
  }
  if (arguments.action == "create") return create(context, arguments);
  if (arguments.action == "list") return list(context, file);
  return report(context, usage_failure(fmt::format("'{}' is not something keys does; try "
                                                   "create, list or revoke",
                                                   arguments.action)));
}

}  // namespace

void add_keys(Program& program) {
  auto arguments = std::make_shared<Arguments>();
  Options options = program.add("keys", lesson,
                                [arguments](Context& context) { return run(context, *arguments); });
  options.argument("ACTION", arguments->action, "create, list or revoke");
  options.optional_argument("ID", arguments->id,
                            "Of revoke: the key, as list shows it, or its credential");
  options.option("--principal", "NAME", arguments->principal, "Of create: who is to have it");
  options.option("--role", "ROLE", arguments->role,
                 "Of create: client, operator or auditor (client)");
  options.option("--keys", "FILE", arguments->file,
                 "The file of keys; else $HOLDFAST_KEYS, else the store's name with -keys");
}

}  // namespace holdfast::cli
