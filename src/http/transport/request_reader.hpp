#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "holdfast/rejections.hpp"
#include "http/transport/message.hpp"
#include "settings/settings.hpp"

namespace holdfast::http {

/// Why a request cannot be read. The connection ends with the answer: nobody can know where the
/// next request begins.
struct ReadError {
  Rejection rejection = Rejection::malformed_request;
  int status = 400;
  std::string detail;
};

/// Reads one request after the other from a buffer that others fill: Beast's parser for the header
/// and for chunked bodies, the buffer itself for plain ones. Refuses what smugglers use.
///
/// The buffer may move between calls; what was already read is known by its distance from where
/// the request begins.
class RequestReader {
 public:
  explicit RequestReader(const Limits& limits);
  ~RequestReader();
  RequestReader(const RequestReader&) = delete;
  RequestReader& operator=(const RequestReader&) = delete;

  enum class Progress { need_more, header_done, complete, failed };

  /// Goes on with the request that begins at the first byte of `bytes`. `header_done` is said
  /// once, before the body is complete, so that it can be asked for.
  Progress read(std::string_view bytes);

  // After header_done or complete, or failed if the header could be read nevertheless.

  [[nodiscard]] bool has_header() const { return header_plain_; }
  [[nodiscard]] bool expects_continue() const;
  /// Whether its method only reads: GET, HEAD or OPTIONS.
  [[nodiscard]] bool is_safe() const;
  /// Fills in the request; its views are of `bytes`, the same as were read last. The body is what
  /// has come of it.
  void fill(Request& request, std::string_view bytes) const;

  // After complete.

  /// Bytes of the buffer the request took.
  [[nodiscard]] std::size_t size() const;

  // After failed.
  [[nodiscard]] const ReadError& error() const;

  /// Whether the header is still incomplete; it has a deadline of its own.
  [[nodiscard]] bool in_header() const;

  /// Makes ready for the next request.
  void reset();

 private:
  class Parser;
  Progress fail(ReadError error);
  Progress read_header(std::string_view bytes);
  Progress check_header(std::string_view bytes);
  Progress read_body(std::string_view bytes);
  Progress read_chunks(std::string_view bytes);

  const Limits& limits_;
  std::unique_ptr<Parser> parser_;
  std::size_t consumed_ = 0;
  std::size_t header_bytes_ = 0;  ///< 0: not complete yet
  std::size_t body_bytes_max_ = 0;
  bool header_plain_ = false;  ///< complete, and everybody reads it as we do
  bool keep_alive_ = false;
  std::size_t size_ = 0;
  ReadError error_;
};

}  // namespace holdfast::http
