#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace holdfast::test {

/// An answer as it came over the wire. Names of headers are in lower case.
struct Answered {
  int status = 0;
  std::map<std::string, std::string> headers;
  std::string body;

  [[nodiscard]] std::string header(const std::string& name) const {
    const auto found = headers.find(name);
    return found == headers.end() ? "" : found->second;
  }
};

/// A socket and nothing between it and the test: sends any bytes at all. One thread at a time.
class RawConnection {
 public:
  explicit RawConnection(std::uint16_t port);
  ~RawConnection();
  RawConnection(const RawConnection&) = delete;
  RawConnection& operator=(const RawConnection&) = delete;
  RawConnection(RawConnection&& other) noexcept;

  /// False when the peer has gone.
  bool send(std::string_view bytes) const;
  /// Nothing more will be sent.
  void finish_sending() const;
  /// The next answer; nothing if the connection ends, or so much time passes, before it is whole.
  [[nodiscard]] std::optional<Answered> read(
      std::chrono::milliseconds patience = std::chrono::seconds(20), bool head = false);
  /// Whatever comes until the peer closes. If it does not within so much time, the test has failed.
  [[nodiscard]] std::string read_to_end(
      std::chrono::milliseconds patience = std::chrono::seconds(20));
  /// Whatever comes until `wanted` is among it; less if the connection ends before.
  [[nodiscard]] std::string read_until(
      std::string_view wanted, std::chrono::milliseconds patience = std::chrono::seconds(20));
  /// Ends it as a crash would: the peer sees a reset.
  void reset();

 private:
  bool fill(std::chrono::steady_clock::time_point until);

  int socket_ = -1;
  std::string read_;
};

}  // namespace holdfast::test
