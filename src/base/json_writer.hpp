#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace holdfast {

// Writes JSON text without white space to the end of a caller's string, with the escapes and the
// number layout of RFC 8785. It serves the canonical form and ordinary answers alike, so it does
// not sort members or look for duplicates: keys appear in the order they are written.
//
// Commas and colons are placed here; pairing begin with end, and a key with a value, is the
// caller's duty and is not checked. Every string and key must be valid UTF-8 (see is_valid_utf8).
// The writer allocates nothing of its own. Not thread-safe.
class JsonWriter {
 public:
  // `out` must outlive the writer. What it already holds is kept.
  explicit JsonWriter(std::string& out) noexcept : out_(out) {}

  void begin_object() { open('{'); }
  void end_object() { close('}'); }
  void begin_array() { open('['); }
  void end_array() { close(']'); }

  void key(std::string_view name);
  void string(std::string_view text);
  void integer(std::int64_t value);
  void boolean(bool value) { raw(value ? "true" : "false"); }
  void null() { raw("null"); }

  // As ECMAScript's Number::toString writes it; minus zero becomes 0. JSON has no NaN or infinity:
  // passing one is a bug and stops the process.
  void number(double value);

  // Appends one complete JSON value that is already text, such as a recorded answer.
  void raw(std::string_view json) {
    separate();
    out_.append(json);
  }

  // Makes the next value the first of a new document, for callers that reuse writer and string.
  void reset() noexcept { comma_ = false; }

 private:
  void separate() {
    if (comma_) out_.push_back(',');
    comma_ = true;
  }
  void open(char bracket) {
    separate();
    out_.push_back(bracket);
    comma_ = false;
  }
  void close(char bracket) {
    out_.push_back(bracket);
    comma_ = true;
  }

  std::string& out_;
  bool comma_ = false;  // a value precedes at this level, so the next one needs a comma
};

}  // namespace holdfast
