#pragma once

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "support/journals/audit.hpp"
#include "support/json.hpp"
#include "support/servers/fake_server.hpp"

namespace holdfast::test {

/// Every hold that was placed arrived, none before those that were placed before it; what arrived
/// twice has one id, and is the same to the byte.
inline void expect_all_in_order(const std::vector<Seen>& seen, const Store& store) {
  std::map<std::int64_t, std::size_t> places;  // of each event among all
  for (const Record& each : all_records(store)) {
    if (each.kind == RecordKind::placed)
      places.emplace(static_cast<std::int64_t>(each.seq), places.size());
  }
  std::size_t arrived = 0;  // so many of the first
  std::map<std::string, std::string> bodies;
  for (const Seen& each : seen) {
    const std::int64_t seq = Json(each.body).number("/data/seq");
    ASSERT_TRUE(places.contains(seq)) << each.body;
    const std::size_t place = places[seq];
    ASSERT_LE(place, arrived) << "it overtook another: " << each.body;
    arrived = std::max(arrived, place + 1);
    EXPECT_EQ(bodies.emplace(each.header("webhook-id"), each.body).first->second, each.body);
  }
  EXPECT_EQ(arrived, places.size());
  EXPECT_EQ(bodies.size(), places.size()) << "an event has one id, however often it is sent";
}

}  // namespace holdfast::test
