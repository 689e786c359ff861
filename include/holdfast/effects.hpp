#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "holdfast/holdfast.hpp"

/// Effects that this process does itself: C++ functions, by the name of their provider in a
/// registry, with the guarantees that calls over HTTP have. In the library `holdfast::effects`.
///
///     EffectOptions effects{.registry = "shop.registry.toml"};
///     effects.handlers["mailer"] = [](const EffectCall& call) -> HandlerResult {
///       return send(call.key, call.args) ? HandlerResult{} : HandlerResult{Handled::refused};
///     };
///     Options options{.store = "shop.db"};
///     options.companion = *make_effects(std::move(effects));
///     Result<Holdfast> shop = open(std::move(options));
///     shop->submit({.command = Command(Submitting{.entity = "mail", .action = "send"}), …});
///
/// What each shield promises is the table of docs/effects.md. A handler is called again under S1
/// with the same `key`, never again by itself under S2, and under S3 and S4 only after the declared
/// probe, an HTTP request, has said what happened.
namespace holdfast {

/// An effect to do.
struct EffectCall {
  std::string command_id;  ///< the same for every attempt, and of no other command
  std::string key;         ///< the command's; under S1 whatever is done is to be done once for it
  std::string tenant;
  std::string entity;
  std::string action;
  std::string target;  ///< JSON; empty: none
  std::string args;    ///< JSON, an object; what is secret is in clear
  std::string actor;
  std::string effective_actor;
  std::string correlation_id;
  std::uint64_t attempt = 1;
  bool uncertain = false;  ///< an earlier attempt may have done it
};

enum class Handled : std::uint8_t {
  done,     ///< it took place
  refused,  ///< it did not, and never will
  retry,    ///< it certainly did not; to be tried again after its back-off
  unknown,  ///< it may have: the shield decides
};

/// What came of it. An exception that leaves a handler means `unknown`.
struct HandlerResult {
  Handled verdict = Handled::done;
  /// JSON: with `done` the command's outcome; of another verdict, what is known. Empty: nothing.
  /// What is no JSON is kept as text; of more than 16 KiB the rest is cut off, as text.
  std::string result{};
  std::string error{};  ///< a line for operators
};

/// Called on threads of its own, several at a time. It may take as long as it needs: meanwhile its
/// lease is renewed. It must end, or its `Holdfast` does not.
using EffectHandler = std::function<HandlerResult(const EffectCall&)>;

struct EffectOptions {
  std::string registry;                             ///< the file that declares commands
  std::map<std::string, EffectHandler> handlers{};  ///< by provider
  std::size_t threads = 4;                          ///< that call handlers
  /// Effects that are HTTP calls are seen to as well; else that is left to a service on the store.
  bool pushes = false;
  std::string secrets{};                     ///< the file of secrets; empty: none
  std::vector<std::string> allowed_peers{};  ///< besides public addresses
  std::string ca_file{};                     ///< whom to trust; empty: whom the system trusts
  /// Told what operators should know: a line, without secrets. On a thread of its own.
  std::function<void(const std::string&)> log{};
};

/// What `Options::companion` is to be: reads the registry, and does effects as long as the store is
/// open. The error says which file cannot be read, and why. Good for one `open`.
[[nodiscard]] Result<std::shared_ptr<Companion>> make_effects(EffectOptions options);

}  // namespace holdfast
