#include "support/processes/browser.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <stdexcept>
#include <thread>

#include "base/json_writer.hpp"
#include "support/http/http_server.hpp"

namespace holdfast::test {
namespace {

using Steady = std::chrono::steady_clock;

constexpr std::chrono::seconds patience{60};
constexpr std::chrono::milliseconds between_looks{25};

/// Nothing of the machine's own: no profile, no network but what the page asks for.
constexpr std::string_view chromium_flags =
    R"("--headless","--no-sandbox","--disable-gpu","--disable-quic","--no-first-run",)"
    R"("--disable-background-networking","--disable-component-update","--disable-sync",)"
    R"("--disable-dev-shm-usage","--window-size=1280,900")";

/// By this member a JSON object is an element: W3C WebDriver, 12.
constexpr std::string_view element_member = "element-6066-11e4-a52e-4f735466cecf";

/// The page has put another element where one was.
struct Replaced : std::runtime_error {
  using std::runtime_error::runtime_error;
};

std::string program(const std::string& name) { return find_program(name, {}); }

std::string from_base64(std::string_view text) {
  constexpr std::string_view letters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    const std::size_t at = letters.find(c);
    if (at == std::string_view::npos) break;
    bits = bits << 6U | static_cast<std::uint32_t>(at);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>(bits >> static_cast<unsigned>(count) & 0xFFU);
  }
  return bytes;
}

}  // namespace

std::string as_literal(std::string_view text) {
  std::string out;
  JsonWriter(out).string(text);
  return out;
}

std::string Browser::missing_package() {
  if (program("chromedriver").empty()) return "chromium-driver";
  return program("chromium").empty() ? "chromium" : "";
}

Browser::Browser() : driver_(home_.path(), ServerProcess::Farewell::kill) {
  start_driver();
  start_session();
}

Browser::~Browser() {
  if (session_.empty()) return;
  // In good order first, so that nobody writes into a folder that is being removed.
  RawConnection connection(port_);
  if (connection.send(request_text("DELETE", session_))) (void)connection.read(patience);
  driver_.kill();
}

void Browser::start_driver() {
  port_ = free_port();
  driver_.start({"/usr/bin/env", "HOME=" + home_.path().string(), "TMPDIR=" + home_.path().string(),
                 program("chromedriver"), fmt::format("--port={}", port_)});
  const auto until = Steady::now() + patience;
  while (true) {
    RawConnection connection(port_);
    const bool sent = connection.send(request_text("GET", "/status"));
    const auto answered = sent ? connection.read(patience) : std::nullopt;
    if (answered && answered->status == 200) return;
    if (!driver_.running() || Steady::now() > until)
      throw std::runtime_error("chromedriver did not start: " + driver_.last_words());
    std::this_thread::sleep_for(between_looks);
  }
}

void Browser::start_session() {
  const std::string body =
      fmt::format(R"({{"capabilities":{{"alwaysMatch":{{"browserName":"chrome",)"
                  R"("goog:loggingPrefs":{{"browser":"ALL"}},)"
                  R"("goog:chromeOptions":{{"binary":{},"args":[{},{}]}}}}}}}})",
                  as_literal(program("chromium")), chromium_flags,
                  as_literal("--user-data-dir=" + home_.file("profile")));
  session_ = "/session/" + command("POST", "", body).text("/value/sessionId");
}

Json Browser::command(const std::string& method, const std::string& what,
                      const std::string& body) const {
  RawConnection connection(port_);
  const std::string target = session_.empty() ? "/session" : session_ + what;
  (void)connection.send(request_text(method, target, {{"Content-Type", "application/json"}}, body));
  const auto answered = connection.read(2 * patience);
  if (!answered) throw std::runtime_error("chromedriver does not answer: " + driver_.last_words());
  if (answered->status != 200) {
    const std::string error = Json(answered->body).text("/value/error");
    if (error == "stale element reference") throw Replaced(error);
    throw std::runtime_error(
        fmt::format("{} {}: {}", method, what, Json(answered->body).text("/value/message")));
  }
  return Json(answered->body);
}

void Browser::tell(const std::string& what, const std::string& body) const {
  (void)command("POST", what, body);
}

