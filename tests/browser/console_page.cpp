#include "browser/console_page.hpp"

#include <fmt/format.h>

namespace holdfast::test {

std::unique_ptr<Browser>& ConsolePage::shared_browser() {
  static std::unique_ptr<Browser> browser;
  return browser;
}

void ConsolePage::SetUp() {
  if (const std::string package = Browser::missing_package(); !package.empty())
    GTEST_SKIP() << "browser: skipped: " << package << " is not installed";
  service_.emplace(store());
  if (shared_browser() == nullptr) shared_browser() = std::make_unique<Browser>();
  browser().resize(1280, 900);
  (void)browser().console();
}

void ConsolePage::TearDown() {
  if (!service_) return;
  browser().open("about:blank");
  const Headers key =
      audit_key_.empty() ? Headers{} : Headers{{"Authorization", "Bearer " + audit_key_}};
  const Answered audit = call("GET", "/v1/audit", key);
  EXPECT_TRUE(Json(audit.body).truth("/clean")) << audit.body;
  EXPECT_EQ(service_->terminate(), 0);
}

std::string ConsolePage::url() const {
  return fmt::format("http://127.0.0.1:{}/", service_->port());
}

void ConsolePage::restart(std::vector<std::string> flags) {
  EXPECT_EQ(service_->terminate(), 0);
  service_.emplace(store(), std::move(flags));
}

void ConsolePage::open(const std::string& address) const {
  browser().open(url() + address);
  browser().wait_for_text("#ready", "Ready");
}

Answered ConsolePage::call(const std::string& method, const std::string& target, Headers headers,
                           const std::string& body) const {
  RawConnection connection(service_->port());
  EXPECT_TRUE(connection.send(request_text(method, target, headers, body)));
  const auto answered = connection.read();
  EXPECT_TRUE(answered) << method << " " << target;
  return answered.value_or(Answered{});
}

std::string ConsolePage::placed(const std::string& resource, const std::string& requester,
                                const std::string& duration) const {
  static int number = 0;
  const Answered answered =
      call("POST", "/v1/holds", {{"Idempotency-Key", fmt::format("other-{}", ++number)}},
           fmt::format(R"({{"resource":{},"requester":{},"duration":{}}})", as_literal(resource),
                       as_literal(requester), as_literal(duration)));
  EXPECT_EQ(answered.status, 201) << answered.body;
  return Json(answered.body).text("/id");
}

std::vector<std::string> ConsolePage::events() const {
  return Json(call("GET", "/v1/events?limit=1000").body).texts("/items", "type");
}

std::string ConsolePage::new_key(http::Role role, const std::string& tenant) {
  const http::KeyFile file(http::KeyFile::beside(store()));
  const auto made = file.create(tenant, std::string(http::name(role)), role, system_clock()->now(),
                                *system_random());
  if (!made) throw std::runtime_error(made.error());
  if (role == http::Role::operator_role) audit_key_ = made->credential;
  return made->credential;
}

void ConsolePage::fill_placing(const std::string& resource, const std::string& requester) const {
  browser().type("#place-resource", resource);
  browser().type("#place-requester", requester);
}

void ConsolePage::wait_for_action(const std::string& state) const {
  browser().wait_for(fmt::format("document.querySelector('#actions li .pill')?.textContent === {}",
                                 as_literal(state)));
}

}  // namespace holdfast::test
