// The tour through everything that can be wrong with callers, settings and disks.

#include <fmt/format.h>
#include <sqlite3.h>

#include <fstream>

#include "http/openapi_tour.hpp"
#include "routes/routes.hpp"
#include "support/disks/faulty_vfs.hpp"

namespace holdfast::test {
namespace {

using http::Role;
using std::chrono::milliseconds;

/// Addresses that look at no credential.
bool is_open(const Sent& sent) {
  if (sent.target.starts_with("/v1/webhooks/")) return true;  // their signature lets them in
  return !sent.target.starts_with("/v1/") && sent.target != "/metrics";
}

/// The disk of every store opened while this lives.
class DefaultDisk {
 public:
  DefaultDisk() { sqlite3_vfs_register(sqlite3_vfs_find(disk_.vfs().c_str()), 1); }
  ~DefaultDisk() { sqlite3_vfs_register(usual_, 1); }
  DefaultDisk(const DefaultDisk&) = delete;
  DefaultDisk& operator=(const DefaultDisk&) = delete;

  FaultyDisk& operator*() { return disk_; }

 private:
  sqlite3_vfs* const usual_ = sqlite3_vfs_find(nullptr);
  FaultyDisk disk_;
};

}  // namespace

void OpenApiTour::tour_of_keys_and_nonces() {
  for (const Change& each : changes()) {
    expect_code(ask(each.first), 400, "protocol.idempotency_key_missing");
    for (const std::string& key : {std::string("\"open"), std::string(257, 'k'), std::string("ü")})
      expect_code(ask(with_token(each.first, key)), 400, "protocol.idempotency_key_invalid");
    expect_code(ask(with(with_token(each.first, fresh()), {{"X-Nonce", std::string(257, 'n')}})),
                400, "malformed-request");
    const std::string nonce = fresh();
    const std::string quoted = "\"" + fresh() + "\"";
    EXPECT_LT(ask(with(with_token(each.first, quoted), {{"X-Nonce", nonce}})).status, 300);
    expect_code(ask(with(with_token(each.other, fresh()), {{"X-Nonce", nonce}})), 409,
                "protocol.nonce_replay");
  }
}

void OpenApiTour::tour_of_unreadable_requests() {
  for (const Sent& each : everywhere()) {
    expect_code(ask({each.method, each.target + "?%zz"}), 400, "malformed-request");
    expect_code(ask(with(each, {{"Expect", "miracles"}})), 417, "malformed-request");
    expect_code(ask(with(each, {{"Content-Length", "99999999"}})), 413, "too-large");
    expect_code(ask(with(each, {{"X-Long", std::string(20'000, 'x')}})), 431, "too-large");
  }
}

void OpenApiTour::tour_of_slow_requests() {
  http::Settings settings;
  settings.limits.header_deadline = settings.limits.body_deadline = milliseconds(100);
  go_on(settings);
  const std::vector<Sent> all = everywhere();
  std::vector<RawConnection> connections;
  for (const Sent& each : all) {
    connections.push_back(connect());
    ASSERT_TRUE(connections.back().send(text_of(with(each, {{"Content-Length", "5"}}))));
  }
  for (std::size_t i = 0; i < all.size(); ++i)
    expect_code(hear(all[i], connections[i]), 408, "too-slow");
}

void OpenApiTour::tour_of_credentials() {
  const std::string client = new_key("north", "carol", Role::client);
  const std::string auditor = new_key("north", "audrey", Role::auditor);
  begin("holdfast.db");
  std::size_t forbidden = 0;
  std::size_t not_allowed = 0;
  for (const http::Route& each : http::routes()) {
    for (const Role role : {Role::client, Role::auditor})
      not_allowed += http::allows(role, each.access) ? 0U : 1U;
  }
  for (const Sent& each : everywhere()) {
    if (is_open(each)) continue;
    expect_code(ask(each), 401, "unauthenticated");
    expect_code(ask(with(each, with_key("hf_nobody"))), 401, "unauthenticated");
    for (const std::string& who : {client, auditor})
      forbidden += ask(with(each, with_key(who))).status == 403 ? 1U : 0U;
  }
  EXPECT_EQ(forbidden, not_allowed);
  const std::string batch =
      R"({"operations":[{"token":"k","operation":"resource.declare","params":{"resource":"r","capacity":1}}]})";
  const Answered item = ask(with({"POST", "/v1/batch", {}, batch}, with_key(client)));
  EXPECT_EQ(Json(item.body).text("/results/0/body/code"), "forbidden");
  std::ofstream(http::KeyFile::beside(settings_.store), std::ios::app) << "no key\n";
  for (const Sent& each : everywhere()) {
    if (!is_open(each)) expect_code(ask(with(each, with_key(client))), 503, "store-unavailable");
  }
  stop();
}

void OpenApiTour::tour_of_rates() {
  http::Settings settings;
  settings.limits.tenant_rate = 1;
  settings.limits.tenant_burst = 1;
  begin("rates.db", settings);
  for (const Sent& each : everywhere()) {
    if (is_open(each)) continue;
    while (ask(each).status != 429) {
    }
  }
  settings = {};
  settings.limits.replay_rate = 1;
  settings.limits.replay_burst = 1;
  begin("replays.db", settings);
  const Sent sent = with_token(placing(), fresh());
  while (ask(sent).status != 429) {
  }
  const Sent repeated = webhook("payments", "evt_repeated");
  while (ask(repeated).status != 429) {
  }
}

void OpenApiTour::tour_of_foreign_pages() {
  begin("pages.db");
  for (const Sent& each : everywhere()) {
    if (is_open(each)) continue;
    std::string text = text_of(each);
    const std::string host = "Host: localhost";
    text.replace(text.find(host), host.size(), "Host: evil.example");
    RawConnection connection = connect();
    ASSERT_TRUE(connection.send(text));
    expect_code(hear(each, connection), 403, "forbidden");
  }
}

void OpenApiTour::tour_of_policies() {
  begin("policies.db");
  const std::vector<Change> all = changes();
  http::Settings confirming;
  for (const OperationRow& row : operations())
    confirming.policies[row.id].confirmation = Confirmation::required;
  go_on(confirming);
  for (const Change& each : all) {
    const Sent sent = with_token(each.first, fresh());
    const Answered asked = ask(sent);
    expect_code(asked, 409, "confirmation-required");
    const std::string code = Json(asked.body).text("/confirmation");
    EXPECT_LT(ask(with(sent, {{"X-Confirmation", code}})).status, 300);
  }

  http::Settings draft;
  draft.conflict_status = 422;
  go_on(draft);
  for (const Change& each : changes()) {
    const std::string token = fresh();
    EXPECT_LT(ask(with_token(each.first, token)).status, 300);
    const bool of_command = each.conflict == "execution.rejected";
    expect_code(ask(with_token(each.other, token)), of_command ? 409 : 422, each.conflict);
  }

  http::Settings releasing;
  for (const OperationRow& row : operations())
    releasing.policies[row.id].on_reject = OnReject::release;
  go_on(releasing);
  const Sent taken = with_token(placing(), fresh());
  EXPECT_EQ(ask(taken).status, 201);
  EXPECT_EQ(ask(with_token({"POST", "/v1/holds", {}, taken.body}, fresh())).header("retry-after"),
            "1");
  EXPECT_EQ(ask_fresh(resolving(placed(), "expire")).header("retry-after"), "1");
  EXPECT_EQ(ask_fresh(resolving("h1-000000000000000", "confirm")).header("retry-after"), "");

  http::Settings deriving;
  deriving.policies[Operation::hold_place].key_mode = KeyMode::derived;
  go_on(deriving);
  const Sent derived = placing();
  EXPECT_EQ(ask(derived).status, 201);
  EXPECT_EQ(ask(derived).header("idempotent-replayed"), "true");
  expect_code(ask_fresh(derived), 400, "protocol.idempotency_key_invalid");
}

void OpenApiTour::tour_of_calls_in_flight() {
  begin("flight.db");
  const std::vector<Change> all = changes();
  http::Settings settings;
  for (const OperationRow& row : operations())
    settings.policies[row.id].overlap_wait = std::chrono::seconds(1);
  go_on(settings);
  for (const Change& each : all) {
    const std::string token = fresh();
    const Sent same = with_token(each.first, token);
    const Sent other = with_token(each.other, token);
    hold_writer();
    RawConnection running = connect();
    ASSERT_TRUE(running.send(text_of(same)));
    wait_for_writer();
    RawConnection repeated = connect();
    RawConnection colliding = connect();
    ASSERT_TRUE(repeated.send(text_of(same)));
    ASSERT_TRUE(colliding.send(text_of(other)));
    wait_for_queued(2);
    clock_->advance(std::chrono::seconds(1));
    const Answered early = hear(same, repeated);
    expect_code(early, 409, "protocol.idempotency_in_flight");
    EXPECT_EQ(early.header("location"), "/v1/tokens/" + token);
    expect_code(hear(other, colliding), 409, each.conflict);
    expect_code(ask_get("/v1/tokens/" + token), 409, "protocol.idempotency_in_flight");
    let_writer_go();
    EXPECT_LT(hear(same, running).status, 300);
  }
  const Sent sent = webhook("payments", "evt_flight");
  hold_writer();
  RawConnection running = connect();
  ASSERT_TRUE(running.send(text_of(sent)));
  wait_for_writer();
  const Sent another = webhook("payments", "evt_flight", "{}");
  RawConnection repeated = connect();
  RawConnection colliding = connect();
  ASSERT_TRUE(repeated.send(text_of(sent)));
  ASSERT_TRUE(colliding.send(text_of(another)));
  wait_for_queued(2);
  clock_->advance(std::chrono::seconds(1));
  const Answered early = hear(sent, repeated);
  expect_code(early, 409, "protocol.idempotency_in_flight");
  expect_code(ask_get(early.header("location")), 409, "protocol.idempotency_in_flight");
  let_writer_go();
  EXPECT_EQ(hear(sent, running).status, 200);
  (void)hear(another, colliding);
  EXPECT_EQ(ask_get(early.header("location")).status, 200);
}

void OpenApiTour::tour_of_overload() {
  begin("overload.db");
  const std::vector<Change> all = changes();
  http::Settings settings;
  settings.queue_max = settings.batch_max = 1;
  settings.limits.event_streams_max = 0;
  go_on(settings);
  expect_code(ask_get("/v1/events", {{"Accept", "text/event-stream"}}), 503, "overloaded");
  hold_writer();
  const Sent first = with_token(placing(), fresh());
  const Sent second = with_token(placing(), fresh());
  RawConnection running = connect();
  ASSERT_TRUE(running.send(text_of(first)));
  wait_for_writer();
  RawConnection queued = connect();
  ASSERT_TRUE(queued.send(text_of(second)));
  wait_for_queued(1);
  for (const Change& each : all) expect_code(ask_fresh(each.first), 503, "overloaded");
  expect_code(ask(webhook("payments", "evt_overload")), 503, "overloaded");
  let_writer_go();
  EXPECT_EQ(hear(first, running).status, 201);
  EXPECT_EQ(hear(second, queued).status, 201);
  read_evidence_in_steps();
}

/// A journal that takes longer to read than a request may is read by several.
void OpenApiTour::read_evidence_in_steps() {
  std::string items;
  for (int i = 0; i < 5000; ++i) {
    items += fmt::format(
        R"({}{{"token":"y{}","operation":"hold.place","params":{{"resource":"y{}","requester":"q","duration":60}}}})",
        i == 0 ? "" : ",", i, i);
  }
  http::Settings settings;
  settings.limits.evidence_deadline = std::chrono::milliseconds(1);
  go_on(settings);
  ASSERT_EQ(call("POST", "/v1/batch", {}, R"({"operations":[)" + items + "]}").status, 200);
  expect_code(ask_get("/v1/evidence/head"), 503, "overloaded");
  expect_code(ask_get("/v1/evidence/1/proof"), 503, "overloaded");
  Answered head = ask_get("/v1/evidence/head");
  while (head.status == 503) head = ask_get("/v1/evidence/head");
  EXPECT_EQ(head.status, 200);
}

void OpenApiTour::tour_of_a_failing_disk() {
  stop();
  DefaultDisk disk;
  begin("failing.db");
  const std::vector<Change> all = changes();
  const std::string id = placed();
  const std::string group = grouped();
  const std::string command = submitted("parcel.ship");
  const std::string entry = taken_in("payments");
  const std::string subscription = subscribed();
  const std::string token = fmt::format("t-{}", fresh());
  ASSERT_EQ(ask(with_token(placing(), token)).status, 201);
  (*disk).set_fault([](const DiskCall& call) {
    if (call.action == DiskAction::sync) return SQLITE_IOERR_FSYNC;
    return call.action == DiskAction::read ? SQLITE_IOERR_READ : SQLITE_OK;
  });
  for (const Change& each : all) expect_code(ask_fresh(each.first), 503, "store-unavailable");
  expect_code(ask(webhook("payments", "evt_failing")), 503, "store-unavailable");
  for (const std::string& target : {std::string("/v1/holds"),
                                    "/v1/holds/" + id,
                                    "/v1/groups/" + group,
                                    std::string("/v1/commands"),
                                    "/v1/commands/" + command,
                                    std::string("/v1/effects"),
                                    "/v1/effects/" + command,
                                    std::string("/v1/inbox"),
                                    "/v1/inbox/" + entry,
                                    std::string("/v1/subscriptions"),
                                    "/v1/subscriptions/" + subscription,
                                    "/v1/subscriptions/" + subscription + "/secret",
                                    std::string("/v1/resources"),
                                    std::string("/v1/resources/seats"),
                                    std::string("/v1/resources/seats/availability"),
                                    "/v1/tokens/" + token,
                                    std::string("/v1/events"),
                                    std::string("/v1/evidence"),
                                    std::string("/v1/evidence/head"),
                                    std::string("/v1/evidence/1/proof"),
                                    std::string("/v1/audit"),
                                    std::string("/readyz")}) {
    expect_code(ask_get(target), 503, "store-unavailable");
  }
  stop();
}

}  // namespace holdfast::test
