// Domain events in commit order: a page of them, or a stream that goes on.

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/time_text.hpp"
#include "domain/answer.hpp"
#include "domain/kind.hpp"
#include "domain/module.hpp"
#include "http/handlers/changes.hpp"
#include "http/handlers/journal_page.hpp"
#include "http/handlers/listing.hpp"
#include "http/handlers/problem.hpp"
#include "http/router.hpp"
#include "http/transport/connection.hpp"
#include "http/transport/worker.hpp"
#include "wire/event.hpp"

namespace holdfast::http {
namespace {

bool is_event(const Record& record) { return !event_name(record.kind).empty(); }

std::string server_sent(const Record& record) {
  std::string text = fmt::format("id: {}\nevent: {}\ndata: ", record.seq, event_name(record.kind));
  JsonWriter json(text);
  write_event(json, record);
  return text + "\n\n";
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

/// Whatever the case of its letters: media types have none.
bool is_named(std::string_view text, std::string_view name) {
  const auto same = [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a + 32 : a) == b; };
  return std::equal(text.begin(), text.end(), name.begin(), name.end(), same);
}

/// Takes what is in front of the next separator off the text.
std::string_view next_part(std::string_view& text, char separator) {
  const std::string_view part = text.substr(0, text.find(separator));
  text.remove_prefix(std::min(text.size(), part.size() + 1));
  return trimmed(part);
}

/// How much `Accept` wants a media type that it names, in thousandths; nothing if it does not.
std::optional<int> wanted(std::string_view accept, std::string_view type) {
  std::optional<int> most;
  while (!accept.empty()) {
    std::string_view item = next_part(accept, ',');
    if (!is_named(next_part(item, ';'), type)) continue;
    int weight = 1000;
    while (!item.empty()) {
      const std::string_view parameter = next_part(item, ';');
      if (!parameter.starts_with("q=") && !parameter.starts_with("Q=")) continue;
      double given = 0;
      std::from_chars(parameter.data() + 2, parameter.data() + parameter.size(), given);
      weight = given > 0 ? static_cast<int>(std::min(given, 1.0) * 1000) : 0;
    }
    most = std::max(most.value_or(0), weight);
  }
  return most;
}

/// A page unless streams are asked for by name, and no less than pages are.
bool accepts_stream(std::string_view accept) {
  const int stream = wanted(accept, "text/event-stream").value_or(0);
  auto page = wanted(accept, "application/json");
  if (!page) page = wanted(accept, "application/*");
  if (!page) page = wanted(accept, "*/*");
  return stream > 0 && stream >= page.value_or(0);
}

StoreResult<JournalPage> read_events(const Store& store, std::string_view tenant,
                                     std::uint64_t after, std::size_t limit) {
  return read_journal(store, tenant, after, limit, is_event);
}

}  // namespace

/// One reader's stream. Steps run on a reading thread; everything else on the connection's.
class EventStream : public std::enable_shared_from_this<EventStream> {
 public:
  EventStream(const Context& context, std::uint64_t after)
      : application_(context.application),
        reply_(context.reply),
        authorization_(authorization_of(context.request)),
        tenant_(context.exchange.identity.caller.tenant),
        chunked_(context.request.version > 10),
        head_only_(context.exchange.head),
        after_(after) {}
  ~EventStream() { application_.give_back_stream(); }
  EventStream(const EventStream&) = delete;
  EventStream& operator=(const EventStream&) = delete;

  /// Refuses it, or begins.
  void start() {
    application_.run([self = shared_from_this()] {
      auto refusal = beyond_the_end(self->application_.store(), self->after_);
      self->on_connection([self, refusal = std::move(refusal)]() mutable {
        if (refusal) return self->reply_.send(std::move(*refusal));
        self->begin();
      });
    });
  }

 private:
  /// A stream goes on for days: whoever may no longer read is cut off, and told when it comes back.
  [[nodiscard]] bool may_read() const {
    Connection& connection = *reply_.connection();
    const auto identity = application_.identify(connection.worker(), connection, authorization_);
    return identity && identity->caller.tenant == tenant_;
  }