void Browser::open(const std::string& url) const {
  tell("/url", fmt::format(R"({{"url":{}}})", as_literal(url)));
}

void Browser::reload() const { tell("/refresh"); }

void Browser::resize(int width, int height) const {
  tell("/goog/cdp/execute",
       fmt::format(R"({{"cmd":"Emulation.setDeviceMetricsOverride","params":{{"width":{},)"
                   R"("height":{},"deviceScaleFactor":1,"mobile":false}}}})",
                   width, height));
}

void Browser::prefer_colours(const std::string& scheme) const {
  tell("/goog/cdp/execute",
       fmt::format(R"({{"cmd":"Emulation.setEmulatedMedia","params":{{"features":)"
                   R"([{{"name":"prefers-color-scheme","value":{}}}]}}}})",
                   as_literal(scheme)));
}

void Browser::screenshot(const std::string& file) const {
  std::ofstream(file, std::ios::binary)
      << from_base64(command("GET", "/screenshot").text("/value"));
}

std::string Browser::element(const std::string& selector) const {
  const std::string shown = fmt::format(
      "(() => {{ const e = document.querySelector({}); return e !== null && "
      "e.getClientRects().length > 0 && !e.disabled; }})()",
      as_literal(selector));
  wait_for(shown);
  const Json found =
      command("POST", "/element",
              fmt::format(R"({{"using":"css selector","value":{}}})", as_literal(selector)));
  return found.text(fmt::format("/value/{}", element_member));
}

void Browser::tell_element(const std::string& selector, const std::string& what,
                           const std::string& body) const {
  const auto until = Steady::now() + patience;
  while (true) {
    try {
      return tell(fmt::format("/element/{}/{}", element(selector), what), body);
    } catch (const Replaced&) {
      if (Steady::now() > until) throw;
    }
  }
}

void Browser::click(const std::string& selector) const { tell_element(selector, "click"); }

void Browser::double_click(const std::string& selector) const {
  (void)value(fmt::format("document.querySelector({}).scrollIntoView({{block: 'center'}})",
                          as_literal(selector)));
  constexpr std::string_view press =
      R"({"type":"pointerDown","button":0},{"type":"pointerUp","button":0})";
  tell("/actions",
       fmt::format(R"({{"actions":[{{"type":"pointer","id":"mouse","actions":[)"
                   R"({{"type":"pointerMove","x":0,"y":0,"origin":{{"{}":{}}}}},{},{}]}}]}})",
                   element_member, as_literal(element(selector)), press, press));
}

void Browser::type(const std::string& selector, const std::string& text) const {
  tell_element(selector, "clear");
  press(selector, text);
}

void Browser::press(const std::string& selector, const std::string& key) const {
  tell_element(selector, "value", fmt::format(R"({{"text":{}}})", as_literal(key)));
}

Json Browser::value(const std::string& expression) const {
  return command(
      "POST", "/execute/sync",
      fmt::format(R"({{"script":{},"args":[]}})", as_literal("return " + expression + ";")));
}

std::string Browser::text(const std::string& selector) const {
  return value(fmt::format("document.querySelector({})?.innerText ?? ''", as_literal(selector)))
      .text("/value");
}

std::int64_t Browser::number(const std::string& expression) const {
  return value(expression).number("/value");
}

void Browser::wait_for(const std::string& expression) const {
  const auto until = Steady::now() + patience;
  while (!value("Boolean(" + expression + ")").truth("/value")) {
    if (Steady::now() > until)
      throw std::runtime_error("never came true: " + expression + "\nThe page:\n" + page_text());
    std::this_thread::sleep_for(between_looks);
  }
}

void Browser::wait_for_text(const std::string& selector, std::string_view text) const {
  wait_for(fmt::format("document.querySelector({})?.innerText.includes({})", as_literal(selector),
                       as_literal(text)));
}

std::string Browser::page_text() const { return value("document.body.innerText").text("/value"); }

std::vector<std::string> Browser::console() const {
  return command("POST", "/se/log", R"({"type":"browser"})").texts("/value", "message");
}

}  // namespace holdfast::test
