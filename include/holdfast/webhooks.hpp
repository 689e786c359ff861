#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "holdfast/types.hpp"

/// Webhooks that others send, each acted on once.
///
/// A *source* is declared in the registry: who sends, how it signs, and what is to follow. A
/// webhook whose signature is good is taken *in* by its event id: an entry of the inbox is
/// committed with the claim of the id. What follows happens from there, and is tried again until it
/// worked or the attempts are used up; then the entry is *dead*, with a way back, and never
/// dropped.
///
/// Whoever works on an entry leases it. Each lease has a *fence*, a number that grows: whoever
/// comes with an older one is refused.
///
/// Everything here is a value, as in `types.hpp`.
namespace holdfast {

namespace webhooks {
struct Source;
}

/// A webhook that was found genuine. Its token is `webhooks::event_token` of source and event id,
/// and its tenant the source's. What the same id brings a second time does not matter, but that it
/// brought something else is on record if both say what their bodies are.
struct Receiving {
  static constexpr Operation operation{30};
  std::string source;
  std::string event_id;
  /// SHA-256 of the body, in hexadecimal: the same id with another one is a collision. Empty: the
  /// same id is the same webhook.
  std::string body_sha256{};
  // What comes with it. It makes no other webhook of it.
  std::string body{};                  ///< as it was sent, byte for byte
  std::string headers{};               ///< those that are kept: a canonical JSON object of texts
  std::optional<Instant> signed_at{};  ///< when its sender signed it, where that is known
  std::shared_ptr<const webhooks::Source> declared{};  ///< the source, as it is declared
};

/// A worker takes the next entries of these kinds: at most `max`, each for as long as `lease`.
struct InboxLeasing {
  static constexpr Operation operation{31};
  std::vector<std::string> kinds;
  std::int64_t max = 1;
  Duration lease = std::chrono::seconds(30);
  bool dispatches = false;  ///< the engine's own: `kinds` are sources, of all tenants
};

/// What was to follow has happened. `result` is JSON.
struct InboxCompleting {
  static constexpr Operation operation{32};
  std::string id;
  std::int64_t fence = 0;
  std::string result{};
};

/// It has not. The verdict is `retry` (it is tried again, as often as declared), `later` (the same,
/// and this was no attempt) or `dead` (not by itself).
struct InboxFailing {
  static constexpr Operation operation{33};
  std::string id;
  std::int64_t fence = 0;
  std::string verdict = "retry";
  std::string error{};
};

/// An operator has an entry tried again, now: one that waits, or one that is dead.
struct InboxRetrying {
  static constexpr Operation operation{34};
  std::string id;
};

}  // namespace holdfast
