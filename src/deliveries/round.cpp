#include "deliveries/round.hpp"

#include <fmt/format.h>

#include <chrono>
#include <future>

#include "base/time_text.hpp"
#include "deliveries/signing.hpp"
#include "holdfast/subscriptions.hpp"
#include "signatures/sign.hpp"
#include "wire/event.hpp"

namespace holdfast::deliveries {
namespace {

constexpr std::size_t records_per_read = 1'000;
/// After so many events the store is told how far it has come: what a process that dies sends
/// twice.
constexpr std::size_t events_per_note = 50;
/// Then others have their turn.
constexpr auto turn = std::chrono::seconds(5);
constexpr std::size_t answer_bytes_max = std::size_t{64} << 10U;
constexpr std::size_t error_bytes_max = 500;

std::string body_of(const Record& record) {
  std::string body;
  JsonWriter json(body);
  json.begin_object();
  json.key("type");
  json.string(event_name(record.kind));
  json.key("timestamp");
  json.string(to_rfc3339(record.at));
  json.key("data");
  write_event(json, record);
  json.end_object();
  return body;
}

Ending ending_of(const outbound::Result& result) {
  if (!result) return Ending::failed;
  if (result->status >= 200 && result->status < 300) return Ending::taken;
  return result->status == 410 ? Ending::gone : Ending::failed;
}

}  // namespace

Answer ask(Service& service, Command command, const std::string& tenant) {
  std::promise<Answer> answered;
  service.submit({.command = std::move(command),
                  .token = Token::fresh(),
                  .caller = {.tenant = tenant, .principal = "holdfast"}},
                 [&](Answer answer) { answered.set_value(std::move(answer)); });
  return answered.get_future().get();
}

void Round::run(const subscriptions::SubscriptionRow& seen) {
  const Answer taken =
      ask(service_, Command(Serving{.id = seen.id, .lease = options_.lease}), seen.tenant);
  if (!taken || taken.document.empty()) return;  // it is gone, or somebody else has it
  auto row = subscriptions::SubscriptionRow::read(taken.document);
  if (!row) return;
  row_ = std::move(*row);
  const Trouble trouble = send_all();
  (void)tell(trouble.verdict.empty() ? "done" : trouble.verdict, trouble.error);
}

Round::Trouble Round::send_all() {
  const auto until = std::chrono::steady_clock::now() + turn;
  while (!stopping_ && std::chrono::steady_clock::now() < until) {
    const auto records = service_.store().records(row_.cursor, records_per_read);
    if (!records) return {"failed", "the journal cannot be read: " + records.error().message};
    for (const Record& record : *records) {
      if (stopping_) return {};
      const std::string_view event = event_name(record.kind);
      const bool wanted = record.tenant == row_.tenant && !event.empty() && row_.wants(event);
      if (wanted) {
        if (Trouble trouble = send(record); !trouble.verdict.empty()) return trouble;
        ++untold_;
      }
      row_.cursor = record.seq;
      if (untold_ >= events_per_note && !tell("on")) return {"lost", {}};
    }
    if (records->size() < records_per_read) break;
  }
  return {};
}

Round::Trouble Round::send(const Record& record) {
  const std::string id = fmt::format("msg_{}_{}", std::string_view(row_.id).substr(2), record.seq);
  std::string body = body_of(record);
  const Instant now = service_.store().now();
  const auto secrets = signing_secrets(service_.store().rules().confirmation_secret, row_, now);
  const auto signature = signatures::sign_standard(secrets, id, now, body);
  if (!signature) return {"failed", signature.error()};
  outbound::Call call{
      .method = "POST",
      .url = row_.url,
      .headers = {{"Content-Type", "application/json"},
                  {"User-Agent", "holdfast"},
                  {"webhook-id", signature->id},
                  {"webhook-timestamp", signature->timestamp},
                  {"webhook-signature", signature->signature}},
      .body = std::move(body),
      .limits = {.total = options_.timeout, .response_bytes_max = answer_bytes_max}};
  const auto begun = std::chrono::steady_clock::now();
  std::promise<outbound::Result> answered;
  client_.send(std::move(call),
               [&](outbound::Result result) { answered.set_value(std::move(result)); });
  const outbound::Result result = answered.get_future().get();
  // We are to stop. It is given back as it is: another node sends this one again, and need not wait
  // until our lease ends.
  if (!result && result.error().what == outbound::What::closed) return {"done", {}};
  const Ending ending = ending_of(result);
  if (options_.sent) options_.sent({ending, std::chrono::steady_clock::now() - begun});
  if (ending == Ending::taken) return {};
  if (!result) return {"failed", result.error().text};
  return {ending == Ending::gone ? "gone" : "failed",
          fmt::format("the receiver answered {}", result->status)};
}

/// Whether the subscription is still ours. `lost`: nothing is said, and its lease will end.
bool Round::tell(const std::string& verdict, const std::string& error) {
  if (verdict == "lost") return false;
  const Answer answer = ask(service_,
                            Command(Advancing{.id = row_.id,
                                              .fence = static_cast<std::int64_t>(row_.fence),
                                              .cursor = static_cast<std::int64_t>(row_.cursor),
                                              .verdict = verdict,
                                              .error = error.substr(0, error_bytes_max)}),
                            row_.tenant);
  untold_ = 0;
  return answer.ok();
}

}  // namespace holdfast::deliveries
