// What the client library sends, byte for byte, and what it makes of the answers, is what it was.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <mutex>
#include <regex>

#include "golden/kept.hpp"
#include "golden/recorded_service.hpp"
#include "holdfast/client.hpp"
#include "support/calls.hpp"
#include "support/servers/loopback_listener.hpp"
#include "support/temp_dir.hpp"

namespace holdfast::test {
namespace {

/// Writes down what clients send.
class Wiretap {
 public:
  explicit Wiretap(std::uint16_t port)
      : listener_([this, port](int client) {
          forward_to(port, client, [this](bool from_client, std::string_view bytes) {
            const std::lock_guard lock(mutex_);
            if (from_client) sent_.append(bytes);
            return bytes.size();
          });
        }) {}

  [[nodiscard]] std::string url() const { return listener_.url(); }
  /// Since the last time; the port is whichever was free.
  [[nodiscard]] std::string take() {
    const std::lock_guard lock(mutex_);
    static const std::regex host("\r\nHost: [^\r]*\r\n");
    return std::regex_replace(std::exchange(sent_, {}), host, "\r\nHost: …\r\n");
  }

 private:
  std::mutex mutex_;
  std::string sent_;           // guarded by mutex_
  LoopbackListener listener_;  // last: its threads use the others
};

class GoldenClient : public ::testing::Test {
 protected:
  /// Once each, so that what the service says of it is not asked for again.
  static Client connected_to(const std::string& url) {
    auto client = connect({.url = url, .attempts_max = 1});
    if (!client) throw std::runtime_error(client.error().message);
    return std::move(*client);
  }
  static std::string without_carriage_returns(std::string text) {
    std::erase(text, '\r');
    return text;
  }
  void note(const std::string& answer) {
    text_ += without_carriage_returns(tap_.take()) + "\n=> " + answer + "\n\n";
  }
  void ask(const Call& call) {
    const Reply reply = client_.submit(call);
    note(reply ? words(*reply) : reply.error().trouble.text());
  }
  template <typename T>
  void note_list(const Read<Page<T>>& page) {
    note(page ? fmt::format("{} of them, then {}", page->items.size(), page->next)
              : page.error().text());
  }

  const TempDir dir_ = TempDir::in_memory();
  RecordedService service_{{.file = dir_.file("holdfast.db")}};
  Wiretap tap_{service_.port()};
  Client client_ = connected_to(tap_.url());
  std::string text_;
};

TEST_F(GoldenClient, sends_what_it_did) {
  std::vector<Call> calls{
      place(room, "p-1"),
      place({.resource = "Zimmer \"Ä\"\\/",
             .requester = "客人\n",
             .duration = 1500ms,
             .quantity = quantity_max},
            "p-2"),
      place({.resource = "r", .requester = "q", .duration = 0us, .quantity = -1}, "p 3~"),
      place({.resource = "r", .requester = "q", .duration = 24h * 366, .quantity = 2}, "\"p-4\""),
      place({.resource = std::string("\0", 1), .requester = "\xff", .duration = 1us}, "p-5"),
      confirm({1, 0x38de4ec2b28a8b6}, "c-1"),
      release({1, 0x38de4ec2b28a8b6}, "r-1"),
      expire({1, 0x38de4ec2b28a8b6}, "e-1"),
      confirm({0, 0}, "c-2"),
      release({UINT64_MAX, UINT64_MAX}, "r-2"),
      declare("row/12 é%", 5, "d-1"),
      declare("row_12", -quantity_max, "d-2"),
      declare("", 1, "d-3"),
      declare("..", 1, "d-4"),
      place(room, ""),
      place(room, std::string(257, 't')),
      place(room, "not ascii: ü"),
  };
  calls.push_back(place(room, "n-1"));
  calls.back().nonce = "nonce 1";
  calls.push_back(confirm({1, 2}, "n-2"));
  calls.back().confirmation = "code-1";
  for (const Call& call : calls) ask(call);

  const std::vector<Reply> replies = client_.submit(calls);
  std::string all;
  for (const Reply& reply : replies)
    all += "\n" + (reply ? words(*reply) : reply.error().trouble.text());
  note(all);

  const auto hold = client_.hold({1, 2});
  note(hold && !*hold ? "no such hold" : "something else");
  note_list(client_.holds());
  note_list(client_.holds({.resource = "room_307",
                           .requester = "guest é",
                           .state = HoldState::held,
                           .placed_after = start,
                           .cursor = "a/b",
                           .limit = 7}));
  note_list(client_.resources());
  note_list(client_.resources({.cursor = "x", .limit = 3}));
  const auto found = client_.resource("Zimmer \"Ä\"\\/");
  note(found ? words(*found) : found.error().text());
  for (const char* token : {"p-1", "p 3~", "nobody's"}) {
    const auto result = client_.token(Token(token));
    note(!result ? result.error().text() : *result ? words((*result)->answer) : "not used");
  }
  const auto document = client_.document("/v1/events?limit=2");
  note(document ? *document : document.error().text());
  expect_as_kept("client.gz", text_, Piece::paragraph);
}

}  // namespace
}  // namespace holdfast::test
