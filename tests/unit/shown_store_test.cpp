#include "base/shown_store.hpp"

#include <gmock/gmock.h>

namespace holdfast {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(ShownStore, leaves_files_as_they_are) {
  EXPECT_EQ(shown_store("rooms.db"), "rooms.db");
  EXPECT_EQ(shown_store("/var/lib/holdfast/rooms.db"), "/var/lib/holdfast/rooms.db");
  EXPECT_EQ(shown_store(":memory:"), ":memory:");
}

TEST(ShownStore, says_where_a_database_is) {
  EXPECT_EQ(shown_store("postgres://ada:s3cret@db:5432/rooms"), "postgres://ada@db:5432/rooms");
  EXPECT_EQ(shown_store("mariadb://ada@db/rooms?ssl=required"), "mariadb://ada@db/rooms");
  EXPECT_EQ(shown_store("postgres://db:5432/rooms"), "postgres://db:5432/rooms");
}

TEST(ShownStore, never_shows_what_may_be_a_password) {
  for (const char* const store :
       {"postgres://u:s3cret@h/db", "postgres://u:s3cret@[::1/rooms", "postgres://u:x/s3cret@h/db",
        "postgres://u:x@s3cret@h/db", "POSTGRES://u:s3cret@h/db", "postgres:/u:s3cret@h/db",
        "postgres://h/db?password=s3cret", "host=h password=s3cret", "postgres://u:%zzs3cret@h/db",
        "mariadb://u:s3cret", "oracle://u:s3cret@h", "postgres:u:s3cret@h/db",
        "mariadb:s3cret@h"}) {
    EXPECT_THAT(shown_store(store), Not(HasSubstr("s3cret"))) << store;
  }
}

}  // namespace
}  // namespace holdfast
