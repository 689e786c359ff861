// The tables that say what commands are: their operations, their kinds of records, their rows.

#include <array>

#include "leased_work/parameters.hpp"
#include "modules/commands/command_row.hpp"
#include "modules/commands/commands.hpp"
#include "modules/commands/contract.hpp"
#include "modules/commands/decide.hpp"
#include "modules/commands/kinds.hpp"
#include "modules/commands/registry_row.hpp"
#include "modules/commands/secrets.hpp"

namespace holdfast::commands {
namespace {

using leased_work::fence_field;
using leased_work::lease_field;
using leased_work::max_field;
using leased_work::result_field;

constexpr Bounds named = leased_work::bounds_of_names(Reason::command_text);
constexpr Bounds said = leased_work::bounds_of_texts(Reason::command_text);

template <auto Member>
constexpr Parameter text_field(std::string_view name, std::string_view help,
                               std::string_view canonical = {}) {
  return parameter<Member>({.name = name,
                            .canonical = canonical,
                            .type = ParameterType::text,
                            .required = false,
                            .bounds = said,
                            .schema = "CommandText",
                            .help = help});
}

template <auto Member>
constexpr Parameter json_field(std::string_view name, std::string_view schema,
                               std::string_view help) {
  return parameter<Member>({.name = name,
                            .type = ParameterType::json,
                            .required = false,
                            .schema = schema,
                            .help = help});
}

constexpr Parameter within_intent(Parameter field) {
  field.within = "intent";
  return field;
}

constexpr Parameter ephemeral(Parameter field) {
  field.ephemeral = true;
  return field;
}

constexpr std::array submitting_fields{
    within_intent(parameter<&Submitting::entity>({.name = "entity",
                                                  .bounds = named,
                                                  .schema = "Name",
                                                  .help = "What is acted on, as declared"})),
    within_intent(parameter<&Submitting::action>({.name = "action",
                                                  .bounds = named,
                                                  .schema = "Name",
                                                  .help = "What is done to it, as declared"})),
    within_intent(json_field<&Submitting::target>("target", "CommandTarget", "Which one, as JSON")),
    json_field<&Submitting::args>("args", "CommandArgs", "The arguments, a JSON object"),
    text_field<&Submitting::actor>("actor_id", "Who asks (the caller)", "actor"),
    text_field<&Submitting::effective_actor>("effective_actor_id", "On whose behalf (the actor)",
                                             "effective_actor"),
    text_field<&Submitting::command_kind>("command_kind", "The kind of command"),
    ephemeral(text_field<&Submitting::correlation_id>("correlation_id",
                                                      "What ties it to other messages")),
    ephemeral(text_field<&Submitting::tenant>("tenant_id", "The tenant, if it is to be checked")),
    ephemeral(text_field<&Submitting::idempotency_key>("idempotency_key",
                                                       "The key, where no header has it")),
    ephemeral(text_field<&Submitting::confirmation>("confirmation_token",
                                                    "The confirmation token it was given"))};

template <typename P>
constexpr Parameter id_field = leased_work::id_field<P>(named, "The command's id");

constexpr std::array approving_fields{
    id_field<Approving>,
    parameter<&Approving::confirmation>({.name = "confirmation_token",
                                         .bounds = named,
                                         .schema = "Name",
                                         .help = "The confirmation token of the command"})};

constexpr std::array leasing_fields{
    leased_work::kinds_field<Leasing>(named, "EffectKinds",
                                      "Which effects: the names of their providers"),
    max_field<Leasing>, lease_field<Leasing>};

constexpr std::array renewing_fields{id_field<Renewing>, fence_field<Renewing>,
                                     lease_field<Renewing>};

constexpr std::array completing_fields{id_field<Completing>, fence_field<Completing>,
                                       result_field<Completing>("What came of it, as JSON")};

constexpr std::array failing_fields{
    id_field<Failing>, fence_field<Failing>,
    leased_work::verdict_field<Failing>(named, "EffectVerdict",
                                        "retry, refused, unknown or absent (retry)"),
    leased_work::error_field<Failing>(said),
    result_field<Failing>("What the provider answered, as JSON")};

constexpr std::array retrying_fields{id_field<Retrying>};

constexpr std::array resolving_fields{
    id_field<Resolving>,
    parameter<&Resolving::status>({.name = "status",
                                   .bounds = named,
                                   .schema = "EndStatus",
                                   .help = "executed, failed or compensated"}),
    result_field<Resolving>("What is known of it, as JSON")};

constexpr std::array cancelling_fields{id_field<CancellingEffect>};

constexpr std::array adopting_fields{
    parameter<&Adopting::digest>({.name = "digest",
                                  .bounds = named,
                                  .schema = "RegistryDigest",
                                  .help = "The digest of the registry"})};

constexpr std::array submitting_refusals{Rejection::invalid_request, Rejection::execution_refused,
                                         Rejection::execution_rejected, Rejection::in_progress};
constexpr std::array approving_refusals{Rejection::invalid_request, Rejection::command_not_known,
                                        Rejection::execution_rejected};
constexpr std::array leasing_refusals{Rejection::invalid_request};
constexpr std::array holder_refusals = refusals.of_holders();
constexpr std::array operator_refusals = refusals.of_operators();
constexpr std::array adopting_refusals{Rejection::invalid_request};

constexpr std::array submitted_also{kinds::executed, kinds::rejected};
constexpr std::array settled_also{kinds::settled};

constexpr Policy windowed{.token_class = TokenClass::i2_windowed};

constexpr SettledLater from_row{.space = CommandRow::space, .key = row_key, .tell = tell};

constexpr Shape effect_named{
    .name = "EffectParameters",
    .description = "Which effect, by its command.",
    .examples = R"([{"id": "c-9f86d081884c7d659a2feaa0c55ad015a3bf4f1b-1"}])"};

constexpr OperationWords submitting{
    .name = "command.submit",
    .fields = submitting_fields,
    .told = true,
    .later = &from_row,
    .own_window = true,
    .on_reject = Submit::on_reject,
    .canonical = Submit::canonical,
    .key_optional = true,
    .collision = {Rejection::execution_rejected, Reason::idempotency_conflict},
    .done = kinds::accepted,
    .done_also = submitted_also,
    .refusals = submitting_refusals,
    .address = {"POST", "/v1/commands"},
    .contract = {.id = "submit_command",
                 .tag = "commands",
                 .summary = "Submit a command",
                 .description =
                     "Runs a command of the registry exactly once. One without an effect outside "
                     "is executed at once. Of one with an effect the answer is 202 until the "
                     "effect has settled; whoever repeats the call gets the outcome then. With "
                     "`?wait=10s` the answer waits for it.",
                 .body = {.name = "SubmitRequest",
                          .description = "The command's envelope.",
                          .examples = submit_examples},
                 .item = {.name = "SubmitParameters",
                          .description = "The command's envelope.",
                          .examples = submit_examples},
                 .success = "The command, as it stands.",
                 .answer = "CommandDocument"}};

constexpr OperationWords approving{
    .name = "command.approve",
    .policy = windowed,
    .fields = approving_fields,
    .told = true,
    .done = kinds::approved,
    .refusals = approving_refusals,
    .address = {"POST", "/v1/commands/{id}/approve"},
    .contract = {
        .id = "approve_command",
        .tag = "commands",
        .summary = "Approve a command",
        .description = "Four eyes: somebody other than who submits the command approves "
                       "it, with its confirmation token. It runs when it is submitted "
                       "again with that token.",
        .path = "CommandId",
        .body = {.name = "ApproveRequest",
                 .description = "The confirmation token of the command.",
                 .examples = R"([{"confirmation_token": "ct-6413c0b2a1-00ff"}])"},
        .item =
            {.name = "ApproveParameters",
             .description = "Which command, and its confirmation token.",
             .examples =
                 R"([{"id": "c-9f86d081884c7d659a2feaa0c55ad015a3bf4f1b-1", "confirmation_token": "ct-6413c0b2a1-00ff"}])"},
        .success = "What was approved, and by whom.",
        .answer = "Approval"}};

constexpr OperationWords leasing{
    .name = "effect.lease",
    .policy = windowed,
    .fields = leasing_fields,
    .told = true,
    .may_do_nothing = true,
    .shown = without_secrets,
    .done = kinds::leased,
    .refusals = leasing_refusals,
    .address = {"POST", "/v1/effects/lease"},
    .contract = {.id = "lease_effects",
                 .tag = "effects",
                 .summary = "Lease effects",
                 .description =
                     "Gives a worker the next effects of these kinds, each until its lease ends. "
                     "Nobody else gets them meanwhile. Where there are none, the key stays unused.",
                 .body = {.name = "LeaseRequest",
                          .description = "Which effects, how many, and for how long.",
                          .examples = R"([{"kinds": ["warehouse"], "max": 10, "lease": "PT30S"}])"},
                 .success = "The effects, each with its fence.",
                 .answer = "LeasedEffects"}};

constexpr OperationWords renewing{
    .name = "effect.renew",
    .policy = windowed,
    .fields = renewing_fields,
    .told = true,
    .done = kinds::renewed,
    .refusals = holder_refusals,
    .address = {"POST", "/v1/effects/{id}/renew"},
    .contract = {
        .id = "renew_effect",
        .tag = "effects",
        .summary = "Renew a lease",
        .description = "Makes a lease end that long after now, if that is later.",
        .path = "CommandId",
        .body = {.name = "RenewRequest",
                 .description = "The fence, and for how long.",
                 .examples = R"([{"fence": 1, "lease": "PT1M"}])"},
        .item = {.name = "RenewParameters",
                 .description = "Which effect, its fence, and for how long.",
                 .examples =
                     R"([{"id": "c-9f86d081884c7d659a2feaa0c55ad015a3bf4f1b-1", "fence": 1}])"},
        .success = "How the effect stands.",
        .answer = "EffectState"}};

constexpr OperationWords completing{
    .name = "effect.complete",
    .policy = windowed,
    .fields = completing_fields,
    .told = true,
    .done = kinds::settled,
    .done_also = std::span(&kinds::postponed, 1),
    .refusals = holder_refusals,
    .address = {"POST", "/v1/effects/{id}/complete"},
    .contract = {
        .id = "complete_effect",
        .tag = "effects",
        .summary = "Complete an effect",
        .description = "Says that the effect took place. Its command is executed.",
        .path = "CommandId",
        .body = {.name = "CompleteRequest",
                 .description = "The fence, and what came of it.",
                 .examples = R"([{"fence": 1, "result": {"charge": "ch_1"}}])"},
        .item = {.name = "CompleteParameters",
                 .description = "Which effect, its fence, and what came of it.",
                 .examples =
                     R"([{"id": "c-9f86d081884c7d659a2feaa0c55ad015a3bf4f1b-1", "fence": 1}])"},
        .success = "How the command ended, or how its effect stands.",
        .answer = "EffectState"}};

constexpr OperationWords failing{
    .name = "effect.fail",
    .policy = windowed,
    .fields = failing_fields,
    .told = true,
    .done = kinds::postponed,
    .done_also = settled_also,
    .refusals = holder_refusals,
    .address = {"POST", "/v1/effects/{id}/fail"},
    .contract = {
        .id = "fail_effect",
        .tag = "effects",
        .summary = "Fail an effect",
        .description =
            "Says that the effect did not take place (`retry`, `refused`), or that nobody "
            "knows (`unknown`): then its shield says what is done.",
        .path = "CommandId",
        .body = {.name = "FailRequest",
                 .description = "The fence, and what went wrong.",
                 .examples = R"([{"fence": 1, "verdict": "retry", "error": "timed out"}])"},
        .item = {.name = "FailParameters",
                 .description = "Which effect, its fence, and what went wrong.",
                 .examples =
                     R"([{"id": "c-9f86d081884c7d659a2feaa0c55ad015a3bf4f1b-1", "fence": 1}])"},
        .success = "How the effect stands, or how its command ended.",
        .answer = "EffectState"}};

constexpr OperationWords retrying{
    .name = "effect.retry",
    .policy = windowed,
    .fields = retrying_fields,
    .told = true,
    .done = kinds::reopened,
    .refusals = operator_refusals,
    .address = {"POST", "/v1/effects/{id}/retry", true},
    .contract = {.id = "retry_effect",
                 .tag = "effects",
                 .summary = "Have an effect tried again",
                 .description = "Of one that waits: now. Of one whose command failed: again.",
                 .path = "CommandId",
                 .item = effect_named,
                 .success = "How the effect stands.",
                 .answer = "EffectState"}};

constexpr OperationWords resolving{
    .name = "effect.resolve",
    .policy = windowed,
    .fields = resolving_fields,
    .told = true,
    .done = kinds::settled,
    .refusals = operator_refusals,
    .address = {"POST", "/v1/effects/{id}/resolve", true},
    .contract = {
        .id = "resolve_effect",
        .tag = "effects",
        .summary = "Say how a command ended",
        .description = "For operators who know better: the outcome was unknown, or the "
                       "command was undone.",
        .path = "CommandId",
        .body = {.name = "ResolveRequest",
                 .description = "How it ended.",
                 .examples = R"([{"status": "executed", "result": {"charge": "ch_1"}}])"},
        .item =
            {.name = "ResolveEffectParameters",
             .description = "Which effect, and how it ended.",
             .examples =
                 R"([{"id": "c-9f86d081884c7d659a2feaa0c55ad015a3bf4f1b-1", "status": "failed"}])"},
        .success = "How the command ended.",
        .answer = "EffectState"}};

constexpr OperationWords cancelling{
    .name = "effect.cancel",
    .policy = windowed,
    .fields = cancelling_fields,
    .told = true,
    .done = kinds::settled,
    .refusals = operator_refusals,
    .address = {"POST", "/v1/effects/{id}/cancel", true},
    .contract = {.id = "cancel_effect",
                 .tag = "effects",
                 .summary = "Give an effect up",
                 .description = "Of one that waits: it is not tried again, and its command failed.",
                 .path = "CommandId",
                 .item = effect_named,
                 .success = "How the command ended.",
                 .answer = "EffectState"}};

constexpr OperationWords adopting{
    .name = "registry.adopt",
    .policy = windowed,
    .fields = adopting_fields,
    .told = true,
    .may_do_nothing = true,
    .done = kinds::registry,
    .refusals = adopting_refusals,
    .address = {"POST", "/v1/registry", true},
    .contract = {
        .id = "adopt_registry",
        .tag = "commands",
        .summary = "Say which registry is in force",
        .description =
            "Writes into the journal which registry is in force from now on. The service "
            "does this by itself when it starts with another registry, and when it reads "
            "one. Where the journal says so already, the key stays unused. This does not "
            "change what is in force.",
        .body =
            {.name = "AdoptRequest",
             .description = "The digest of the registry.",
             .examples =
                 R"([{"digest": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"}])"},
        .success = "The registry in force.",
        .answer = "RegistryState"}};

