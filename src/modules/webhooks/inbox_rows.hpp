#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "domain/module_rows.hpp"
#include "leased_work/lease_state.hpp"
#include "modules/webhooks/source.hpp"

/// The inbox. Of a webhook there are up to three rows, all under one key: the *entry*, which stays;
/// the *work* that is left, which goes when the entry settles; and the *payload*, which goes when
/// the entry is done. Then the journal has it, in the record that took it in.
///
///                   lease                     complete
///   received ─────────────► processing ───────────────────► done
///      ▲  ▲                     │
///      │  └─ failed, lease lost ┤
///      │                        │ attempts used up, or given up
///      │ retry                  ▼
///      └────────────────────── dead
namespace holdfast::webhooks {

/// How an entry stands.
enum class Status : std::uint8_t { received, processing, done, dead };

inline constexpr Status statuses[] = {Status::received, Status::processing, Status::done,
                                      Status::dead};

[[nodiscard]] std::string_view name(Status status);
[[nodiscard]] std::optional<Status> status_named(std::string_view name);

[[nodiscard]] std::string entry_id(std::string_view row_key, std::uint64_t use);
/// The key of the rows in an entry's id; empty if it is none.
[[nodiscard]] std::string_view row_key_in(std::string_view id);

struct EntryRow {
  static constexpr RowSpace space{3001};

  std::string id;
  std::uint64_t use = 1;
  std::uint64_t seq = 0;  ///< the record that took it in
  std::string source;
  std::string event_id;
  Follows follows = Follows::pull;
  std::string target;  ///< what it is for: see `Source::target`
  std::string digest;  ///< SHA-256 of the body, hexadecimal
  std::uint64_t body_bytes = 0;
  Instant received_at{};
  std::optional<Instant> signed_at{};
  Instant expires_at{};  ///< when the event id is forgotten

  std::optional<Instant> done_at{};  ///< unset: there is work left
  std::uint64_t attempts = 0;        ///< as all that follows: once it is done
  std::string result{};              ///< JSON; empty: none

  void write(JsonWriter& json) const;
  [[nodiscard]] static std::optional<EntryRow> read(std::string_view json);
  /// Among those that are done, or those that are not, newest first.
  [[nodiscard]] RowIndex index(std::string_view key) const;
};

/// What is left to do about an entry.
struct WorkRow {
  static constexpr RowSpace space{3002};
  static constexpr std::string_view tenant_of_queues = leased_work::tenant_of_queues;

  std::string tenant;  ///< whose entry it is
  std::string id;
  std::string source;
  std::string event_id;
  Follows follows = Follows::pull;
  std::string target;
  Instant received_at{};
  leased_work::LeaseState lease{};
  bool dead = false;  ///< not tried again by itself

  [[nodiscard]] Status status() const {
    if (dead) return Status::dead;
    return lease.leased() ? Status::processing : Status::received;
  }

  /// Takes over what it has of its entry.
  void of_entry(const EntryRow& entry, std::string_view whose);

  void write(JsonWriter& json) const;
  [[nodiscard]] static std::optional<WorkRow> read(std::string_view json);
  /// In its queue, by when it is ready. Leased, or dead, it is among its tenant's that are; leased,
  /// it is due when the lease ends.
  [[nodiscard]] RowIndex index(std::string_view key) const;
};

/// What dispatchers do with entries, in the names of their queues, of which each source has one.
inline constexpr std::string_view dispatchers_do = "send";
/// Those of a tenant that are leased, or dead.
[[nodiscard]] std::string list_of(Status status, std::string_view tenant);
/// Entries that are not done; those that are.
inline constexpr std::string_view open_entries = "open";
inline constexpr std::string_view done_entries = "done";

/// What was sent.
struct PayloadRow {
  static constexpr RowSpace space{3003};
  std::string body;       ///< byte for byte; in JSON as text, or in base64 if it is none
  std::string headers{};  ///< a JSON object of texts

  void write(JsonWriter& json) const;
  [[nodiscard]] static std::optional<PayloadRow> read(std::string_view json);
  [[nodiscard]] RowIndex index(std::string_view) const { return {}; }
};

/// `"body":…` or `"body_base64":…`, and `"headers":…`, as members of an object.
void write_payload(JsonWriter& json, const PayloadRow& payload);

/// An entry as people are told of it. `work` and `payload` are null where there are none.
void write_entry(JsonWriter& json, const EntryRow& entry, const WorkRow* work,
                 const PayloadRow* payload);

}  // namespace holdfast::webhooks
