// Domain events in commit order: a page of them, or a stream that goes on.

#include "http/events.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/time_text.hpp"
#include "domain/answer.hpp"
#include "http/changes.hpp"
#include "http/connection.hpp"
#include "http/listing.hpp"
#include "http/problem.hpp"
#include "http/router.hpp"
#include "http/worker.hpp"

namespace holdfast::http {
namespace {

/// How much of the journal one step of a search looks at: most records may be another tenant's.
constexpr std::size_t records_per_step = 2'000;
constexpr std::size_t steps_max = 50;

/// The name of a record that changed something; empty for the others.
std::string_view event_name(RecordKind kind) {
  switch (kind) {
    case RecordKind::placed:
      return "hold.placed";
    case RecordKind::confirmed:
      return "hold.confirmed";
    case RecordKind::released:
      return "hold.released";
    case RecordKind::expired:
      return "hold.expired";
    case RecordKind::declared:
      return "resource.declared";
    default:
      return {};
  }
}

void write_event(JsonWriter& json, const Record& record) {
  json.begin_object();
  json.key("seq");
  json.integer(static_cast<std::int64_t>(record.seq));
  json.key("type");
  json.string(event_name(record.kind));
  json.key("at");
  json.string(to_rfc3339(record.at));
  if (record.kind == RecordKind::placed) {
    json.key("hold");
    write_hold(json, hold_of(hold_row_of(record)));
  } else if (record.kind == RecordKind::declared) {
    json.key("resource");
    json.begin_object();
    json.key("name");
    json.string(record.resource);
    json.key("capacity");
    json.integer(record.capacity);
    json.end_object();
  } else {
    json.key("hold");
    json.begin_object();
    json.key("id");
    json.string(record.hold.text());
    json.key("state");
    json.string(name(state_after(record.kind)));
    json.end_object();
    json.key("by");
    json.string(record.operation == Operation::none ? "sweeper" : "caller");
  }
  json.end_object();
}

std::optional<std::uint64_t> sequence_number(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool sound = error == std::errc() && end == text.data() + text.size() &&
                     number <= static_cast<std::uint64_t>(quantity_max);
  return sound ? std::optional(number) : std::nullopt;
}

std::string server_sent(const Record& record) {
  std::string text = fmt::format("id: {}\nevent: {}\ndata: ", record.seq, event_name(record.kind));
  JsonWriter json(text);
  write_event(json, record);
  return text + "\n\n";
}

/// Whatever the case of its letters: media types have none.
bool contains(std::string_view text, std::string_view wanted) {
  const auto same = [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a + 32 : a) == b; };
  return std::search(text.begin(), text.end(), wanted.begin(), wanted.end(), same) != text.end();
}

/// Whether `Accept` names streams of events, and does not rule them out (`q=0`).
bool accepts_stream(std::string_view accept) {
  while (!accept.empty()) {
    const std::string_view item = accept.substr(0, accept.find(','));
    accept.remove_prefix(std::min(accept.size(), item.size() + 1));
    if (!contains(item, "text/event-stream")) continue;
    const std::size_t weight = item.find("q=");
    if (weight == std::string_view::npos) return true;
    return item.find_first_of("123456789", weight) != std::string_view::npos;
  }
  return false;
}

}  // namespace

StoreResult<EventPage> read_events(const Store& store, std::string_view tenant, std::uint64_t after,
                                   std::size_t limit) {
  EventPage page{.events = {}, .last_seq = after};
  for (std::size_t step = 0; step < steps_max; ++step) {
    auto records = store.records(page.last_seq, records_per_step);
    if (!records) return tl::unexpected(records.error());
    for (Record& record : *records) {
      page.last_seq = record.seq;
      if (record.tenant != tenant || event_name(record.kind).empty()) continue;
      page.events.push_back(std::move(record));
      if (page.events.size() == limit) return page;
    }
    if (records->size() < records_per_step) {
      page.at_end = true;
      return page;
    }
  }
  return page;
}

/// One reader's stream. Steps run on a reading thread; everything else on the connection's.
class EventStream : public std::enable_shared_from_this<EventStream> {
 public:
  EventStream(const Context& context, std::uint64_t after)
      : application_(context.application),
        reply_(context.reply),
        authorization_(authorization_of(context.request)),
        tenant_(context.exchange.identity.caller.tenant),
        chunked_(context.request.version > 10),
        after_(after) {}
  ~EventStream() { application_.give_back_stream(); }
  EventStream(const EventStream&) = delete;
  EventStream& operator=(const EventStream&) = delete;

