// Submitting a command, and approving one that another is to confirm.

#include "base/utf8.hpp"
#include "modules/commands/confirmation.hpp"
#include "modules/commands/decide.hpp"
#include "modules/commands/details.hpp"
#include "modules/commands/json.hpp"
#include "modules/commands/kinds.hpp"
#include "modules/commands/prepare.hpp"

namespace holdfast::commands {
namespace {

/// One submission under way.
class Submission {
 public:
  Submission(const Submitting& what, Deciding& deciding)
      : what_(what),
        prepared_(*what.prepared),
        declaration_(*prepared_.declaration),
        deciding_(deciding),
        key_(prepared_.row_key),
        before_(deciding.rows.row<CommandRow>(deciding.tenant(), key_)) {}

  Refused decide() {
    if (keeps_its_key()) return said_again();
    if (declaration_.command_class == CommandClass::i0)
      return rejected(Reason::unregistered_command);
    if (prepared_.disagrees) return rejected(Reason::idempotency_conflict, keys_that_differ());
    if (!prepared_.misfits.empty()) return rejected(Reason::invalid_arguments, prepared_.misfits);
    if (const Reason missing = confirm(); missing != Reason::none) return refused(missing);
    return declaration_.effect.kind == EffectKind::none ? execute() : accept();
  }

 private:
  /// Whether the command before has the key although its window is over: it is still at work, or it
  /// settled so late that nobody could have asked within the window. Then it is recognised for as
  /// long again.
  [[nodiscard]] bool keeps_its_key() const {
    if (before_ == nullptr || !before_->expires_at) return false;
    if (before_->open()) return true;
    const Duration window = *before_->expires_at - before_->created_at;
    return before_->status != Status::rejected && before_->updated_at >= *before_->expires_at &&
           deciding_.now < after(before_->updated_at, window);
  }

  /// What became of it so far, without a record; of another envelope, that the key is taken.
  Refused said_again() const {
    if (before_->digest == deciding_.request.digest.hex()) return {};
    return Refusal{Rejection::execution_refused, Reason::idempotency_conflict};
  }

  [[nodiscard]] std::string id() const {
    return command_id(key_, before_ == nullptr ? 1 : before_->use + 1);
  }

  /// What is missing before the command may run; `none`: nothing is.
  [[nodiscard]] Reason confirm() {
    if (declaration_.confirm_by == ConfirmBy::nobody) return Reason::none;
    const std::string& given = deciding_.request.call.confirmation;
    if (given.empty()) return Reason::confirmation_required;
    if (before_ != nullptr && before_->confirmation == given) return Reason::confirmation_used;
    const std::string id = this->id();
    const std::string digest = deciding_.request.digest.hex();
    const Reason wrong =
        objection_to(given, {.tenant = deciding_.tenant(), .id = id, .fingerprint = digest},
                     deciding_.now, deciding_.rules);
    if (wrong != Reason::none) return wrong;
    if (declaration_.confirm_by == ConfirmBy::self || approved_by_another(given))
      return Reason::none;
    return Reason::confirmation_required;
  }

  [[nodiscard]] bool approved_by_another(const std::string& confirmation) const {
    const auto* const approval = deciding_.rows.row<ApprovalRow>(deciding_.tenant(), key_);
    return approval != nullptr && approval->id == id() && approval->confirmation == confirmation &&
           approval->principal != deciding_.request.call.caller.principal;
  }

  /// Not a word is written, and the key stays unused. A confirmation token comes with it, where one
  /// is asked for.
  Refused refused(Reason reason) {
    const std::string id = this->id();
    const std::string digest = deciding_.request.digest.hex();
    std::string about;
    JsonWriter json(about);
    json.begin_object();
    text_member(json, "command_id", id);
    if (reason == Reason::confirmation_required) {
      const Instant expires = after(deciding_.now, declaration_.confirmation_lifetime);
      text_member(json, "confirm_by", name(declaration_.confirm_by));
      text_member(
          json, "confirmation_token",
          confirmation_token({.tenant = deciding_.tenant(), .id = id, .fingerprint = digest},
                             expires, deciding_.rules));
      instant_text(json, "expires_at", expires);
    }
    json.end_object();
    deciding_.blame.detail = std::move(about);
    return Refusal{Rejection::execution_refused, reason};
  }

  [[nodiscard]] std::string keys_that_differ() const {
    std::string about;
    JsonWriter json(about);
    json.begin_object();
    text_member(json, "derived", prepared_.derived_key);
    text_member(json, "presented", deciding_.request.token());
    json.end_object();
    return about;
  }

  Refused rejected(Reason reason, std::string about = {}) {
    if (declaration_.on_reject == OnReject::release) {
      deciding_.blame.detail = about_rejection(about);
      return Refusal{Rejection::execution_rejected, reason};
    }
    Record& record = deciding_.outcome(kinds::rejected);
    record.rejection = Rejection::execution_rejected;
    record.reason = reason;
    Submitted said{.command = command(Status::rejected, record), .about = about_rejection(about)};
    said.command.reason = name(reason);
    return say(record, std::move(said));
  }

  [[nodiscard]] std::string about_rejection(const std::string& about) const {
    std::string text;
    JsonWriter json(text);
    json.begin_object();
    text_member(json, "command_id", id());
    optional_json(json, about.starts_with('[') ? "errors" : "keys", about);
    json.end_object();
    return text;
  }

