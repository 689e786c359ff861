// The tables that say what webhooks are: their operations, their kinds of records, their rows.

#include <array>

#include "leased_work/parameters.hpp"
#include "modules/webhooks/contract.hpp"
#include "modules/webhooks/decide.hpp"
#include "modules/webhooks/details.hpp"
#include "modules/webhooks/inbox_rows.hpp"
#include "modules/webhooks/kinds.hpp"
#include "modules/webhooks/webhooks.hpp"

namespace holdfast::webhooks {
namespace {

using leased_work::fence_field;
using leased_work::lease_field;
using leased_work::max_field;

constexpr Bounds named = leased_work::bounds_of_names(Reason::webhook_text);
constexpr Bounds said = leased_work::bounds_of_texts(Reason::webhook_text);

constexpr std::array receiving_fields{
    parameter<&Receiving::source>({.name = "source",
                                   .position = Position::path,
                                   .bounds = named,
                                   .help = "Who sends, as declared"}),
    parameter<&Receiving::event_id>(
        {.name = "event_id", .bounds = named, .schema = "Name", .help = "The id of the event"}),
    parameter<&Receiving::body_sha256>(
        {.name = "body_sha256",
         .type = ParameterType::text,
         .required = false,
         .bounds = {.size = Reason::webhook_text, .text = Reason::webhook_text},
         .schema = "Sha256",
         .help = "What the body is, to tell another one"})};

template <typename P>
constexpr Parameter id_field = leased_work::id_field<P>(named, "The entry's id");

constexpr std::array leasing_fields{
    leased_work::kinds_field<InboxLeasing>(named, "InboxKinds",
                                           "Which entries: what sources name in pull"),
    max_field<InboxLeasing>, lease_field<InboxLeasing>};

constexpr std::array completing_fields{
    id_field<InboxCompleting>, fence_field<InboxCompleting>,
    leased_work::result_field<InboxCompleting>("What came of it, as JSON")};

constexpr std::array failing_fields{
    id_field<InboxFailing>, fence_field<InboxFailing>,
    leased_work::verdict_field<InboxFailing>(named, "InboxVerdict", "retry, later or dead (retry)"),
    leased_work::error_field<InboxFailing>(said)};

constexpr std::array retrying_fields{id_field<InboxRetrying>};

constexpr std::array invalid_only{Rejection::invalid_request};
constexpr std::array holder_refusals = refusals.of_holders();
constexpr std::array operator_refusals = refusals.of_operators();
constexpr std::array died_also{kinds::died};

constexpr Policy windowed{.token_class = TokenClass::i2_windowed};
constexpr SettledLater from_row{.space = EntryRow::space, .key = keyed_row_key, .tell = tell};

/// It has no address of its own: it is asked for by whoever has found a webhook genuine.
constexpr OperationWords receiving{
    .name = "webhook.receive",
    .fields = receiving_fields,
    .told = true,
    .later = &from_row,
    .own_window = true,
    .on_reject = Receive::on_reject,
    .done = kinds::received,
    .refusals = invalid_only,
    .address = {},
    .contract = {.id = "",
                 .tag = "webhooks",
                 .summary = "Take a webhook in",
                 .description = "Of an event id that was taken in before: nothing, again.",
                 .success = "The entry of the inbox.",
                 .answer = "WebhookTaken"}};

constexpr OperationWords leasing{
    .name = "inbox.lease",
    .policy = windowed,
    .fields = leasing_fields,
    .told = true,
    .may_do_nothing = true,
    .done = kinds::leased,
    .refusals = invalid_only,
    .address = {"POST", "/v1/inbox/lease"},
    .contract = {.id = "lease_entries",
                 .tag = "inbox",
                 .summary = "Lease entries of the inbox",
                 .description =
                     "Gives a worker the next entries of these kinds, each until its lease ends. "
                     "Nobody else gets them meanwhile. Where there are none, the key stays unused.",
                 .body = {.name = "InboxLeaseRequest",
                          .description = "Which entries, how many, and for how long.",
                          .examples = R"([{"kinds": ["invoices"], "max": 10, "lease": "PT30S"}])"},
                 .success = "The entries, each with its fence.",
                 .answer = "LeasedEntries"}};

constexpr OperationWords completing{
    .name = "inbox.complete",
    .policy = windowed,
    .fields = completing_fields,
    .told = true,
    .done = kinds::completed,
    .refusals = holder_refusals,
    .address = {"POST", "/v1/inbox/{id}/complete"},
    .contract = {
        .id = "complete_entry",
        .tag = "inbox",
        .summary = "Complete an entry",
        .description = "What was to follow has happened: the entry is done.",
        .path = "EntryId",
        .body = {.name = "InboxCompleteRequest",
                 .description = "The fence, and what came of it.",
                 .examples = R"([{"fence": 1, "result": {"invoice": 7}}])"},
        .item = {.name = "InboxCompleteParameters",
                 .description = "Which entry, its fence, and what came of it.",
                 .examples =
                     R"([{"id": "w-9f86d081884c7d659a2feaa0c55ad015a3bf4f1b-1", "fence": 1}])"},
        .success = "How the entry stands.",
        .answer = "EntryState"}};

constexpr OperationWords failing{
    .name = "inbox.fail",
    .policy = windowed,
    .fields = failing_fields,
    .told = true,
    .done = kinds::postponed,
    .done_also = died_also,
    .refusals = holder_refusals,
    .address = {"POST", "/v1/inbox/{id}/fail"},
    .contract = {
        .id = "fail_entry",
        .tag = "inbox",
        .summary = "Fail an entry",
        .description = "It is tried again after a pause, until its attempts are used up. "
                       "Then it is dead, and can be tried again by an operator.",
        .path = "EntryId",
        .body = {.name = "InboxFailRequest",
                 .description = "The fence, and what went wrong.",
                 .examples = R"([{"fence": 1, "verdict": "retry", "error": "timed out"}])"},
        .item = {.name = "InboxFailParameters",
                 .description = "Which entry, its fence, and what went wrong.",
                 .examples =
                     R"([{"id": "w-9f86d081884c7d659a2feaa0c55ad015a3bf4f1b-1", "fence": 1}])"},
        .success = "How the entry stands.",
        .answer = "EntryState"}};

constexpr OperationWords retrying{
    .name = "inbox.retry",
    .policy = windowed,
    .fields = retrying_fields,
    .told = true,
    .done = kinds::reopened,
    .refusals = operator_refusals,
    .address = {"POST", "/v1/inbox/{id}/retry", true},
    .contract = {
        .id = "retry_entry",
        .tag = "inbox",
        .summary = "Have an entry tried again",
        .description = "One that waits: now. One that is dead: again, with all attempts.",
        .path = "EntryId",
        .item = {.name = "EntryParameters",
                 .description = "Which entry.",
                 .examples = R"([{"id": "w-9f86d081884c7d659a2feaa0c55ad015a3bf4f1b-1"}])"},
        .success = "How the entry stands.",
        .answer = "EntryState"}};

constexpr std::array operations{
    operation<Receiving, Receive>(receiving), operation<InboxLeasing, Lease>(leasing),
    operation<InboxCompleting, Complete>(completing), operation<InboxFailing, Fail>(failing),
    operation<InboxRetrying, Retry>(retrying)};

constexpr KindRow kind_row(RecordKind kind, std::string_view name, bool swept = false) {
  return {.kind = kind,
          .name = name,
          .subject = "inbox",
          .outcome = true,
          .does = StateChange::rows,
          .event = name,
          .swept = swept};
}

constexpr std::array kind_rows{
    kind_row(kinds::received, "webhook.received"), kind_row(kinds::leased, "inbox.leased"),
    kind_row(kinds::postponed, "inbox.postponed"), kind_row(kinds::completed, "inbox.completed"),
    kind_row(kinds::reopened, "inbox.reopened"),   kind_row(kinds::lost, "inbox.lost", true),
    kind_row(kinds::died, "inbox.died", true)};

constexpr std::array rows{row_kind<EntryRow>("inbox_entry"), row_kind<WorkRow>("inbox_work"),
                          row_kind<PayloadRow>("inbox_payload")};

constexpr std::array invariants{
    InvariantRow{"WH-1", "an event id of a source is taken in once while it is recognised or open"},
    InvariantRow{"WH-2", "every record about an entry names one that was taken in"},
    InvariantRow{"WH-3", "an entry is done once; what is dead may be tried again"},
    InvariantRow{"WH-4", "the fence of an entry is one more with each lease, and never falls"}};

constexpr std::string_view views = R"sql(
-- What records say of entries of the inbox, one by one, with the record before it about the same.
CREATE VIEW inbox_steps AS
SELECT s.seq, s.kind, s.tenant, s.id, s.status, s.fence,
       lag(s.seq) OVER steps AS before_seq, lag(s.status) OVER steps AS before_status
FROM (SELECT seq, kind, tenant, {detail text j.detail | id} AS id,
             CASE kind WHEN {webhook.received} THEN 'received'
                       ELSE {detail text j.detail | status} END AS status,
             CASE kind WHEN {webhook.received} THEN 0
                       ELSE {detail number j.detail | fence} END AS fence
      FROM journal j
      WHERE kind IN ({webhook.received}, {inbox.postponed}, {inbox.completed}, {inbox.reopened},
                     {inbox.lost}, {inbox.died})) s
WINDOW steps AS (PARTITION BY s.tenant, s.id ORDER BY s.seq);

-- WH-1: an event id of a source is taken in once while it is recognised or open.
CREATE VIEW audit_wh_1 AS
SELECT seq, NULL AS hold, 'an entry of this id was taken in before' AS problem
FROM inbox_steps
WHERE kind = {webhook.received} AND before_seq IS NOT NULL
UNION ALL
SELECT s.seq, NULL, 'another entry of the same event is not done'
FROM (SELECT seq, tenant, token, lag(seq) OVER (PARTITION BY tenant, token ORDER BY seq) AS first_seq
      FROM journal
      WHERE kind = {webhook.received}) s
{lookup join} journal f ON f.seq = s.first_seq
WHERE NOT EXISTS (SELECT 1 FROM inbox_steps e
                  WHERE e.kind = {inbox.completed} AND e.seq > f.seq AND e.seq < s.seq
                    AND {same e.tenant | f.tenant}
                    AND e.id = {detail text f.detail | id});

-- WH-2: every record about an entry names one that was taken in.
CREATE VIEW audit_wh_2 AS
SELECT seq, NULL AS hold, 'it is about an entry that no record took in' AS problem
FROM inbox_steps
WHERE id IS NULL OR (before_seq IS NULL AND kind <> {webhook.received});

-- WH-3: an entry is done once; what is dead may be tried again.
CREATE VIEW audit_wh_3 AS
SELECT seq, NULL AS hold, {say 'the entry was ' | before_status | ' already'} AS problem
FROM inbox_steps
WHERE kind <> {webhook.received}
  AND (before_status = 'done' OR (before_status = 'dead' AND kind <> {inbox.reopened}))
UNION ALL
SELECT seq, NULL, 'it says no status that an entry can have'
FROM inbox_steps
WHERE coalesce(status, '') NOT IN ('received', 'done', 'dead');

-- WH-4: the fence of an entry is one more with each lease, and never falls.
CREATE VIEW audit_wh_4 AS
SELECT seq, NULL AS hold, 'its fence is smaller than one before' AS problem
FROM (SELECT seq, fence,
             max(fence) OVER (PARTITION BY tenant, id ORDER BY seq
                              ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS most
      FROM inbox_steps) f
WHERE fence < most;
)sql";

}  // namespace

constexpr Module module{
    .name = "webhooks",
    .operations = operations,
    .kinds = kind_rows,
    .rows = rows,
    .needs = name_rows,
    .apply = apply,
    .sweep = sweep,
    .invariants = invariants,
    .books = make_books,
    .views = views,
    .shown = without_payload,
    .contract = {
        .tags = contract_tags, .parameters = contract_parameters, .schemas = contract_schemas}};

}  // namespace holdfast::webhooks
