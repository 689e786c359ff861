#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "holdfast/types.hpp"

/// Subscriptions: events of a tenant, sent to a URL in commit order, at least once each.
///
/// A subscription remembers how far it has come, its *cursor*: the last record whose event was
/// taken in. One dispatcher at a time serves it, under a lease with a fence, as with effects.
namespace holdfast {

/// Where to send which events: those whose names begin with one of `events`, or all.
struct Subscribing {
  static constexpr Operation operation{36};
  std::string url;
  std::vector<std::string> events{};
  std::string description{};
};

/// No more events are sent.
struct Unsubscribing {
  static constexpr Operation operation{37};
  std::string id;
};

/// Sends everything after that record again. One that was disabled is active again.
struct Resending {
  static constexpr Operation operation{38};
  std::string id;
  std::int64_t after = 0;
};

/// Another signing secret. For a day webhooks are signed with the one before, too.
struct RotatingSecret {
  static constexpr Operation operation{39};
  std::string id;
};

/// A dispatcher takes a subscription, for as long as `lease`. Not for callers.
struct Serving {
  static constexpr Operation operation{40};
  std::string id;
  Duration lease = std::chrono::seconds(30);
};

/// How far a dispatcher has come. `verdict`: `on` (and goes on), `done` (for now), `failed` or
/// `gone` (the receiver wants no more). Not for callers.
struct Advancing {
  static constexpr Operation operation{41};
  std::string id;
  std::int64_t fence = 0;
  std::int64_t cursor = 0;
  std::string verdict = "done";
  std::string error{};
};

}  // namespace holdfast
