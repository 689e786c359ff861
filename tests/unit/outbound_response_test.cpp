#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/asio/buffer.hpp>

#include "outbound/response_reader.hpp"

namespace holdfast::outbound {
namespace {

using Progress = ResponseReader::Progress;

/// What a reader makes of bytes that come so many at a time.
struct Reading {
  explicit Reading(std::string_view bytes, std::size_t at_a_time = 1, bool head = false,
                   std::size_t header_max = 2048)
      : reader(header_max, 1000, head) {
    while (!bytes.empty() && progress == Progress::more) {
      const std::size_t room = reader.buffer_bytes_max() - in.size();
      const std::string_view part = bytes.substr(0, std::min(at_a_time, room));
      bytes.remove_prefix(part.size());
      in.commit(boost::asio::buffer_copy(in.prepare(part.size()), boost::asio::buffer(part)));
      progress = reader.read(in);
    }
    if (progress == Progress::complete) response = reader.take();
  }

  ResponseReader reader;
  boost::beast::flat_buffer in;
  Progress progress = Progress::more;
  Response response;
};

constexpr std::string_view chunked =
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nX-A: b\r\n\r\n";

TEST(OutboundResponses, are_read_however_they_are_cut) {
  const std::string plain = "HTTP/1.1 201 Made\r\nContent-Length: 5\r\nX-A:  b \r\n\r\nhello";
  const std::string pieces =
      fmt::format("{}2;x=y\r\nhe\r\n3\r\nllo\r\n0\r\nX-T: t\r\n\r\n", chunked);
  for (std::size_t size = 1; size < pieces.size(); ++size) {
    const Reading first(plain, size);
    ASSERT_EQ(first.progress, Progress::complete) << size;
    EXPECT_EQ(first.response.status, 201);
    EXPECT_EQ(first.response.body, "hello");
    EXPECT_EQ(find_header(first.response.headers, "x-a"), "b");
    EXPECT_TRUE(first.reader.keep_alive());
    const Reading second(pieces, size);
    ASSERT_EQ(second.progress, Progress::complete) << size;
    EXPECT_EQ(second.response.body, "hello");
    EXPECT_EQ(find_header(second.response.headers, "X-T"), std::nullopt) << "trailers stay out";
    EXPECT_EQ(Reading(fmt::format("{}0\r\n\r\n", chunked), size).progress, Progress::complete);
  }
}

TEST(OutboundResponses, that_are_announced_are_waited_for) {
  const std::string announced = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nA: b\r\n\r\n";
  const std::string last = "HTTP/1.1 204 None\r\n\r\n";
  for (const std::size_t size : {std::size_t{1}, std::size_t{500}}) {
    EXPECT_EQ(Reading(announced + last, size).response.status, 204);
  }
  std::string endless;
  for (int i = 0; i < 20; ++i) endless += announced;
  EXPECT_EQ(Reading(endless).progress, Progress::broken);
  EXPECT_EQ(Reading("HTTP/1.1 101 Switching\r\n\r\n").progress, Progress::broken);
}

TEST(OutboundResponses, of_a_kind_without_a_body_have_none) {
  const std::string says_five = "HTTP/1.1 {} X\r\nContent-Length: 5\r\n\r\n";
  EXPECT_EQ(Reading(fmt::format(fmt::runtime(says_five), 304)).progress, Progress::complete);
  EXPECT_EQ(Reading(fmt::format(fmt::runtime(says_five), 200), 1, true).progress,
            Progress::complete);
  EXPECT_EQ(Reading(fmt::format(fmt::runtime(says_five), 200)).progress, Progress::more);
}

TEST(OutboundResponses, may_end_with_the_connection) {
  Reading reading("HTTP/1.1 200 OK\r\n\r\nhello");
  EXPECT_EQ(reading.progress, Progress::more);
  EXPECT_EQ(reading.reader.end(), Progress::complete);
  EXPECT_EQ(reading.reader.take().body, "hello");
  EXPECT_FALSE(reading.reader.keep_alive());
  for (const char* cut : {"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell", "HTTP/1.1 200",
                          "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
                          "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r",
                          "HTTP/1.1 100 Continue\r\n\r\n"}) {
    EXPECT_EQ(Reading(cut).reader.end(), Progress::more) << cut;
    EXPECT_EQ(Reading(cut, 500).reader.end(), Progress::more) << cut;
  }
}

TEST(OutboundResponses, that_make_no_sense_are_broken) {
  for (const char* each :
       {"garbage\r\n\r\n", "\r\n\r\n", "HTTP/2 200 OK\r\n\r\n", "HTTP/1.1 20 OK\r\n\r\n",
        "HTTP/1.1 099 X\r\n\r\n", "HTTP/1.1 200 OK\nA: b\n\n", "SSH-2.0-OpenSSH_9.2\r\n",
        "HTTP/1.1 200 OK\r\nNo colon\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\nab\r\n"}) {
    const std::string more = fmt::format("{}\r\n\r\nmore", each);
    EXPECT_EQ(Reading(more).progress, Progress::broken) << each;
    EXPECT_EQ(Reading(more, 500).progress, Progress::broken) << each;
  }
}

TEST(OutboundResponses, are_bounded_in_every_part) {
  const std::string much(100'000, 'a');
  for (const std::string& each :
       {fmt::format("HTTP/1.1 200 OK\r\nA: {}\r\n\r\n", much), fmt::format("HTTP/1.1 200 {}", much),
        std::string("HTTP/1.1 200 OK\r\nContent-Length: 1001\r\n\r\n"),
        std::string("HTTP/1.1 200 OK\r\nContent-Length: 18446744073709551615\r\n\r\n"),
        fmt::format("HTTP/1.1 200 OK\r\n\r\n{}", much), fmt::format("{}3e9\r\n", chunked),
        fmt::format("{}1;{}\r\na\r\n", chunked, much),
        fmt::format("{}0\r\nX-T: {}\r\n\r\n", chunked, much), fmt::format("{}0;{}", chunked, much),
        fmt::format("{}ffffffffffffffff\r\n", chunked)}) {
    for (const std::size_t size : {std::size_t{7}, std::size_t{4096}, each.size()}) {
      const Reading reading(each, size);
      EXPECT_EQ(reading.progress, Progress::too_large) << each.substr(0, 60) << " by " << size;
      EXPECT_FALSE(reading.reader.fault().empty());
    }
  }
}

TEST(OutboundResponses, may_have_the_largest_header_that_can_be_allowed) {
  const std::string long_field(ResponseReader::header_bytes_most - 100, 'a');
  const std::string header = fmt::format("HTTP/1.1 204 X\r\nA: {}\r\n\r\n", long_field);
  const std::string trailers =
      fmt::format("{}0\r\nX-T: {}{}\r\n\r\n", chunked, long_field, long_field);
  for (const std::size_t size : {std::size_t{1000}, header.size(), trailers.size()}) {
    const std::size_t most = ResponseReader::header_bytes_most;
    EXPECT_EQ(Reading(header, size, false, most).progress, Progress::complete);
    EXPECT_EQ(Reading(trailers, size, false, most).progress, Progress::too_large);
  }
}

TEST(OutboundResponses, may_not_consist_of_framing) {
  std::string many(chunked);
  for (int i = 0; i < 900; ++i) many += fmt::format("1;{}\r\na\r\n", std::string(200, 'x'));
  EXPECT_EQ(Reading(many, 4096).progress, Progress::too_large);
}

TEST(OutboundResponses, are_not_unpacked) {
  const Reading reading(
      "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\n\x1f\x8b\x08");
  EXPECT_EQ(reading.response.body, "\x1f\x8b\x08");
}

TEST(OutboundResponses, leave_alone_what_comes_after_them) {
  const Reading reading("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\naHTTP/1.1 200", 500);
  EXPECT_EQ(reading.progress, Progress::complete);
  EXPECT_EQ(reading.in.size(), 12U);
}

}  // namespace
}  // namespace holdfast::outbound
