#include "support/http/outbound_calls.hpp"

#include <fmt/format.h>

#include <future>

#include "base/assert.hpp"

namespace holdfast::outbound {

std::ostream& operator<<(std::ostream& out, const Response& response) {
  return out << response.status << ' ' << response.body;
}

std::ostream& operator<<(std::ostream& out, const Failure& failure) {
  return out << name_of(failure.what) << ": " << failure.text;
}

}  // namespace holdfast::outbound

namespace holdfast::test {

std::unique_ptr<outbound::Client> strict_client(outbound::Options options) {
  auto client = outbound::Client::make(std::move(options));
  HOLDFAST_ASSERT(client.has_value());
  return std::move(*client);
}

std::unique_ptr<outbound::Client> local_client(outbound::Options options) {
  options.allowed.emplace_back("127.0.0.0/8");
  options.allowed.emplace_back("::1");
  return strict_client(std::move(options));
}

outbound::Result ask(outbound::Client& client, outbound::Call call) {
  const auto told = std::make_shared<std::promise<outbound::Result>>();
  auto result = told->get_future();
  client.send(std::move(call), [told](outbound::Result each) { told->set_value(std::move(each)); });
  return result.get();
}

outbound::Call get(std::string url) {
  return {.url = std::move(url),
          .limits = {.connect = std::chrono::seconds(20), .total = std::chrono::seconds(30)}};
}

outbound::Call post(std::string url, std::string body) {
  outbound::Call call = get(std::move(url));
  call.method = "POST";
  call.body = std::move(body);
  return call;
}

std::string in_short(const outbound::Result& result) {
  if (result) return fmt::to_string(result->status);
  const bool certain = result.error().reached == outbound::Reached::no;
  return fmt::format("{} {}", certain ? "no" : "maybe", name_of(result.error().what));
}

}  // namespace holdfast::test
