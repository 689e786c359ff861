// The client and the service, together.

#include <fmt/format.h>

#include <set>

#include "client/fixture.hpp"
#include "domain/operation.hpp"
#include "support/http/http_server.hpp"
#include "support/stores/service_test.hpp"

namespace holdfast::test {
namespace {

using testing::SizeIs;

class WithService : public HttpTest {
 protected:
  [[nodiscard]] ClientOptions options() const { return {.url = server_->address()}; }
  [[nodiscard]] Client client() const { return client(options()); }
  [[nodiscard]] static Client client(ClientOptions options) {
    auto client = holdfast::connect(std::move(options));
    EXPECT_TRUE(client) << client.error().message;
    return std::move(*client);
  }

  /// The client's answer is the engine's, word for word, at first and when it is repeated.
  void expect_same(Client& rooms, const Call& call) {
    const Reply reply = rooms.submit(call);
    ASSERT_TRUE(reply) << reply.error().text();
    std::promise<Answer> promise;
    server_->service().submit(call, [&](Answer answer) { promise.set_value(std::move(answer)); });
    Answer own = promise.get_future().get();
    // Of the hold a refusal is about, only its state is told.
    if (own.rejection == Rejection::not_held && own.hold) {
      own.hold = Hold{};
      own.hold->id = hold_named_by(call.command);
      own.hold->state = reply->hold->state;
    } else if (own.rejection) {
      own.hold.reset();
    }
    EXPECT_EQ(words(*reply), words(own));
    EXPECT_FALSE(reply->replayed);
    const Reply again = rooms.submit(call);
    ASSERT_TRUE(again) << again.error().text();
    EXPECT_EQ(words(*again), words(*reply));
    EXPECT_EQ(again->replayed, reply->recorded);
  }
};

TEST_F(WithService, questions_are_answered_as_by_the_library) {
  start();
  Client rooms = client();
  ASSERT_TRUE(rooms.declare("seats", 9));
  const Reply placed = rooms.place(Grouping{
      .requester = "g", .duration = std::chrono::hours(1), .holds = {{"a"}, {"seats", 4}}});
  ASSERT_TRUE(placed && placed->ok());
  const Group group = group_in(*placed).value();
  const auto shown = rooms.group(group.id);
  ASSERT_TRUE(shown && *shown);
  EXPECT_EQ((*shown)->holds, group.holds);
  EXPECT_FALSE(rooms.group({{77, 7}})->has_value());

  const auto seats = rooms.availability("seats");
  ASSERT_TRUE(seats);
  EXPECT_EQ(*seats, (Availability{.resource = "seats",
                                  .capacity = 9,
                                  .held = 4,
                                  .next_expiry = group.holds[1].expires_at}));
  Placing five{
      .resource = "seats", .requester = "g", .duration = std::chrono::hours(1), .quantity = 5};
  const auto would = rooms.try_place(five);
  ASSERT_TRUE(would && would->ok());
  EXPECT_EQ(would->hold->quantity, 5);
  five.quantity = 6;
  EXPECT_EQ(rooms.try_place(five)->rejection, Rejection::resource_unavailable);
  five.quantity = 10;
  EXPECT_EQ(rooms.try_place(five)->rejection, Rejection::invalid_request);
  EXPECT_EQ(rooms.try_place(five)->reason, Reason::quantity_above_capacity);
  EXPECT_EQ(rooms.availability("seats")->held, 4) << "nothing was done";
  EXPECT_EQ(rooms.holds({.resource_prefix = "sea"})->items.size(), 1U);
  EXPECT_EQ(rooms.resources({.prefix = "a"})->items.size(), 1U);
}

TEST_F(WithService, GetsTheEnginesAnswers) {
  start();
  Client rooms = client();
  const HoldId id = rooms.place(stay, Token("t0"))->hold->id;
  expect_same(rooms, declare("a/b \u00f6", 3, "t1"));
  expect_same(rooms,
              test::place({.resource = "a/b \u00f6", .requester = "q", .duration = 1h}, "order 1"));
  expect_same(rooms,
              test::place({.resource = "a/b \u00f6", .requester = "q", .duration = 1ms}, "t2"));
  expect_same(rooms, test::place(stay, "t3"));
  expect_same(rooms, test::place({.resource = "r", .requester = "q", .duration = -5min}, "t4"));
  expect_same(rooms, test::place({.resource = " ", .requester = "q", .duration = 1us}, "t5"));
  expect_same(
      rooms, test::place({.resource = "r", .requester = "q", .duration = 1h, .quantity = 2}, "t6"));
  expect_same(rooms, confirm(id, "t7"));
  expect_same(rooms, confirm(id, "t8"));
  expect_same(rooms, release({7, 7}, "t9"));
  expect_same(rooms, expire(rooms.place({"s", "q", 1h}, Token("t10"))->hold->id, "t11"));
  expect_same(rooms, confirm(id, R"(t0)"));
  expect_same(rooms, declare("a/b \u00f6", 1, R"("quoted\)"));
}

TEST_F(WithService, GetsTheEnginesAnswersAboutHoldsThatChange) {
  start();
  Client rooms = client();
  ASSERT_THAT(rooms.declare("seats", 9), is_done());
  const HoldId id =
      rooms
          .place({.resource = "seats", .requester = "q", .duration = 1h, .quantity = 5}, Token("p"))
          ->hold->id;
  expect_same(rooms, extend(id, 2h, "e1"));
  expect_same(rooms, extend(id, 0s, "e2"));
  expect_same(rooms, extend({7, 7}, 1h, "e3"));
  expect_same(rooms, extend(id, std::chrono::hours(24 * 366), "e4"));
  expect_same(rooms, cancel(id, "x1"));
  expect_same(rooms, confirm_part(id, 2, "c1"));
  expect_same(rooms, confirm_part(id, 4, "c2"));
  expect_same(rooms, confirm_part(id, 0, "c3"));
  expect_same(rooms, cancel_part(id, 1, "x2"));
  expect_same(rooms, cancel_part(id, 2, "x3"));
  expect_same(rooms, confirm_finally(id, 1, "c4"));
  expect_same(rooms, extend(id, 3h, "e5"));
  expect_same(rooms, cancel(id, "x4"));
  expect_same(rooms, cancel({7, 7}, "x5"));
  const auto shown = rooms.hold(id);
  ASSERT_TRUE(shown && *shown);
  EXPECT_EQ((*shown)->hold.quantity_confirmed, 3);
  EXPECT_EQ((*shown)->hold.quantity_released(), 2);
  EXPECT_EQ((*shown)->hold.quantity_cancelled, 3);
}

TEST_F(WithService, GetsTheEnginesAnswersAboutGroups) {
  start();
  Client rooms = client();
  ASSERT_THAT(rooms.declare("a \u00f6", 3), is_done());
  const Grouping pair{.requester = "q \"\\", .duration = 1h, .holds = {{"a \u00f6", 2}, {"b"}}};
  const Reply placed = rooms.submit(place_group(pair, "g1"));
  ASSERT_THAT(placed, is_done());
  const auto group = group_in(*placed);
  ASSERT_TRUE(group);
  EXPECT_EQ(group->holds[0].resource, "a \u00f6");
  EXPECT_EQ(group->holds[1].group, group->id);
  const auto member = rooms.hold(group->holds[1].id);
  ASSERT_TRUE(member && *member);
  EXPECT_EQ((*member)->hold, group->holds[1]);
  expect_same(rooms, place_group(pair, "g2"));
  expect_same(rooms, place_group({.requester = "q", .duration = 1h, .holds = {}}, "g3"));
  expect_same(rooms, place_group({.requester = "q", .duration = 1h, .holds = {{"c"}}}, "g4"));
  expect_same(rooms, extend_group(group->id, 2h, "e"));
  expect_same(rooms, confirm_group(group->id, "c"));
  expect_same(rooms, release_group(group->id, "r"));
  expect_same(rooms, confirm_group({{7, 7}}, "n"));
  const auto found = rooms.token(Token("g1"));
  ASSERT_TRUE(found && *found);
  EXPECT_EQ((*found)->answer.document, placed->document);
  const auto batch = rooms.submit(std::vector<Call>{place_group(pair, "g1"),
                                                    extend(group->holds[0].id, 3h, "late"),
                                                    cancel(group->holds[0].id, "x")});
  ASSERT_TRUE(batch[0] && batch[1] && batch[2]);
  EXPECT_EQ(batch[0]->document, placed->document);
  EXPECT_EQ(batch[1]->rejection, Rejection::not_held);
  EXPECT_THAT(batch[2], is_done());
}

TEST_F(WithService, Reads) {
  start();
  Client rooms = client();
  const HoldId id = rooms.place(stay, Token("a \"b\"/c"))->hold->id;
  for (int i = 0; i < 4; ++i) {
    ASSERT_THAT(rooms.place({fmt::format("r{}", i), "q", 1h}), is_done());
  }
  ASSERT_THAT(rooms.confirm(id, Token("t1")), is_done());
  const auto hold = rooms.hold(id);
  ASSERT_TRUE(hold && *hold);
  EXPECT_EQ((*hold)->token, "a \"b\"/c");
  EXPECT_EQ((*hold)->hold.state, HoldState::confirmed);
  EXPECT_FALSE(*rooms.hold({99, 1}));

  const auto token = rooms.token(Token("a \"b\"/c"));
  ASSERT_TRUE(token && *token);
  EXPECT_EQ((*token)->answer.hold->id, id);
  EXPECT_FALSE(*rooms.token(Token("never")));

  HoldQuery query{.limit = 2};
  std::set<std::string> resources;
  do {
    const auto page = rooms.holds(query);
    ASSERT_TRUE(page) << page.error().text();
    for (const HoldDetails& each : page->items) resources.insert(each.hold.resource);
    query.cursor = page->next;
  } while (!query.cursor.empty());
  EXPECT_THAT(resources, SizeIs(5));
  EXPECT_THAT(rooms.holds({.state = HoldState::confirmed})->items, SizeIs(1));
  EXPECT_EQ(rooms.resource("room_307")->in_use, 1);
  EXPECT_THAT(rooms.resources({.limit = 3})->items, SizeIs(3));
  EXPECT_EQ(rooms.holds({.cursor = "nonsense"}).error().status, 400);
}

TEST_F(WithService, AsksAtAnyAddress) {
  start();
  Client rooms = client();
  ASSERT_TRUE(rooms.place(stay, Token("t")));
  const auto head = rooms.document("/v1/evidence/head?since=1");
  ASSERT_TRUE(head) << head.error().text();
  EXPECT_EQ(Json(*head).number("/size"), 1);
  EXPECT_TRUE(Json(*rooms.document("/v1/audit")).truth("/clean"));
  EXPECT_EQ(rooms.document("/v1/nonsense").error().status, 404);
  EXPECT_EQ(rooms.document("/v1/evidence/9/proof").error().code, "not-known");
  // Nothing that could be taken for another request is sent.
  for (const char* address :
       {"", "v1/audit", "/v1/audit HTTP/1.1\r\nHost: x", "/a b", "/\x7f", "/\xc3\xb6", "/a#b"})
    EXPECT_EQ(rooms.document(address).error().code, "malformed-request") << address;
  ClientOptions hasty = options();
  hasty.attempts_max = 2;
  hasty.pace = std::make_shared<SimulatedPace>();
  stop();
  EXPECT_EQ(client(hasty).document("/v1/audit").error().code, "unreachable");
}

TEST_F(WithService, SendsBatches) {
  start();
  Client rooms = client();
  std::vector<Call> calls;
  for (int i = 0; i < 500; ++i) {
    calls.push_back(test::place({fmt::format("r{}", i % 250), "q", 1h}, fmt::format("t{}", i)));
  }
  const auto first = rooms.submit(calls);
  const auto again = rooms.submit(calls);
  for (std::size_t i = 0; i < calls.size(); ++i) {
    ASSERT_TRUE(first[i] && again[i]);
    EXPECT_EQ(first[i]->ok(), i < 250);
    EXPECT_EQ(words(*first[i]), words(*again[i]));
    EXPECT_TRUE(again[i]->replayed);
  }
  const auto mixed = rooms.submit({confirm(first[0]->hold->id, "c"), declare("d", 4, "d")});
  EXPECT_THAT(mixed[0], is_done());
  EXPECT_EQ(mixed[1]->resource->capacity, 4);
}

TEST_F(WithService, HearsARefusalBeforeItHasSaidEverything) {
  http::Settings settings;
  settings.limits.batch_body_bytes_max = 1000;
  start(settings);
  const std::vector<Call> calls(5000, test::place(stay, "t"));
  for (const Reply& each : client().submit(calls)) {
    ASSERT_THAT(each, is_refused(413, "too-large"));
  }
}

TEST_F(WithService, IsWhoeverItsKeySays) {
  const std::string ours = new_key("hotel", "web", http::Role::operator_role);
  const std::string theirs = new_key("other", "web", http::Role::client);
  const std::string auditors = new_key("hotel", "eve", http::Role::auditor);
  start();
  ClientOptions known = options();
  EXPECT_THAT(client(known).place(stay), is_refused(401, "unauthenticated"));
  known.key = ours;
  Client hotel = client(known);
  ASSERT_THAT(hotel.place(stay, Token("t")), is_done());
  known.key = theirs;
  Client other = client(known);
  EXPECT_THAT(other.place(stay, Token("t")), is_done()) << "another tenant's room_307";
  EXPECT_THAT(other.declare("r", 2), is_refused(403, "forbidden"));
  known.key = auditors;
  EXPECT_THAT(client(known).place(stay), is_refused(403, "forbidden"));
  EXPECT_THAT(client(known).holds()->items, SizeIs(1));
}

/// Somebody does something about it while the client waits.
class HelpfulPace final : public Pace {
 public:
  explicit HelpfulPace(std::function<void()> help) : help_(std::move(help)) {}
  [[nodiscard]] Duration elapsed() const override { return Duration::zero(); }
  void wait(Duration) override { help_(); }

 private:
  std::function<void()> help_;
};

TEST(WithServices, GoesOnWhenTheServiceComesBack) {
  const TempDir folder;
  std::unique_ptr<http::Server> server;
  const auto start_on = [&](const std::string& address) {
    http::Settings settings;
    settings.listen = address;
    settings.store = folder.file("rooms.db");
    auto started = http::Server::start(settings);
    ASSERT_TRUE(started) << started.error();
    server = std::move(*started);
  };
  start_on("127.0.0.1:0");
  const std::string address = fmt::format("127.0.0.1:{}", server->port());
  auto rooms = connect({.url = server->address(),
                        .pace = std::make_shared<HelpfulPace>([&] { start_on(address); })});
  ASSERT_TRUE(rooms);
  const Reply first = rooms->place(stay, Token("t"));
  ASSERT_THAT(first, is_done());
  server.reset();
  const Reply again = rooms->place(stay, Token("t"));
  ASSERT_THAT(again, is_done());
  EXPECT_TRUE(again->replayed);
  EXPECT_EQ(words(*again), words(*first));
}

TEST_F(WithService, IsUsedByManyThreadsAtOnce) {
  start();
  Client rooms = client();
  constexpr std::size_t threads = 8;
  constexpr int tokens = 25;
  std::vector<std::vector<std::string>> told(threads);
  on_threads(threads, [&](std::size_t thread) {
    for (int i = 0; i < tokens; ++i) {
      const Reply reply =
          rooms.place({fmt::format("r{}", i), "q", 1h}, Token(fmt::format("t{}", i)));
      ASSERT_TRUE(reply) << reply.error().text();
      told[thread].push_back(words(*reply));
    }
  });
  for (const std::vector<std::string>& each : told) EXPECT_EQ(each, told.front());
  EXPECT_THAT(rooms.holds()->items, SizeIs(tokens));
}

}  // namespace
}  // namespace holdfast::test
