#pragma once

#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "outbound/client.hpp"

namespace holdfast::outbound {

/// For messages of tests.
std::ostream& operator<<(std::ostream& out, const Response& response);
std::ostream& operator<<(std::ostream& out, const Failure& failure);

}  // namespace holdfast::outbound

namespace holdfast::test {

/// A client that may call this machine; it must be possible to make it.
[[nodiscard]] std::unique_ptr<outbound::Client> local_client(outbound::Options options = {});

/// One that keeps to the address policy as it is.
[[nodiscard]] std::unique_ptr<outbound::Client> strict_client(outbound::Options options = {});

/// Sends the call and waits for what becomes of it.
[[nodiscard]] outbound::Result ask(outbound::Client& client, outbound::Call call);

/// GET, with limits that no test waits for.
[[nodiscard]] outbound::Call get(std::string url);
[[nodiscard]] outbound::Call post(std::string url, std::string body);

/// `no timeout`, `maybe lost`, or the status of an answer: what matters of a result, in a word.
[[nodiscard]] std::string in_short(const outbound::Result& result);

}  // namespace holdfast::test
