#include <algorithm>

#include "cli/arguments.hpp"
#include "cli/backend.hpp"
#include "cli/progress.hpp"
#include "cli/text.hpp"
#include "domain/operation.hpp"
#include "holdfast/client.hpp"

namespace holdfast::cli {
namespace {

const RejectionRow* row_coded(std::string_view code) {
  const auto* const found =
      std::find_if(rejection_table.begin(), rejection_table.end(),
                   [&](const RejectionRow& each) { return each.code == code; });
  return found == rejection_table.end() ? nullptr : found;
}

/// A refusal the table knows ends in its exit code; anything else is a server that cannot be used.
Failure failure_of(const Trouble& trouble) {
  const RejectionRow* const refused = row_coded(trouble.code);
  if (refused == nullptr) {
    Failure failure = store_failure(Error{trouble.text()});
    failure.problem.title = "The server cannot be used";
    return failure;
  }
  Failure failure = refusal(refused->id, trouble.detail);
  failure.problem.status = trouble.status;
  if (trouble.effect) failure.problem.effect = trouble.effect;
  if (refused->id == Rejection::unauthenticated) {
    failure.problem.detail += " Name the file it is in with --key-file, or put it in HOLDFAST_KEY.";
  }
  return failure;
}

template <typename T>
Fallible<T> or_failure(Read<T> read) {
  if (read) return std::move(*read);
  return tl::unexpected(failure_of(read.error()));
}

/// A list can be asked for wrongly in one way only: everything but the cursor is checked before.
template <typename T>
Fallible<Page<T>> or_bad_cursor(Read<Page<T>> read) {
  if (read || read.error().code != row(Rejection::malformed_request).code) {
    return or_failure(std::move(read));
  }
  return tl::unexpected(store_failure({.message = read.error().detail, .bad_cursor = true}));
}

/// There is nothing wrong with a fresh token but that there is one: the server derives its own.
bool wants_no_token(const NoAnswer& refused) {
  return refused.effect == Effect::none &&
         refused.trouble.code == row(Rejection::token_invalid).code;
}

/// The server found none by itself.
bool needs_token(const NoAnswer& refused) {
  return refused.trouble.code == row(Rejection::token_missing).code;
}

/// In the engine's words for what it cannot tell itself.
Answer unknown_outcome(const NoAnswer& lost) {
  Answer answer;
  answer.operation = lost.call.command.operation();
  answer.rejection = Rejection::store_unavailable;
  answer.token = lost.call.token.bytes();
  answer.effect = Effect::unknown;
  answer.note = lost.text();
  return answer;
}

/// In the words, and with the exit code, that it has for a store.
Answer no_such_token(const Call& call) {
  Answer answer;
  answer.operation = call.command.operation();
  answer.rejection = Rejection::invalid_request;
  answer.reason = Reason::token_size;
  answer.token = call.token.bytes();
  return answer;
}

/// Says what is being waited for. Whoever loses patience and interrupts has seen the token.
class ToldPace final : public Pace {
 public:
  explicit ToldPace(Output& err) : progress_(err) {}

  void say(std::string words) { words_ = std::move(words); }
  void done() { progress_.show({}); }
  [[nodiscard]] Duration elapsed() const override { return real_->elapsed(); }
  void wait(Duration time) override {
    progress_.show(words_);
    real_->wait(time);
  }

 private:
  const std::shared_ptr<Pace> real_ = real_pace();
  ProgressLine progress_;
  std::string words_ = "no answer yet; asking again";
};

/// A server, asked through the client library.
class RemoteBackend final : public Backend {
 public:
  RemoteBackend(Client client, std::shared_ptr<ToldPace> pace)
      : pace_(std::move(pace)), client_(std::move(client)) {}