constexpr std::array operations{
    operation<Submitting, Submit>(submitting), operation<Leasing, Lease>(leasing),
    operation<Renewing, Renew>(renewing),      operation<Completing, Complete>(completing),
    operation<Failing, Fail>(failing),         operation<Retrying, Retry>(retrying),
    operation<Resolving, Resolve>(resolving),  operation<CancellingEffect, Cancel>(cancelling),
    operation<Approving, Approve>(approving),  operation<Adopting, Adopt>(adopting)};

constexpr KindRow kind_row(RecordKind kind, std::string_view name, std::string_view subject,
                           bool swept = false, bool outcome = true) {
  return {.kind = kind,
          .name = name,
          .subject = subject,
          .outcome = outcome,
          .does = StateChange::rows,
          .event = name,
          .swept = swept};
}

constexpr std::array kind_rows{kind_row(kinds::accepted, "command.accepted", "command"),
                               kind_row(kinds::executed, "command.executed", "command"),
                               kind_row(kinds::rejected, "command.rejected", "command"),
                               kind_row(kinds::leased, "effect.leased", "effect"),
                               kind_row(kinds::renewed, "effect.renewed", "effect"),
                               kind_row(kinds::postponed, "effect.postponed", "effect"),
                               kind_row(kinds::settled, "command.settled", "command", true),
                               kind_row(kinds::reopened, "effect.reopened", "effect"),
                               kind_row(kinds::approved, "command.approved", "command"),
                               kind_row(kinds::lost, "effect.lost", "effect", true),
                               kind_row(kinds::registry, "registry.changed", "registry")};

