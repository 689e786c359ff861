#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "modules/commands/declaration.hpp"
#include "modules/commands/placeholder.hpp"

/// HTTP requests made of a template and a command. A template is parsed once, when its declaration
/// is read, and refused there if no command could ever fill it.
///
/// A value never leaves its place. In a URL it is percent-encoded, may not be empty in a path, and
/// makes no segment `.` or `..`; scheme and host are literal. In a header it has no control
/// characters. In a JSON body `{…}` outside of quotes is the value as JSON, inside of quotes its
/// text, escaped; names of members are literal.
namespace holdfast::commands {

struct TemplateError {
  std::string member;  ///< `method`, `url`, `body`, or `headers.Name`
  std::string text;    ///< a sentence without that name
};

/// Of what is rendered; templates themselves are bounded by the registry.
struct TemplateLimits {
  std::size_t url_bytes_max = std::size_t{8} * 1024;
  std::size_t header_bytes_max = std::size_t{8} * 1024;  ///< of one value
  std::size_t body_bytes_max = std::size_t{256} * 1024;
};

struct RenderedRequest {
  std::string method;
  std::string url;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;  ///< empty: none
};

/// Literal text and what stands between it.
struct TemplatePiece {
  std::string literal{};  ///< before the placeholder
  std::optional<Placeholder> placeholder{};
  bool quoted = false;  ///< in a body: within a JSON string
};
using TemplatePieces = std::vector<TemplatePiece>;

/// Immutable; may be rendered by several threads at once.
class ParsedRequest {
 public:
  /// Without a URL it is a request that somebody else sends, such as a worker. With a `key_header`,
  /// that header carries `{key}` besides.
  [[nodiscard]] static tl::expected<std::shared_ptr<const ParsedRequest>, TemplateError> parse(
      const RequestTemplate& request, std::string_view key_header = {});

  /// An error is a sentence that names the placeholder or the member, never a value, so that it can
  /// be recorded. The same values give the same request.
  [[nodiscard]] tl::expected<RenderedRequest, std::string> render(
      const TemplateValues& values, const SecretLookup& secrets,
      const TemplateLimits& limits = {}) const;

  /// The secrets it names, each once: what must be in the file before it can be used.
  [[nodiscard]] std::vector<std::string> secrets() const;

 private:
  struct Header {
    std::string name;
    TemplatePieces value;
  };

  std::string method_;
  TemplatePieces url_;
  std::vector<Header> headers_;
  TemplatePieces body_;
  bool args_are_body_ = false;
};

/// Whether a request may have a header of that name as its own: a token, and none that the
/// connection itself needs.
[[nodiscard]] bool is_header_name(std::string_view name);

/// Whether a request with that method has a body.
[[nodiscard]] bool has_body(std::string_view method);

}  // namespace holdfast::commands
