#include "support/http/http_server.hpp"

#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>

#include <mutex>
#include <string>

#include "keys/keys.hpp"
#include "support/calls.hpp"
#include "support/journals/audit.hpp"

namespace holdfast::test {

/// What was logged. It can be read while the server goes on logging.
struct HttpTest::Lines final : spdlog::sinks::base_sink<std::mutex> {
  [[nodiscard]] std::string text() {
    const std::lock_guard lock(mutex_);
    return text_;
  }

 private:
  void sink_it_(const spdlog::details::log_msg& message) override {
    spdlog::memory_buf_t line;
    formatter_->format(message, line);
    text_.append(line.data(), line.size());
  }
  void flush_() override {}

  std::string text_;
};

std::string request_text(const std::string& method, const std::string& target,
                         const Headers& headers, const std::string& body) {
  std::string text = method + " " + target + " HTTP/1.1\r\nHost: localhost\r\n";
  for (const Header& each : headers) text += each.name + ": " + each.value + "\r\n";
  if (!body.empty()) text += "Content-Length: " + std::to_string(body.size()) + "\r\n";
  return text + "\r\n" + body;
}

HttpTest::HttpTest()
    : clock_(std::make_shared<SettableClock>(::holdfast::test::start)),
      lines_(std::make_shared<Lines>()) {}

HttpTest::~HttpTest() {
  if (server_ == nullptr) return;
  // Whatever a test did to the service, its records keep every promise.
  EXPECT_THAT(violations(server_->service().store()), testing::IsEmpty());
  stop();
}

void HttpTest::start(http::Settings settings) {
  settings_ = std::move(settings);
  settings_.listen = "127.0.0.1:0";
  if (settings_.store == http::Settings{}.store) settings_.store = dir_.file("holdfast.db");
  settings_.sweep_every = Duration::zero();
  auto server = http::Server::start(
      settings_,
      {.clock = clock_,
       .random = seeded_random(7),
       .log = std::make_shared<http::Log>(settings_.log_level, clock_,
                                          std::make_shared<spdlog::logger>("test", lines_)),
       .observer = observer_});
  ASSERT_TRUE(server) << server.error();
  server_ = std::move(*server);
}

void HttpTest::stop() { server_.reset(); }

void HttpTest::restart() {
  stop();
  start(settings_);
}

Answered HttpTest::call(const std::string& method, const std::string& target,
                        const Headers& headers, const std::string& body) const {
  RawConnection connection = connect();
  EXPECT_TRUE(connection.send(request_text(method, target, headers, body)));
  auto answered = connection.read(std::chrono::seconds(20), method == "HEAD");
  EXPECT_TRUE(answered.has_value()) << method << " " << target << " was not answered";
  return answered.value_or(Answered{});
}

Answered HttpTest::place(const std::string& key, const std::string& body, Headers headers) const {
  headers.push_back({"Idempotency-Key", key});
  return call("POST", "/v1/holds", headers, body);
}

std::string HttpTest::holding(const std::string& resource, const std::string& requester) {
  return R"({"resource":")" + resource + R"(","requester":")" + requester +
         R"(","duration":"PT15M"})";
}

std::string HttpTest::new_key(const std::string& tenant, const std::string& principal,
                              http::Role role) const {
  const http::KeyFile file(http::KeyFile::beside(dir_.file("holdfast.db")));
  const auto random = system_random();
  auto made = file.create(tenant, principal, role, clock_->now(), *random);
  EXPECT_TRUE(made) << (made ? "" : made.error());
  return made ? made->credential : "";
}

std::size_t HttpTest::events() const {
  return Json(get("/v1/events?limit=1000").body).size("/items");
}

bool HttpTest::eventually(const std::function<bool()>& condition) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

std::string HttpTest::logged() const { return lines_->text(); }

}  // namespace holdfast::test
