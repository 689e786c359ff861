#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "holdfast/operations.hpp"

/// The service, asked over HTTP on a clock that stands still, and every exchange written down. What
/// these tests know of its insides is in `recorded_service.cpp` and nowhere else.
namespace holdfast::test {

struct ServedStore {
  std::string file;
  Policies policies{};
  int conflict_status = 409;
  bool small_limits = false;  ///< of bodies, batches and depth: so that little is too much
};

/// A request. `key` is who asks, by the name of a key that was made; empty: nobody in particular.
struct Asked {
  std::string method;
  std::string target;
  std::string body{};
  std::map<std::string, std::string> headers{};
  std::string key{};
  bool status_only = false;  ///< the body is long and kept elsewhere, or is never the same
};

class RecordedService {
 public:
  explicit RecordedService(const ServedStore& served);
  ~RecordedService();
  RecordedService(const RecordedService&) = delete;
  RecordedService& operator=(const RecordedService&) = delete;

  /// Makes a key. From then on a key is needed. The role by its name.
  void make_key(const std::string& name, const std::string& tenant, const std::string& principal,
                const std::string& role);
  /// Asks, and writes down request and answer; gives the answer's body.
  std::string ask(const Asked& asked);
  [[nodiscard]] std::uint16_t port() const;
  void advance(Duration by);
  std::size_t sweep();

  /// Everything so far: paragraphs of a request and its answer. What a process makes up (the number
  /// of a request) and what time does (metrics) is left out.
  [[nodiscard]] const std::string& text() const { return text_; }
  /// An answer's body, not written down.
  [[nodiscard]] std::string raw(const std::string& target);

 private:
  struct Insides;
  std::unique_ptr<Insides> insides_;
  std::string text_;
  std::uint64_t requests_ = 0;
};

}  // namespace holdfast::test