  void start(const std::string& headers) {
    const std::string head =
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-store\r\n" +
        std::string(chunked_ ? "Transfer-Encoding: chunked\r\n" : "Connection: close\r\n") +
        "X-Accel-Buffering: no\r\n" + headers + "\r\n" + framed("retry: 1000\n\n");
    reply_.connection()->stream(reply_.number(), head, [self = shared_from_this()](bool alive) {
      if (alive) self->step();
    });
  }

 private:
  /// A stream goes on for days: whoever may no longer read is cut off, and told when it comes back.
  [[nodiscard]] bool may_read() const {
    Connection& connection = *reply_.connection();
    const auto identity = application_.identify(connection.worker(), connection, authorization_);
    return identity && identity->caller.tenant == tenant_;
  }

  [[nodiscard]] std::string framed(std::string_view bytes) const {
    return chunked_ ? fmt::format("{:x}\r\n{}\r\n", bytes.size(), bytes) : std::string(bytes);
  }

  void step() {
    if (reading_) return;
    if (!may_read()) return reply_.connection()->abort();
    const auto now = std::chrono::steady_clock::now();
    const bool quiet = now - last_sent_ >= std::chrono::seconds(15);
    reading_ = true;
    application_.run([self = shared_from_this(), quiet] {
      auto page = read_events(self->application_.store(), self->tenant_, self->after_, 500);
      std::string text;
      if (page) {
        for (const Record& each : page->events) text += server_sent(each);
        self->after_ = page->last_seq;
        // A reader that resumes need not search again what had nothing for it.
        if (text.empty() && quiet) text = fmt::format("id: {}\n: still here\n\n", self->after_);
      }
      const std::shared_ptr<Connection>& connection = self->reply_.connection();
      connection->worker().mailbox().put(
          connection, 0,
          [self, text = std::move(text), ok = page.has_value()] { self->send(text, ok); });
    });
  }

  void send(const std::string& text, bool ok) {
    reading_ = false;
    // Asked once more, since the reading may have found what is not for it any longer.
    if (!ok || !may_read()) return reply_.connection()->abort();
    if (text.empty()) return;  // woken when there is more
    last_sent_ = std::chrono::steady_clock::now();
    reply_.connection()->stream_more(framed(text));
  }

  Application& application_;
  const Reply reply_;
  const std::string authorization_;
  const std::string tenant_;
  const bool chunked_;    // HTTP/1.0 reads to the end of the connection
  std::uint64_t after_;   // of the step under way, or else the connection's thread
  bool reading_ = false;  // a step is under way
  std::chrono::steady_clock::time_point last_sent_ = std::chrono::steady_clock::now();
};

void show_events(Context& context) {
  QueryReader reader(context);
  std::uint64_t after = 0;
  const auto asked = reader.text("after");
  if (asked) {
    const auto number = sequence_number(*asked);
    if (!number) reader.wrong("after", "This is the sequence number of an event, or 0.");
    after = number.value_or(0);
  }
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
  if (stream && !context.exchange.head) {
    if (!context.application.take_stream()) {
      return context.reply.send(problem_response(
          problem_for(Rejection::overloaded, "Too many streams of events are open.")));
    }
    Response begun;
    context.application.finished(context.exchange, begun);
    std::make_shared<EventStream>(context, after)->start(begun.headers);
    return;
  }
  context.application.read(context.reply, [&application = context.application, after, limit,
                                           tenant] {
    const auto page = read_events(application.store(), tenant, after, limit);
    if (!page) return store_problem(page.error());
    Response response;
    JsonWriter json(response.body);
    json.begin_object();
    json.key("items");
    json.begin_array();
    for (const Record& each : page->events) write_event(json, each);
    json.end_array();
    json.key("next");
    json.string(fmt::format("{}", page->last_seq));
    json.key("more");
    json.boolean(!page->at_end);
    json.end_object();
    add_header(response.headers, "Link",
               fmt::format("</v1/events?after={}&limit={}>; rel=\"next\"", page->last_seq, limit));
    return response;
  });
}

}  // namespace holdfast::http