constexpr std::array rows{row_kind<CommandRow>("command"), row_kind<EffectRow>("effect"),
                          row_kind<ApprovalRow>("approval"), row_kind<RegistryRow>("registry")};

constexpr std::array invariants{
    InvariantRow{"CMD-1", "a key has one command in progress, and each submission is a new one"},
    InvariantRow{"CMD-2", "every record about a command or effect names one that was submitted"},
    InvariantRow{"CMD-3", "a command ends once; what failed may be tried again or resolved"},
    InvariantRow{"CMD-4", "the fence of an effect is one more with each lease, and never falls"},
    InvariantRow{"CMD-5",
                 "a registry that is adopted is another than the one before, and names it"}};

constexpr std::string_view views = R"sql(
-- What records say of commands, one by one, with the record before it about the same one.
CREATE VIEW command_steps AS
SELECT s.seq, s.kind, s.tenant, s.id, s.status, s.fence,
       lag(s.seq) OVER steps AS before_seq, lag(s.kind) OVER steps AS before_kind,
       lag(s.status) OVER steps AS before_status
FROM (SELECT seq, kind, tenant, {detail text j.detail | id} AS id,
             CASE kind WHEN {command.accepted} THEN 'in_progress'
                       WHEN {command.executed} THEN 'executed'
                       WHEN {command.rejected} THEN 'rejected'
                       WHEN {command.settled} THEN {detail text j.detail | ended}
                       ELSE 'in_progress' END AS status,
             CASE WHEN kind IN ({command.accepted}, {command.executed}, {command.rejected}) THEN 0
                  ELSE {detail number j.detail | fence} END AS fence
      FROM journal j
      WHERE kind IN ({command.accepted}, {command.executed}, {command.rejected}, {effect.renewed},
                     {effect.postponed}, {command.settled}, {effect.reopened}, {effect.lost})) s
