#include "holdfast/client.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "client/core.hpp"
#include "client/judge.hpp"
#include "client/requests.hpp"
#include "client/sendable.hpp"
#include "client/tls.hpp"
#include "client/token_text.hpp"

namespace holdfast {
namespace {

class RealPace final : public Pace {
 public:
  [[nodiscard]] Duration elapsed() const override {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration_cast<Duration>(now);
  }
  void wait(Duration time) override { std::this_thread::sleep_for(time); }
};

std::optional<std::string> mistake_in(const ClientOptions& options) {
  for (const Duration each :
       {options.connect_timeout, options.answer_timeout, options.patience, options.backoff_first,
        options.backoff_max, options.retry_after_max}) {
    if (each < Duration(1)) return "every timeout and wait must be longer than zero";
  }
  if (options.attempts_max == 0) return "attempts_max must be at least 1";
  if (!client::is_sendable(options.key)) return "the key holds characters that no key has";
  if (!options.clock || !options.random || !options.pace) {
    return "clock, random and pace must be set";
  }
  return std::nullopt;
}

Call call_of(Command command, std::optional<Token> token, Random& random) {
  return {.command = std::move(command), .token = token ? std::move(*token) : Token::fresh(random)};
}

}  // namespace

std::shared_ptr<Pace> real_pace() {
  static const std::shared_ptr<Pace> pace = std::make_shared<RealPace>();
  return pace;
}

std::string Trouble::text() const {
  return status == 0 ? detail : fmt::format("{} {}: {}", status, code, detail);
}

std::string NoAnswer::text() const {
  if (effect == Effect::none) return fmt::format("refused: {}", trouble.text());
  const std::string& token = call.token.bytes();
  return fmt::format("outcome unknown, {}: {} ({} {})",
                     token.empty() ? "token derived by the server" : "token " + token,
                     trouble.text(), attempts, attempts == 1 ? "attempt" : "attempts");
}

Result<Client> connect(ClientOptions options) {
  const auto wrong = [](const std::string& what) {
    return tl::unexpected(Error{"cannot be a client: " + what});
  };
  if (const auto what = mistake_in(options)) return wrong(*what);
  auto url = client::parse_url(options.url);
  if (!url) return wrong(url.error());
  std::unique_ptr<boost::asio::ssl::context> tls;
  if (url->tls) {
    auto made = client::make_tls({.ca = options.ca_file,
                                  .certificate = options.certificate_file,
                                  .key = options.certificate_key_file});
    if (!made) return wrong(made.error());
    tls = std::move(*made);
  }
  return Client(
      std::make_unique<Client::Impl>(std::move(options), std::move(*url), std::move(tls)));
}

Client::Client(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Client::Client(Client&&) noexcept = default;
Client& Client::operator=(Client&&) noexcept = default;
Client::~Client() = default;

Reply Client::submit(Call call) {
  if (auto refused = client::refused_here(call)) return std::move(*refused);
  client::Core& core = *impl_;
  const client::Request request = client::request_of(call);
  auto answer = client::insist<Answer>(core.options, [&](Duration left) -> client::Attempt<Answer> {
    const auto response = core.exchange(request, left);
    if (!response) return tl::unexpected(client::setback_of(response.error()));
    const client::Document body(response->body);
    return client::judge(call, client::told_by(*response, body, *core.options.clock));
  });
  if (answer) return std::move(*answer);
  return tl::unexpected(NoAnswer{.call = std::move(call),
                                 .effect = answer.error().effect,
                                 .attempts = answer.error().attempts,
                                 .trouble = std::move(answer.error().trouble)});
}

Reply Client::resume(NoAnswer unanswered) {
  Reply reply = submit(std::move(unanswered.call));
  // To be refused now says nothing about what happened then.
  if (!reply && unanswered.effect == Effect::unknown) reply.error().effect = Effect::unknown;
  return reply;
}

Reply Client::place(Placing what, std::optional<Token> token) {
  return submit(call_of(Command::place(std::move(what)), std::move(token), *impl_->options.random));
}

Reply Client::confirm(HoldId id, std::optional<Token> token) {
  return submit(call_of(Command::confirm(id), std::move(token), *impl_->options.random));
}

Reply Client::place(Grouping what, std::optional<Token> token) {
  return submit(call_of(Command(std::move(what)), std::move(token), *impl_->options.random));
}

Reply Client::confirm(Confirming what, std::optional<Token> token) {
  return submit(call_of(Command(what), std::move(token), *impl_->options.random));
}

Reply Client::confirm(GroupId id, std::optional<Token> token) {
  return submit(call_of(Command(GroupConfirming{id}), std::move(token), *impl_->options.random));
}

Reply Client::release(GroupId id, std::optional<Token> token) {
  return submit(call_of(Command(GroupReleasing{id}), std::move(token), *impl_->options.random));
}

Reply Client::extend(HoldId id, Duration duration, std::optional<Token> token) {
  return submit(
      call_of(Command(Extending{id, duration}), std::move(token), *impl_->options.random));
}

Reply Client::extend(GroupId id, Duration duration, std::optional<Token> token) {
  return submit(
      call_of(Command(GroupExtending{id, duration}), std::move(token), *impl_->options.random));
}

Reply Client::cancel(HoldId id, std::optional<std::int64_t> quantity, std::optional<Token> token) {
  return submit(
      call_of(Command(Cancelling{id, quantity}), std::move(token), *impl_->options.random));
}

Reply Client::release(HoldId id, std::optional<Token> token) {
  return submit(call_of(Command::release(id), std::move(token), *impl_->options.random));
}

Reply Client::expire(HoldId id, std::optional<Token> token) {
  return submit(call_of(Command::expire(id), std::move(token), *impl_->options.random));
}

Reply Client::declare(std::string resource, std::int64_t capacity, std::optional<Token> token) {
  return submit(call_of(Command::declare(std::move(resource), capacity), std::move(token),
                        *impl_->options.random));
}

}  // namespace holdfast