  void begin() {
    Connection::Stream stream;
    stream.head = [&](Exchange& exchange) {
      Response begun;
      application_.finish(exchange, begun);
      return header(begun.headers);
    };
    stream.last = chunked_ && !head_only_ ? "0\r\n\r\n" : "";
    stream.ready = [self = shared_from_this()](bool alive) {
      if (alive) self->step();
    };
    reply_.connection()->stream(reply_.number(), std::move(stream));
    if (head_only_) reply_.connection()->end_stream();
  }

  [[nodiscard]] std::string header(const std::string& headers) const {
    return "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-store\r\n" +
           std::string(chunked_ ? "Transfer-Encoding: chunked\r\n" : "") +
           "Connection: close\r\nX-Accel-Buffering: no\r\n" + headers + "\r\n" +
           (head_only_ ? "" : framed("retry: 1000\n\n"));
  }

  /// Does something on the connection's thread.
  void on_connection(std::function<void()> what) const {
    const std::shared_ptr<Connection>& connection = reply_.connection();
    connection->worker().mailbox().put(connection, 0, std::move(what));
  }

  [[nodiscard]] std::string framed(std::string_view bytes) const {
    return chunked_ ? fmt::format("{:x}\r\n{}\r\n", bytes.size(), bytes) : std::string(bytes);
  }

  void step() {
    if (reading_) return;
    if (!may_read()) return reply_.connection()->end_stream();
    const auto now = std::chrono::steady_clock::now();
    const bool quiet = now - last_sent_ >= std::chrono::seconds(15);
    reading_ = true;
    application_.run([self = shared_from_this(), quiet] {
      auto page = read_events(self->application_.store(), self->tenant_, self->after_, 500);
      std::string text;
      if (page) {
        for (const Record& each : page->records) text += server_sent(each);
        self->after_ = page->last_seq;
        // A reader that resumes need not search again what had nothing for it.
        if (text.empty() && quiet) text = fmt::format("id: {}\n: still here\n\n", self->after_);
      }
      self->on_connection(
          [self, text = std::move(text), ok = page.has_value()] { self->go_on_with(text, ok); });
    });
  }

  void go_on_with(const std::string& text, bool ok) {
    reading_ = false;
    // Asked once more, since the reading may have found what is not for it any longer.
    if (!ok || !may_read()) return reply_.connection()->end_stream();
    if (text.empty()) return;  // woken when there is more
    last_sent_ = std::chrono::steady_clock::now();
    reply_.connection()->stream_more(framed(text));
  }

  Application& application_;
  const Reply reply_;
  const std::string authorization_;
  const std::string tenant_;
  const bool chunked_;    // HTTP/1.0 reads to the end of the connection
  const bool head_only_;  // nothing but the header was asked for
  std::uint64_t after_;   // of the step under way, or else the connection's thread
  bool reading_ = false;  // a step is under way
  std::chrono::steady_clock::time_point last_sent_ = std::chrono::steady_clock::now();
};

void show_events(Context& context) {
  QueryReader reader(context);
  std::uint64_t after = reader.sequence("after").value_or(0);
  const std::size_t limit = reader.limit();
  const bool stream = accepts_stream(context.request.field(Field::accept));
  const std::string_view last_id = context.request.field(Field::last_event_id);
  if (stream && !last_id.empty()) {
    const auto number = sequence_number(last_id);
    if (!number) reader.wrong("Last-Event-ID", "This is not the id of an event.");
    after = number.value_or(0);
  }
  if (reader.refused()) return;
  const std::string tenant = context.exchange.identity.caller.tenant;
  if (stream) {
    if (!context.application.take_stream()) {
      return context.reply.send(problem_response(
          problem_for(Rejection::overloaded, "Too many streams of events are open.")));
    }
    context.exchange.keep_alive = false;  // nothing can follow a stream
    return std::make_shared<EventStream>(context, after)->start();
  }
  context.application.read(
      context.reply, [&application = context.application, after, limit, tenant] {
        if (auto refusal = beyond_the_end(application.store(), after)) return std::move(*refusal);
        const auto page = read_events(application.store(), tenant, after, limit);
        if (!page) return store_problem(page.error());
        return journal_page("/v1/events", *page, limit, [](std::string& out, const Record& each) {
          JsonWriter json(out);
          write_event(json, each);
        });
      });
}

}  // namespace holdfast::http
