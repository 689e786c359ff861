#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "domain/module_rows.hpp"

/// What is kept of a command: the dedup record of IDS VIII.B, one for each key of a tenant. It is
/// never forgotten; a key that is used afresh after its window has the next command.
namespace holdfast::commands {

/// The statuses of IDS VIII.B. Numbers are places in lists: they never change.
enum class Status : std::uint8_t { in_progress, executed, failed, rejected, compensated };

inline constexpr Status statuses[] = {Status::in_progress, Status::executed, Status::failed,
                                      Status::rejected, Status::compensated};

[[nodiscard]] std::string_view name(Status status);
[[nodiscard]] std::optional<Status> status_named(std::string_view name);

/// The key of the row: SHA-256 over tenant and token, 40 hexadecimal digits of it. Tokens may hold
/// any bytes and differ in length; this never does, and no other tenant has it.
[[nodiscard]] std::string row_key(std::string_view tenant, std::string_view token);

/// `c-`, the key of the row, and how often the key was used: `c-9f86…-1`.
[[nodiscard]] std::string command_id(std::string_view row_key, std::uint64_t use);
/// The key in an id; empty if it is none.
[[nodiscard]] std::string_view row_key_in(std::string_view id);

/// Where a command or an effect is written: in its row whole, in the record that submitted it
/// without what that says in columns of its own. One of these is the token, of which evidence shows
/// a hash.
enum class Written : std::uint8_t { row, record };

struct CommandRow {
  static constexpr RowSpace space{2001};

  std::string id;
  std::string token;  ///< the idempotency key
  std::uint64_t use = 1;
  std::uint64_t seq = 0;  ///< the record that accepted, executed or rejected it
  Status status = Status::in_progress;
  std::string reason{};   ///< why it was rejected, or failed
  std::string outcome{};  ///< JSON; empty: none

  // The envelope; what is secret in `args` is sealed.
  std::string entity;
  std::string action;
  std::string target{};
  std::string args{};
  std::string actor{};
  std::string effective_actor{};
  std::string command_kind{};
  std::string correlation_id{};

  std::string principal{};     ///< who submitted it
  std::string digest{};        ///< the envelope's fingerprint, hexadecimal
  std::string registry{};      ///< the digest of the registry it was decided by
  std::string confirmation{};  ///< the confirmation token it was run with; empty: none was needed
  std::string effect{};        ///< of a failed one: its effect as it was last, as JSON
  std::string compensation{};  ///< the command that undoes it; empty: none is declared
  Instant created_at{};
  Instant updated_at{};
  std::optional<Instant> expires_at{};  ///< when its key is forgotten; unset: never

  [[nodiscard]] bool open() const { return status == Status::in_progress; }

  void write(JsonWriter& json, Written as = Written::row) const;
  [[nodiscard]] static std::optional<CommandRow> read(std::string_view json,
                                                      Written as = Written::row);
  /// In the list of its status, newest first.
  [[nodiscard]] RowIndex index(std::string_view key) const;
};

/// Somebody's approval of a command that another is to confirm, by the command's id.
struct ApprovalRow {
  static constexpr RowSpace space{2003};
  std::string id;
  std::string confirmation;
  std::string principal;
  Instant at{};

  void write(JsonWriter& json) const;
  [[nodiscard]] static std::optional<ApprovalRow> read(std::string_view json);
  [[nodiscard]] RowIndex index(std::string_view key) const;
};

/// A command as callers are told of it: of a row, whatever its status. What is sealed is shown as
/// `"[secret]"`.
void write_command(const CommandRow& row, JsonWriter& json);

}  // namespace holdfast::commands