  Fallible<Answer> submit(Command command, std::optional<Token> token,
                          std::string confirmation) override {
    const bool found_there = !token && spec_of(command.operation()).key_optional;
    Call call{.command = std::move(command),
              .token = token         ? *token
                       : found_there ? Token::derived()
                                     : Token::fresh(),
              .confirmation = std::move(confirmation)};
    if (found_there) {
      pace_->say("no answer yet; asking again");
      auto reply = quietly(client_.submit(call));
      if (reply) return std::move(*reply);
      if (reply.error().effect == Effect::unknown) return unknown_outcome(reply.error());
      if (!needs_token(reply.error())) return tl::unexpected(failure_of(reply.error().trouble));
      call.token = Token::fresh();
    }
    pace_->say("no answer yet; asking again with " + token_option(call.token.bytes()));
    auto reply = quietly(client_.submit(call));
    if (!reply && !token && wants_no_token(reply.error())) {
      call.token = Token::derived();
      pace_->say("no answer yet; asking again");
      reply = quietly(client_.submit(std::move(call)));
      if (reply) reply->token.clear();  // the server's own: nobody is to repeat the call with it
    }
    if (reply) return std::move(*reply);
    const NoAnswer& lost = reply.error();
    if (lost.effect == Effect::unknown) return unknown_outcome(lost);
    const bool too_long = token && token->bytes().size() > Options{}.token_bytes_max;
    if (too_long && wants_no_token(lost)) return no_such_token(lost.call);
    return tl::unexpected(failure_of(lost.trouble));
  }
  Fallible<std::optional<HoldDetails>> hold(HoldId id) const override {
    return or_failure(quietly(client_.hold(id)));
  }
  Fallible<Page<HoldDetails>> holds(const HoldQuery& query) const override {
    return or_bad_cursor(quietly(client_.holds(query)));
  }
  Fallible<std::optional<TokenResult>> token(const Token& token) const override {
    return or_failure(quietly(client_.token(token)));
  }
  Fallible<Resource> resource(const std::string& name) const override {
    return or_failure(quietly(client_.resource(name)));
  }
  Fallible<Availability> availability(const std::string& name) const override {
    return or_failure(quietly(client_.availability(name)));
  }
  Fallible<std::optional<Group>> group(GroupId id) const override {
    return or_failure(quietly(client_.group(id)));
  }
  Fallible<Answer> try_place(const Placing& what) const override {
    return or_failure(quietly(client_.try_place(what)));
  }
  Fallible<Page<Resource>> resources(const ResourceQuery& query) const override {
    return or_bad_cursor(quietly(client_.resources(query)));
  }

 private:
  /// Nothing is waited for any more.
  template <typename T>
  T quietly(T result) const {
    pace_->done();
    return result;
  }

  const std::shared_ptr<ToldPace> pace_;
  Client client_;
};

constexpr Duration usual_patience = std::chrono::seconds(10);

/// `answer_timeout` is of one attempt; unset: as long as there is patience.
Fallible<Client> client_of(const Context& context, Duration patience,
                           std::optional<Duration> answer_timeout, std::shared_ptr<ToldPace> pace) {
  const auto chosen = parse_patience_argument(context.settings.patience, patience);
  if (!chosen) return tl::unexpected(chosen.error());
  auto key = context.credential();
  if (!key) return tl::unexpected(usage_failure(key.error().message));
  auto client = connect({.url = context.server(),
                         .key = std::move(*key),
                         .answer_timeout = answer_timeout.value_or(*chosen),
                         .patience = *chosen,
                         .ca_file = context.settings.ca_file,
                         .certificate_file = context.settings.certificate_file,
                         .certificate_key_file = context.settings.certificate_key_file,
                         .clock = context.clock,
                         .pace = std::move(pace)});
  if (!client) return tl::unexpected(usage_failure(client.error().message));
  return std::move(*client);
}

}  // namespace

OpenedBackend use_server(Context& context) {
  auto pace = std::make_shared<ToldPace>(context.err);
  auto client = client_of(context, usual_patience, ClientOptions{}.answer_timeout, pace);
  if (!client) return tl::unexpected(client.error());
  return std::make_unique<RemoteBackend>(std::move(*client), std::move(pace));
}

Fallible<std::string> ask_server(Context& context, std::string_view address, Duration patience) {
  const auto pace = std::make_shared<ToldPace>(context.err);
  const auto client = client_of(context, patience, std::nullopt, pace);
  if (!client) return tl::unexpected(client.error());
  auto document = client->document(address);
  pace->done();
  return or_failure(std::move(document));
}

}  // namespace holdfast::cli
