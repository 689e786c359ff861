#pragma once

#include <memory>
#include <optional>
#include <string>

#include "cli/failure.hpp"

namespace holdfast::cli {

template <typename T>
using Fallible = tl::expected<T, Failure>;

/// What commands work on: a store's file, or a server. The same calls, the same answers.
class Backend {
 public:
  virtual ~Backend() = default;

  /// Answers when the outcome is durable. An outcome that could not be learnt is an answer, too:
  /// `store-unavailable`, with an unknown effect. Without a token one is made, unless the store
  /// derives it from the request.
  [[nodiscard]] virtual Fallible<Answer> submit(Command command, std::optional<Token> token,
                                                std::string confirmation) = 0;

  [[nodiscard]] virtual Fallible<std::optional<HoldDetails>> hold(HoldId id) const = 0;
  [[nodiscard]] virtual Fallible<Page<HoldDetails>> holds(const HoldQuery& query) const = 0;
  [[nodiscard]] virtual Fallible<std::optional<TokenResult>> token(const Token& token) const = 0;
  [[nodiscard]] virtual Fallible<Resource> resource(const std::string& name) const = 0;
  [[nodiscard]] virtual Fallible<Availability> availability(const std::string& name) const = 0;
  [[nodiscard]] virtual Fallible<std::optional<Group>> group(GroupId id) const = 0;
  [[nodiscard]] virtual Fallible<Answer> try_place(const Placing& what) const = 0;
  [[nodiscard]] virtual Fallible<Page<Resource>> resources(const ResourceQuery& query) const = 0;
};

using OpenedBackend = Fallible<std::unique_ptr<Backend>>;

/// The server, if one is named; else the store as its owner, made if need be. A store is refused
/// while another process owns it.
[[nodiscard]] OpenedBackend open_to_change(Context& context, std::optional<Duration> window);

/// The server, if one is named; else the store to look at, also while another process owns it.
/// Never makes one.
[[nodiscard]] OpenedBackend open_to_read(Context& context);

/// What a change would be answered by a store that is not there yet; nothing if there is one, or a
/// server is asked. A store is made only for what is done.
[[nodiscard]] std::optional<Answer> refused_by_new_store(Context& context, const Command& command,
                                                         const std::optional<Token>& token);

/// What the server answers at an address, as JSON; for commands that are about a store as a whole.
/// Unless patience was said, so long is waited for it.
[[nodiscard]] Fallible<std::string> ask_server(Context& context, std::string_view address,
                                               Duration patience);

// Each in a file of its own.

[[nodiscard]] OpenedBackend own_store(Context& context, std::optional<Duration> window);
[[nodiscard]] OpenedBackend read_store(Context& context);
[[nodiscard]] OpenedBackend use_server(Context& context);

}  // namespace holdfast::cli