  Refused execute() {
    Record& record = deciding_.outcome(kinds::executed);
    Submitted said{.command = command(Status::executed, record)};
    said.command.outcome = "{}";
    return say(record, std::move(said));
  }

  Refused accept() {
    Record& record = deciding_.outcome(kinds::accepted);
    Submitted said{.command = command(Status::in_progress, record)};
    said.effect = effect(said.command);
    return say(record, std::move(said));
  }

  static Refused say(Record& record, Submitted said) {
    record.detail = said.text();
    record.said.value = std::make_shared<const Submitted>(std::move(said));
    return {};
  }

  /// The command's row, and its end on the record.
  CommandRow command(Status status, Record& record) const {
    CommandRow row;
    row.id = id();
    row.token = deciding_.request.token();
    row.use = before_ == nullptr ? 1 : before_->use + 1;
    row.seq = record.seq;
    row.status = status;
    row.entity = what_.entity;
    row.action = what_.action;
    row.target = what_.target;
    row.args = prepared_.args;
    row.actor = what_.actor;
    row.effective_actor = what_.effective_actor;
    row.command_kind = what_.command_kind;
    row.correlation_id = what_.correlation_id;
    row.principal = deciding_.request.call.caller.principal;
    row.digest = deciding_.request.digest.hex();
    row.registry = prepared_.registry;
    if (status != Status::rejected && declaration_.confirm_by != ConfirmBy::nobody)
      row.confirmation = deciding_.request.call.confirmation;
    if (declaration_.compensation)
      row.compensation =
          declaration_.compensation->entity + "." + declaration_.compensation->action;
    row.created_at = row.updated_at = deciding_.now;
    if (declaration_.window) {
      row.expires_at = after(deciding_.now, *declaration_.window);
      record.expires_at = *row.expires_at;
    }
    return row;
  }

  [[nodiscard]] EffectRow effect(const CommandRow& command) const {
    const Effect& declared = declaration_.effect;
    EffectRow row;
    row.of_command(command, deciding_.tenant());
    row.sealed_token = prepared_.sealed_token;
    row.kind = declared.kind;
    row.shield = declared.shield;
    row.provider = declared.provider;
    row.lease.ready_at = deciding_.now;
    row.lease.attempts_max = declared.attempts_max;
    row.lease.backoff = {.first_us = static_cast<std::uint64_t>(declared.backoff.count()),
                         .most_us = static_cast<std::uint64_t>(declared.backoff_max.count())};
    return row;
  }

  const Submitting& what_;
  const Prepared& prepared_;
  const Declaration& declaration_;
  Deciding& deciding_;
  const std::string& key_;
  const CommandRow* const before_;
};

}  // namespace

void Submit::needs(const Submitting& what, Needs& needs) {
  if (what.prepared == nullptr) return;
  const std::string& key = what.prepared->row_key;
  needs.row(CommandRow::space, key);
  const Declaration* const declaration = what.prepared->declaration.get();
  if (declaration == nullptr) return;
  if (declaration->confirm_by == ConfirmBy::other) needs.row(ApprovalRow::space, key);
  if (declaration->effect.kind != EffectKind::none)
    needs.row_of(EffectRow::tenant_of_queues, EffectRow::space, key);
}

Refused Submit::decide(const Submitting& what, Deciding& deciding) {
  if (what.prepared == nullptr || what.prepared->declaration == nullptr)
    return Refusal{Rejection::execution_refused, Reason::unregistered_command};
  const bool fits = what.args.size() + what.target.size() <= json_bytes_max;
  if (!fits || !is_valid_utf8(deciding.request.token()))  // it stands in documents
    return Refusal{Rejection::invalid_request, Reason::command_text};
  return Submission(what, deciding).decide();
}

/// Of one that nobody prepared there is no command: it is refused.
const std::string& Submit::canonical(const void* parameters) {
  static const std::string none = "{}";
  const auto& what = *static_cast<const Submitting*>(parameters);
  return what.prepared == nullptr ? none : what.prepared->fingerprint;
}

OnReject Submit::on_reject(const void* parameters) {
  const auto& what = *static_cast<const Submitting*>(parameters);
  if (what.prepared == nullptr || what.prepared->declaration == nullptr) return OnReject::release;
  return what.prepared->declaration->on_reject;
}

void Approve::needs(const Approving& what, Needs& needs) {
  if (const auto key = row_key_in(what.id); !key.empty()) needs.row(ApprovalRow::space, key);
}

Refused Approve::decide(const Approving& what, Deciding& deciding) {
  if (row_key_in(what.id).empty()) return Refusal{Rejection::command_not_known};
  const Reason wrong = objection_to(what.confirmation,
                                    {.tenant = deciding.tenant(), .id = what.id, .fingerprint = {}},
                                    deciding.now, deciding.rules);
  if (wrong != Reason::none) return Refusal{Rejection::execution_rejected, wrong};
  Record& record = deciding.outcome(kinds::approved);
  record.detail = Approved{{.id = what.id,
                            .confirmation = what.confirmation,
                            .principal = deciding.request.call.caller.principal,
                            .at = deciding.now}}
                      .text();
  return {};
}

}  // namespace holdfast::commands