WINDOW steps AS (PARTITION BY s.tenant, s.id ORDER BY s.seq);

-- CMD-1: a key has one command in progress, and each submission is a new one.
CREATE VIEW audit_cmd_1 AS
SELECT seq, NULL AS hold, 'a command of this id was submitted before' AS problem
FROM command_steps
WHERE kind IN ({command.accepted}, {command.executed}, {command.rejected})
  AND before_seq IS NOT NULL
UNION ALL
SELECT s.seq, NULL, 'another command of the same key is in progress'
FROM (SELECT seq, tenant, token, lag(seq) OVER (PARTITION BY tenant, token ORDER BY seq) AS first_seq
      FROM journal
      WHERE kind IN ({command.accepted}, {command.executed}, {command.rejected})) s
{lookup join} journal f ON f.seq = s.first_seq
WHERE f.kind = {command.accepted}
  AND NOT EXISTS (SELECT 1 FROM command_steps e
                  WHERE e.kind = {command.settled} AND e.seq > f.seq AND e.seq < s.seq
                    AND {same e.tenant | f.tenant}
                    AND e.id = {detail text f.detail | id});

-- CMD-2: every record about a command or effect names one that was submitted.
CREATE VIEW audit_cmd_2 AS
SELECT seq, NULL AS hold, 'it is about a command that no record submitted' AS problem
FROM command_steps
WHERE id IS NULL
   OR (before_seq IS NULL
       AND kind NOT IN ({command.accepted}, {command.executed}, {command.rejected}));

