// How a request is cut out of whatever pieces it comes in.

#include "http/transport/request_reader.hpp"

#include <gmock/gmock.h>

#include <vector>

namespace holdfast::http {
namespace {

using Progress = RequestReader::Progress;

struct Outcome {
  Progress progress = Progress::need_more;
  std::size_t size = 0;
  int status = 0;
  std::string key, body;
};

/// Gives the reader `step` more bytes at a time, from a buffer that moves every time.
Outcome read_in_pieces(std::string_view bytes, std::size_t step) {
  const Limits limits;
  RequestReader reader(limits);
  Outcome outcome;
  for (std::size_t given = 0; given < bytes.size();) {
    given = std::min(bytes.size(), given + step);
    std::vector<char> buffer(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(given));
    buffer.resize(given + 64);
    const std::string_view view(buffer.data(), given);
    outcome.progress = reader.read(view);
    const bool ended =
        outcome.progress == Progress::failed || outcome.progress == Progress::complete;
    if (!ended) outcome.progress = reader.read(view);  // as it is when something else is answered
    if (outcome.progress == Progress::failed) {
      outcome.status = reader.error().status;
      return outcome;
    }
    if (outcome.progress != Progress::complete) continue;
    Request request;
    reader.fill(request, view);
    outcome.size = reader.size();
    outcome.key = request.field(Field::idempotency_key);
    outcome.body = request.body;
    return outcome;
  }
  return outcome;
}

const std::string chunked_head =
    "POST /v1/holds HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n"
    "Idempotency-Key: k-1\r\n\r\n";

TEST(RequestReader, ReadsChunksInPiecesOfEverySize) {
  const std::vector<std::pair<std::string, std::string>> bodies{
      {"0\r\n\r\n", ""},
      {"000\r\n\r\n", ""},
      {"0;a=b\r\n\r\n", ""},
      {"0\r\nX-Check: 1\r\n\r\n", ""},
      {"1\r\na\r\n0\r\n\r\n", "a"},
      {"1;x\r\na\r\n2\r\nbc\r\n0\r\n\r\n", "abc"},
      {"a\r\n0123456789\r\n0;y=\"z\"\r\nA: b\r\nC: d\r\n\r\n", "0123456789"}};
  for (const auto& [chunks, body] : bodies) {
    const std::string bytes = chunked_head + chunks;
    for (std::size_t step = 1; step <= bytes.size(); ++step) {
      const Outcome outcome = read_in_pieces(bytes, step);
      ASSERT_EQ(outcome.progress, Progress::complete) << chunks << " by " << step;
      EXPECT_EQ(outcome.body, body) << chunks << " by " << step;
      EXPECT_EQ(outcome.size, bytes.size()) << chunks << " by " << step;
      EXPECT_EQ(outcome.key, "k-1") << chunks << " by " << step;
    }
  }
}

/// What was sent behind a request is no part of it, however much it is.
TEST(RequestReader, ChunksEndWhereTheySay) {
  const std::string whole = chunked_head + "1\r\na\r\n0\r\n\r\n";
  for (const std::size_t behind : {1U, 100'000U, 900'000U}) {
    const Outcome outcome = read_in_pieces(whole + std::string(behind, 'G'), whole.size() + behind);
    EXPECT_EQ(outcome.progress, Progress::complete) << behind;
    EXPECT_EQ(outcome.size, whole.size()) << behind;
    EXPECT_EQ(outcome.body, "a") << behind;
  }
}

TEST(RequestReader, TakesNoTrailerForAHeader) {
  const std::string head =
      "POST /v1/holds HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n";
  const Outcome without = read_in_pieces(head + "0\r\nIdempotency-Key: k-2\r\n\r\n", 1000);
  EXPECT_EQ(without.progress, Progress::complete);
  EXPECT_EQ(without.key, "");
  const Outcome beside = read_in_pieces(chunked_head + "0\r\nIdempotency-Key: k-2\r\n\r\n", 1000);
  EXPECT_EQ(beside.key, "k-1");
}

TEST(RequestReader, LetsNoTrailerEndTheConnection) {
  const Limits limits;
  RequestReader reader(limits);
  std::string bytes = chunked_head + "0\r\nConnection: close\r\n\r\n";
  bytes.reserve(bytes.size() + 64);
  ASSERT_EQ(reader.read(bytes), Progress::complete);
  Request request;
  reader.fill(request, bytes);
  EXPECT_TRUE(request.keep_alive);
}

TEST(RequestReader, RefusesTrailersThatProgramsDisagreeOn) {
  for (const char* trailer : {"0\r\nAccept: a\r\n b\r\n\r\n", "0\r\nX-Any: a\r\n\tb\r\n\r\n",
                              "0\r\nX: a\nY: b\r\n\r\n", "0\r\nX: a\n\nGET / HTTP/1.1\r\n\r\n"}) {
    for (const std::size_t step : {std::size_t{1}, std::size_t{7}, std::size_t{1000}}) {
      const Outcome outcome = read_in_pieces(chunked_head + trailer, step);
      EXPECT_EQ(outcome.progress, Progress::failed) << trailer;
      EXPECT_EQ(outcome.status, 400) << trailer;
    }
  }
}

}  // namespace
}  // namespace holdfast::http
