#pragma once

#include <sys/types.h>

#include <string>

namespace holdfast::bench {

/// A provider in a process of its own, which answers everything at once with 201 and a short body.
/// To be started before any thread is.
class Provider {
 public:
  Provider();
  ~Provider();
  Provider(const Provider&) = delete;
  Provider& operator=(const Provider&) = delete;

  [[nodiscard]] const std::string& url() const { return url_; }

 private:
  pid_t pid_ = -1;
  std::string url_;
};

}  // namespace holdfast::bench