-- CMD-3: a command ends once; what failed may be tried again or resolved.
CREATE VIEW audit_cmd_3 AS
SELECT seq, NULL AS hold, {say 'the command was ' | before_status | ' already'} AS problem
FROM command_steps
WHERE before_seq IS NOT NULL
  AND kind NOT IN ({command.accepted}, {command.executed}, {command.rejected})
  AND before_status <> 'in_progress'
  AND NOT (before_status = 'failed' AND kind = {effect.reopened})
  AND NOT (before_status = 'failed' AND kind = {command.settled} AND status <> 'failed')
  AND NOT (before_status = 'executed' AND kind = {command.settled} AND status = 'compensated')
UNION ALL
SELECT seq, NULL, 'it says no status that a command can end in'
FROM command_steps
WHERE kind = {command.settled} AND id IS NOT NULL AND before_seq IS NOT NULL
  AND coalesce(status, '') NOT IN ('executed', 'failed', 'compensated');

-- CMD-4: the fence of an effect is one more with each lease, and never falls.
-- What a lease says stands in a list, and is for `holdfast audit`: here is what came of it.
CREATE VIEW audit_cmd_4 AS
SELECT seq, NULL AS hold, 'its fence is smaller than one before' AS problem
FROM (SELECT seq, kind, fence,
             max(fence) OVER (PARTITION BY tenant, id ORDER BY seq
                              ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS most
      FROM command_steps) f
WHERE fence < most
  AND kind NOT IN ({command.accepted}, {command.executed}, {command.rejected})
  AND NOT (kind = {command.settled} AND fence = 0);

-- CMD-5: a registry that is adopted is another than the one before, and names it.
CREATE VIEW audit_cmd_5 AS
SELECT seq, NULL AS hold, 'it does not follow the registry adopted before' AS problem
FROM (SELECT seq, digest, previous, lag(digest) OVER (ORDER BY seq) AS earlier
      FROM (SELECT seq, {detail text j.detail | digest} AS digest,
                   {detail text j.detail | previous} AS previous
            FROM journal j
            WHERE kind = {registry.changed}) said) r
WHERE digest IS NULL OR digest = coalesce(earlier, '') OR
      coalesce(previous, '') <> coalesce(earlier, '');
)sql";

}  // namespace

constexpr Module module{
    .name = "commands",
    .operations = operations,
    .kinds = kind_rows,
    .rows = rows,
    .needs = name_rows,
    .apply = apply,
    .sweep = sweep,
    .invariants = invariants,
    .books = make_books,
    .views = views,
    .shown = without_secrets,
    .contract = {
        .tags = contract_tags, .parameters = contract_parameters, .schemas = contract_schemas}};

}  // namespace holdfast::commands
