#include "support/scenarios/http_target.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "keys/keys.hpp"
#include "support/journals/audit.hpp"
#include "support/stores/service_test.hpp"

namespace holdfast::test {
namespace {

/// Whether a header can carry it; other tokens go in the body of a batch.
bool fits_a_header(const std::string& token) {
  return std::all_of(token.begin(), token.end(), [](char c) { return c >= 0x21 && c <= 0x7e; });
}

/// What the service refuses before the engine sees it, as the engine would have put it.
Answer answer_of(const Reply& reply) {
  if (reply) return *reply;
  const std::string& code = reply.error().trouble.code;
  const bool invalid = code.starts_with("protocol.idempotency_key") || code == "malformed-request";
  EXPECT_TRUE(invalid) << reply.error().text();
  Answer answer;
  answer.operation = reply.error().call.command.operation();
  answer.rejection = Rejection::invalid_request;
  answer.reason = Reason::token_size;
  answer.token = reply.error().call.token.bytes();
  return answer;
}

template <typename T>
T must(Read<T> read) {
  if (read) return std::move(*read);
  ADD_FAILURE() << read.error().text();
  return {};
}

}  // namespace

void HttpTarget::start(const Rules& rules) {
  settings_.listen = "127.0.0.1:0";
  settings_.store = dir_.file("holdfast.db");
  settings_.window = rules.window;
  settings_.policies = rules.policies;
  settings_.duration_min = rules.duration_min;
  settings_.duration_max = rules.duration_max;
  settings_.token_bytes_max = rules.token_bytes_max;
  settings_.sweep_every = Duration::zero();
  serve();
}

void HttpTarget::serve() {
  auto server = http::Server::start(settings_, {.clock = clock_, .random = seeded_random(1)});
  ASSERT_TRUE(server) << server.error();
  server_ = std::move(*server);
  clients_.clear();
}

void HttpTarget::restart() {
  server_.reset();
  serve();
}

Client& HttpTarget::client_of(const Caller& caller) {
  const std::pair who(caller.tenant, caller.principal);
  std::string& key = keys_[who];
  if (key.empty()) {
    const http::KeyFile file(http::KeyFile::beside(settings_.store));
    auto made = file.create(caller.tenant, caller.principal, http::Role::operator_role,
                            clock_->now(), *system_random());
    EXPECT_TRUE(made) << (made ? "" : made.error());
    key = made ? made->credential : "";
  }
  const auto found = clients_.find(who);
  if (found != clients_.end()) return found->second;
  auto client = connect({.url = server_->address(), .key = key});
  EXPECT_TRUE(client);
  return clients_.emplace(who, std::move(*client)).first->second;
}

Answer HttpTarget::submit(Call call) {
  Client& client = client_of(call.caller);
  if (fits_a_header(call.token.bytes())) return answer_of(client.submit(std::move(call)));
  return answer_of(client.submit(std::vector<Call>{std::move(call)}).front());
}

std::vector<Answer> HttpTarget::submit_at_once(const Call& call, std::size_t count) {
  Client& client = client_of(call.caller);
  std::vector<Answer> answers(count);
  on_threads(count, [&](std::size_t i) { answers[i] = answer_of(client.submit(call)); });
  return answers;
}

std::optional<HoldDetails> HttpTarget::hold(HoldId id, const std::string& tenant) {
  return must(client_of({.tenant = tenant}).hold(id));
}

/// The holds of a list come without their tokens: each is asked for once more.
std::vector<HoldDetails> HttpTarget::holds(const HoldQuery& query, const std::string& tenant) {
  std::vector<HoldDetails> items = must(client_of({.tenant = tenant}).holds(query)).items;
  for (HoldDetails& each : items) each = hold(each.hold.id, tenant).value_or(each);
  return items;
}

std::optional<TokenResult> HttpTarget::token(const std::string& token, const std::string& tenant) {
  return must(client_of({.tenant = tenant}).token(Token(token)));
}

Resource HttpTarget::resource(const std::string& name, const std::string& tenant) {
  return must(client_of({.tenant = tenant}).resource(name));
}

std::vector<std::string> HttpTarget::violations() {
  return test::violations(server_->service().store());
}

}  // namespace holdfast::test
