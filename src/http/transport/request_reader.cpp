#include "http/transport/request_reader.hpp"

#include <fmt/format.h>

#include <array>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>

#include "http/transport/target.hpp"

namespace holdfast::http {
namespace {

namespace beast = boost::beast::http;
using boost::beast::iequals;
using boost::beast::string_view;

/// Where something is in a request, counted from its first byte.
struct Span {
  std::size_t at = 0;
  std::size_t size = 0;
  [[nodiscard]] std::string_view of(std::string_view bytes) const { return bytes.substr(at, size); }
};

constexpr std::array<std::string_view, static_cast<std::size_t>(Field::count)> field_names{
    "Authorization", "Idempotency-Key", "X-Nonce", "X-Confirmation", "Content-Type",
    "Accept",        "Last-Event-ID",   "Host",    "Origin",         "traceparent"};

/// Lines that end in a bare line feed, go on in the next, or hold a NUL are read differently by
/// different programs. Beast refuses some of them, and unfolds others.
bool is_plainly_cut(std::string_view header) {
  if (header.find('\0') != std::string_view::npos) return false;
  for (std::size_t at = header.find('\n'); at != std::string_view::npos;
       at = header.find('\n', at + 1)) {
    if (at == 0 || header[at - 1] != '\r') return false;
    const bool folded = at + 1 < header.size() && (header[at + 1] == ' ' || header[at + 1] == '\t');
    if (folded) return false;
  }
  return true;
}

}  // namespace

/// What Beast finds, noted as distances.
class RequestReader::Parser final : public beast::basic_parser<true> {
 public:
  Parser() {
    body_limit(boost::none);
    eager(false);
  }

  const char* base = nullptr;  ///< of the request, during a call
  beast::verb verb = beast::verb::unknown;
  Span method{}, target{};
  std::array<Span, static_cast<std::size_t>(Field::count)> fields{};
  std::array<std::uint8_t, static_cast<std::size_t>(Field::count)> times{};
  int version = 11;
  unsigned hosts = 0, lengths = 0, encodings = 0;
  bool chunked_alone = false, length_plain = true, continue_expected = false,
       other_expected = false;
  std::string chunks;
  std::size_t chunks_max = 0;
  std::size_t last_chunk_at = 0;
  bool chunks_too_long = false;

 private:
  Span span(string_view text) const {
    return {static_cast<std::size_t>(text.data() - base), text.size()};
  }

  void on_request_impl(beast::verb known, string_view method_text, string_view target_text,
                       int number, boost::system::error_code&) override {
    verb = known;
    method = span(method_text);
    target = span(target_text);
    version = number;
  }
  void on_response_impl(int, string_view, int, boost::system::error_code&) override {}

  void on_field_impl(beast::field name, string_view name_text, string_view value,
                     boost::system::error_code&) override {
    if (is_header_done()) return;  // a trailer is no header, whatever its name
    switch (name) {
      case beast::field::host:
        ++hosts;
        break;
      case beast::field::content_length:
        ++lengths;
        length_plain = !value.empty() && value.find_first_not_of("0123456789") == value.npos;
        return;
      case beast::field::transfer_encoding:
        ++encodings;
        chunked_alone = iequals(value, "chunked");
        return;
      case beast::field::expect:
        (iequals(value, "100-continue") ? continue_expected : other_expected) = true;
        return;
      default:
        break;
    }
    for (std::size_t i = 0; i < field_names.size(); ++i) {
      if (name_text.size() != field_names[i].size()) continue;
      if (!iequals(name_text, string_view(field_names[i].data(), field_names[i].size()))) continue;
      // An empty value has no place of its own.
      fields[i] = value.empty() ? Span{} : span(value);
      if (times[i] < 2) ++times[i];
    }
  }

