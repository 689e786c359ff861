#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "holdfast/clock.hpp"
#include "holdfast/operations.hpp"

/// Everything about the service that can be set. Where a value comes from (file, environment,
/// flags) is `configuration.hpp`'s business; what it does is said here, once.
namespace holdfast::http {

/// What a caller may use up before it is refused.
struct Limits {
  std::size_t header_bytes_max = std::size_t{16} * 1024;
  std::size_t body_bytes_max = std::size_t{64} * 1024;
  std::size_t batch_body_bytes_max = std::size_t{1024} * 1024;
  std::size_t webhook_body_bytes_max = std::size_t{1024} * 1024;
  std::size_t batch_operations_max = 10'000;
  std::size_t json_depth_max = 32;
  std::size_t connections_max = 10'000;
  /// Requests of one connection that are read before the first of them is answered.
  std::size_t pipeline_max = 128;
  std::size_t event_streams_max = 256;
  /// From the first byte of a request to the end of its header, and from there to its last byte.
  Duration header_deadline = std::chrono::seconds(10);
  Duration body_deadline = std::chrono::seconds(30);
  /// A connection without a request, and an answer nobody reads.
  Duration idle_deadline = std::chrono::seconds(75);
  Duration write_deadline = std::chrono::seconds(30);
  /// How long a stop waits for what was accepted.
  Duration stop_deadline = std::chrono::seconds(30);
  /// How long `?wait=` waits for a command at most.
  Duration wait_max = std::chrono::seconds(60);
  /// How long a request for evidence goes on reading records before it says `overloaded`.
  Duration evidence_deadline = std::chrono::seconds(1);
  /// Requests a second of one tenant, with bursts of as many as `…_burst`. Zero: no limit.
  std::uint64_t tenant_rate = 0;
  std::uint64_t tenant_burst = 1'000;
  /// The same for repeated answers, which then do not count above: a flood of duplicates does not
  /// use up the rate of what is new.
  std::uint64_t replay_rate = 0;
  std::uint64_t replay_burst = 1'000;
  /// The same for the repeated answers of one key, besides. Zero: no limit.
  std::uint64_t key_replay_rate = 0;
  std::uint64_t key_replay_burst = 100;
};

struct Tls {
  std::string certificate{};  ///< file, PEM, the chain; empty: no TLS
  std::string key{};          ///< file, PEM
  std::string client_ca{};    ///< file, PEM; given: clients must show a certificate it signed
};

/// Calls to other services.
struct Outbound {
  std::string allow{};    ///< networks and names that may be called besides public addresses
  std::string ca_file{};  ///< file, PEM: whom to trust; empty: whom the system trusts
};

enum class LogLevel : std::uint8_t { off, error, warning, info, debug };

/// The service around one store.
struct Settings {
  std::string listen = "127.0.0.1:8420";
  std::size_t threads = 1;  ///< of input and output; the engine has its own
  Tls tls{};
  std::string keys;          ///< file of keys; empty: beside the store. No file: no credentials
  std::string evidence_key;  ///< file of the key that signs heads; empty: beside the store
  std::string registry;      ///< file that declares commands; empty: none are
  std::string secrets;       ///< file of what requests to providers name; empty: there are none
  bool dispatch = true;      ///< whether this node sees to effects
  Outbound outbound{};
  int conflict_status = 409;  ///< of `protocol.idempotency_conflict`: 409 or 422
  LogLevel log_level = LogLevel::warning;
  bool log_requests = false;  ///< a line at `info` for every request
  Limits limits{};

  std::string store = "holdfast.db";
  std::optional<Duration> window{};  ///< unset: what the store was made with, 24 h for a new one
  std::size_t queue_max = 65'536;
  std::size_t batch_max = 1'024;
  Duration sweep_every = std::chrono::milliseconds(500);
  Duration duration_min = std::chrono::milliseconds(1);
  Duration duration_max = std::chrono::hours(24 * 366);
  Duration lifetime_max = std::chrono::hours(24 * 366);
  std::size_t token_bytes_max = 256;
  Policies policies{};
  Duration confirmation_lifetime = std::chrono::minutes(5);  ///< where a policy asks for a code
};

}  // namespace holdfast::http
