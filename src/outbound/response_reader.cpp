#include "outbound/response_reader.hpp"

#include <boost/beast/http/error.hpp>
#include <exception>
#include <string_view>
#include <utility>

namespace holdfast::outbound {
namespace {

namespace http = boost::beast::http;
using boost::system::error_code;

constexpr int interim_max = 8;
/// The least that can be missing of a body in chunks: `0`, and two ends of lines. Beast's parser
/// asserts that much once it has seen the last chunk begin.
constexpr std::size_t chunked_rest_bytes_min = 5;
/// A body in chunks of one byte is six times as long.
constexpr std::size_t framing_factor = 8;

/// The parser looks at a header when all of it is there; what is none is not waited for.
constexpr std::string_view answer_begin = "HTTP/1.";

bool may_begin_answer(const boost::beast::flat_buffer& in) {
  const auto bytes = in.data();
  const std::string_view text(static_cast<const char*>(bytes.data()), bytes.size());
  return text.substr(0, answer_begin.size()) == answer_begin.substr(0, text.size());
}

}  // namespace

ResponseReader::ResponseReader(std::size_t header_bytes_max, std::size_t body_bytes_max, bool head)
    : header_bytes_max_(header_bytes_max), body_bytes_max_(body_bytes_max), head_(head) {
  begin();
}

void ResponseReader::begin() {
  parser_.emplace();
  parser_->header_limit(static_cast<std::uint32_t>(header_bytes_max_));
  parser_->body_limit(body_bytes_max_);
  parser_->skip(head_);
}

ResponseReader::Progress ResponseReader::read(boost::beast::flat_buffer& in) {
  Progress progress = Progress::more;
  while (progress == Progress::more && in.size() > 0) {
    const std::size_t before = in.size();
    const bool in_header = !header_done_;
    progress = step(in);
    if (progress == Progress::more && in.size() == before && in_header == !header_done_) break;
  }
  if (progress != Progress::more) return progress;
  if (wire_bytes_ / framing_factor > header_bytes_max_ + body_bytes_max_)
    return give_up(Progress::too_large, "the answer has too much between its chunks");
  if (in.size() >= buffer_bytes_max())
    return give_up(Progress::too_large, "the answer has an endless line");
  return Progress::more;
}

/// The header by itself first: trailers would be added to it.
ResponseReader::Progress ResponseReader::step(boost::beast::flat_buffer& in) {
  if (header_done_ && parser_->chunked() && in.size() < chunked_rest_bytes_min)
    return Progress::more;
  if (!parser_->got_some()) {
    if (!may_begin_answer(in)) return give_up(Progress::broken, "what came is no HTTP/1");
    if (in.size() < answer_begin.size()) return Progress::more;
  }
  error_code error;
  parser_->eager(header_done_);
  const std::size_t used = put(in.data(), error);
  in.consume(used);
  wire_bytes_ += used;
  if (error && error != http::error::need_more) return give_up(error);
  if (!header_done_ && parser_->is_header_done()) return header_done();
  return header_done_ && parser_->is_done() ? Progress::complete : Progress::more;
}

/// Whatever a peer sends, it is an error of this call and not the end of this thread.
std::size_t ResponseReader::put(boost::asio::const_buffer bytes, error_code& error) {
  try {
    return parser_->put(bytes, error);
  } catch (const std::exception&) {  // a field that is too long for Beast, no memory for the body
    error = http::error::buffer_overflow;
    return 0;
  }
}

ResponseReader::Progress ResponseReader::header_done() {
  const auto& message = parser_->get();
  const int status = static_cast<int>(message.result_int());
  if (status < 200) {
    if (status < 100 || status == 101 || ++interim_ > interim_max)
      return give_up(Progress::broken, "the peer announces and does not answer");
    begin();
    return Progress::more;
  }
  header_done_ = true;
  keep_alive_ = parser_->keep_alive();
  response_.status = status;
  for (const auto& field : message)
    response_.headers.push_back({std::string(field.name_string()), std::string(field.value())});
  return parser_->is_done() ? Progress::complete : Progress::more;
}

ResponseReader::Progress ResponseReader::end() {
  if (!header_done_) return Progress::more;
  error_code error;
  parser_->put_eof(error);
  keep_alive_ = false;
  return error ? Progress::more : Progress::complete;
}

ResponseReader::Progress ResponseReader::give_up(const error_code& error) {
  fault_ = error.message();
  const bool large = error == http::error::header_limit || error == http::error::body_limit ||
                     error == http::error::buffer_overflow;
  return large ? Progress::too_large : Progress::broken;
}

ResponseReader::Progress ResponseReader::give_up(Progress progress, const char* fault) {
  fault_ = fault;
  return progress;
}

Response ResponseReader::take() {
  response_.body = std::move(parser_->get().body());
  return std::move(response_);
}

}  // namespace holdfast::outbound