  void on_header_impl(boost::system::error_code&) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>&,
                         boost::system::error_code&) override {}
  std::size_t on_body_impl(string_view body, boost::system::error_code&) override {
    return body.size();
  }
  void on_chunk_header_impl(std::uint64_t size, string_view extensions,
                            boost::system::error_code&) override {
    if (size == 0) last_chunk_at = span(extensions).at;
  }
  std::size_t on_chunk_body_impl(std::uint64_t, string_view body,
                                 boost::system::error_code& error) override {
    if (chunks.size() + body.size() > chunks_max) {
      chunks_too_long = true;
      error = beast::make_error_code(beast::error::body_limit);
      return 0;
    }
    chunks.append(body.data(), body.size());
    return body.size();
  }
  void on_finish_impl(boost::system::error_code&) override {}
};

RequestReader::RequestReader(const Limits& limits)
    : limits_(limits), parser_(std::make_unique<Parser>()) {
  reset();
}

RequestReader::~RequestReader() = default;

void RequestReader::reset() {
  std::destroy_at(parser_.get());
  std::construct_at(parser_.get());
  parser_->header_limit(static_cast<std::uint32_t>(limits_.header_bytes_max));
  consumed_ = header_bytes_ = size_ = 0;
  header_plain_ = false;
}

bool RequestReader::expects_continue() const {
  return parser_->continue_expected && parser_->version == 11;
}
std::size_t RequestReader::size() const { return size_; }
const ReadError& RequestReader::error() const { return error_; }
bool RequestReader::in_header() const { return header_bytes_ == 0; }

RequestReader::Progress RequestReader::fail(ReadError error) {
  error_ = std::move(error);
  return Progress::failed;
}

RequestReader::Progress RequestReader::read(std::string_view bytes) {
  if (header_bytes_ != 0) return read_body(bytes);
  const Progress progress = read_header(bytes);
  if (progress != Progress::header_done) return progress;
  const Progress body = read_body(bytes);
  return body == Progress::need_more ? Progress::header_done : body;
}

RequestReader::Progress RequestReader::read_header(std::string_view bytes) {
  parser_->base = bytes.data();
  boost::system::error_code error;
  while (!parser_->is_header_done()) {
    consumed_ += parser_->put(
        boost::asio::const_buffer(bytes.data() + consumed_, bytes.size() - consumed_), error);
    if (error) break;
  }
  const bool too_long =
      error == beast::error::header_limit ||
      std::min(consumed_, bytes.size()) > limits_.header_bytes_max ||
      (error == beast::error::need_more && bytes.size() > limits_.header_bytes_max);
  if (too_long) {
    return fail({Rejection::too_large, 431,
                 fmt::format("The header is over {} bytes.", limits_.header_bytes_max)});
  }
  if (error == beast::error::need_more) {
    if (is_plainly_cut(bytes)) return Progress::need_more;
    return fail({Rejection::malformed_request, 400, "The header's lines are not cut by CR LF."});
  }
  if (error) {
    return fail({Rejection::malformed_request, 400,
                 fmt::format("This is not an HTTP/1.1 request: {}.", error.message())});
  }
  header_bytes_ = consumed_;
  keep_alive_ = parser_->keep_alive();  // now: later it is asked of trailers, too
  return check_header(bytes);
}

RequestReader::Progress RequestReader::check_header(std::string_view bytes) {
  const auto refuse = [&](std::string_view detail) {
    return fail({Rejection::malformed_request, 400, std::string(detail)});
  };
  const Parser& head = *parser_;
  if (!is_plainly_cut(bytes.substr(0, header_bytes_)))
    return refuse("The header's lines are not cut by CR LF, are folded, or hold a NUL.");
  header_plain_ = true;  // what Beast unfolds is nowhere in the buffer
  if (head.hosts > 1 || (head.hosts == 0 && head.version == 11))
    return refuse("A request has exactly one Host header.");
  if (head.lengths > 1) return refuse("There is more than one Content-Length.");
  if (!head.length_plain) return refuse("The Content-Length is not a number.");
  if (head.lengths > 0 && head.encodings > 0)
    return refuse("There is both a Content-Length and a Transfer-Encoding.");
  if (head.encodings > 1 || (head.encodings == 1 && !head.chunked_alone))
    return refuse("The only Transfer-Encoding understood is chunked.");
  if (head.encodings > 0 && head.version != 11)
    return refuse("HTTP/1.0 knows no Transfer-Encoding.");
  if (head.other_expected)
    return fail({Rejection::malformed_request, 417, "The only expectation met is 100-continue."});

  const std::string_view path = path_of(form_of(head.target.of(bytes)).path);
  body_bytes_max_ = limits_.body_bytes_max;
  if (path == "/v1/batch") body_bytes_max_ = limits_.batch_body_bytes_max;
  if (path.starts_with("/v1/webhooks/")) body_bytes_max_ = limits_.webhook_body_bytes_max;
  parser_->chunks_max = body_bytes_max_;
  if (head.content_length().value_or(0) > body_bytes_max_) {
    return fail(
        {Rejection::too_large, 413, fmt::format("The body is over {} bytes.", body_bytes_max_)});
  }
  return Progress::header_done;
}

