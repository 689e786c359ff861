// The request path: whatever comes over the wire is read, cut or refused, in whatever pieces it
// comes, and always with the same result.

#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "http/handlers/body_reader.hpp"
#include "http/handlers/idempotency_key.hpp"
#include "http/router.hpp"
#include "http/transport/request_reader.hpp"
#include "http/transport/target.hpp"

namespace {

using namespace holdfast::http;
using Progress = RequestReader::Progress;

/// What became of the first request in the bytes.
struct Outcome {
  Progress progress = Progress::need_more;
  std::size_t size = 0;
  std::string method, target, key, body;
  int status = 0;
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

const Limits& limits() {
  static const Limits small{
      .header_bytes_max = 512, .body_bytes_max = 512, .batch_body_bytes_max = 1024};
  return small;
}

/// Reads the bytes in pieces of `step`, from a buffer that moves every time.
Outcome read(std::string_view bytes, std::size_t step) {
  RequestReader reader(limits());
  Outcome outcome;
  std::size_t given = 0;
  std::vector<char> buffer;
  do {
    given = std::min(bytes.size(), given + step);
    buffer.assign(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(given));
    buffer.resize(given + 64);
    const std::string_view view(buffer.data(), given);
    outcome.progress = reader.read(view);
    if (outcome.progress == Progress::need_more || outcome.progress == Progress::header_done)
      outcome.progress = reader.read(view);  // as it is when something else is answered
    if (outcome.progress == Progress::failed) {
      outcome.status = reader.error().status;
      if (reader.has_header()) {  // then it is told whose request was refused
        Request head;
        reader.fill(head, view);
        if (head.method.empty()) std::abort();
      }
      return outcome;
    }
    if (outcome.progress == Progress::complete) {
      Request request;
      reader.fill(request, view);
      outcome.size = reader.size();
      outcome.method = request.method;
      outcome.target = request.target;
      outcome.key = request.field(Field::idempotency_key);
      outcome.body = request.body;
      return outcome;
    }
  } while (given < bytes.size());
  outcome.progress = Progress::need_more;
  return outcome;
}

void use(const Outcome& outcome) {
  if (outcome.progress != Progress::complete) return;
  if (outcome.size == 0) std::abort();
  if (const auto target = parse_target(outcome.target)) (void)find_route(outcome.method, *target);
  (void)parse_idempotency_key(outcome.key, 256);
  std::string body = outcome.body;
  body.reserve(body.size() + 64);
  const std::array path{std::string("r")};
  for (const holdfast::OperationRow& each : holdfast::operations()) {
    (void)read_command(holdfast::spec_of(each.id), body, path, limits());
  }
  (void)read_batch(body, limits(), 256);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const Outcome whole = read(bytes, bytes.size() + 1);
  use(whole);
  // In pieces a mistake may be seen sooner, as too long or as malformed, but a request that is
  // whole is the same request, and one that is refused is not accepted.
  for (const std::size_t step : {std::size_t{1}, 1 + bytes.size() / 7}) {
    const Outcome pieces = read(bytes, step);
    const bool both_whole =
        whole.progress == Progress::complete && pieces.progress == Progress::complete;
    if (both_whole && !(whole == pieces)) std::abort();
    if (whole.progress == Progress::failed && pieces.progress == Progress::complete) std::abort();
  }
  return 0;
}