RequestReader::Progress RequestReader::read_body(std::string_view bytes) {
  if (parser_->chunked()) return read_chunks(bytes);
  size_ = header_bytes_ + static_cast<std::size_t>(parser_->content_length().value_or(0));
  return bytes.size() >= size_ ? Progress::complete : Progress::need_more;
}

RequestReader::Progress RequestReader::read_chunks(std::string_view bytes) {
  parser_->eager(true);
  parser_->base = bytes.data();
  boost::system::error_code error;
  // Beast takes for granted that it is not called again with less than a whole last chunk. Whatever
  // is to come, it is no shorter than that.
  constexpr std::size_t last_chunk_bytes = 5;  // "0", CR LF, CR LF
  while (!parser_->is_done() && bytes.size() - consumed_ >= last_chunk_bytes) {
    const std::size_t taken = parser_->put(
        boost::asio::const_buffer(bytes.data() + consumed_, bytes.size() - consumed_), error);
    consumed_ += taken;
    if (error || taken == 0) break;
  }
  // Framing costs the sender nothing and us memory: it counts, too. What comes behind the last
  // chunk is another request's.
  const std::size_t unread = parser_->is_done() ? 0 : bytes.size() - consumed_;
  const bool too_long = parser_->chunks_too_long ||
                        consumed_ - header_bytes_ > 2 * body_bytes_max_ + 1024 ||
                        unread > body_bytes_max_ + limits_.header_bytes_max;
  if (too_long) {
    return fail(
        {Rejection::too_large, 413, fmt::format("The body is over {} bytes.", body_bytes_max_)});
  }
  if (error && error != beast::error::need_more) {
    return fail({Rejection::malformed_request, 400,
                 fmt::format("The body's chunks cannot be read: {}.", error.message())});
  }
  if (!parser_->is_done()) return Progress::need_more;
  size_ = consumed_;
  if (!is_plainly_cut(bytes.substr(parser_->last_chunk_at, size_ - parser_->last_chunk_at))) {
    return fail({Rejection::malformed_request, 400,
                 "The trailer's lines are not cut by CR LF, are folded, or hold a NUL."});
  }
  parser_->chunks.reserve(parser_->chunks.size() + 64);  // readable bytes behind the body
  return Progress::complete;
}

bool RequestReader::is_safe() const {
  const beast::verb verb = parser_->verb;
  return verb == beast::verb::get || verb == beast::verb::head || verb == beast::verb::options;
}

void RequestReader::fill(Request& request, std::string_view bytes) const {
  const Parser& head = *parser_;
  request.method = head.method.of(bytes);
  request.head = bytes.substr(0, header_bytes_);
  const TargetForm form = form_of(head.target.of(bytes));
  request.target = form.path;
  request.version = head.version;
  for (std::size_t i = 0; i < field_names.size(); ++i) {
    request.fields[i] = head.fields[i].of(bytes);
    request.times[i] = head.times[i];
  }
  if (!form.authority.empty()) {  // it counts, whatever the Host says
    request.fields[static_cast<std::size_t>(Field::host)] = form.authority;
    request.times[static_cast<std::size_t>(Field::host)] = 1;
  }
  request.keep_alive = keep_alive_;
  request.body = parser_->chunked() ? std::string_view(head.chunks)
                                    : bytes.substr(header_bytes_, size_ - header_bytes_);
}

}  // namespace holdfast::http
