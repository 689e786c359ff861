// Connections are kept, and nobody notices when one was not.

#include "client/fixture.hpp"

namespace holdfast::test {
namespace {

using testing::Each;
using testing::IsEmpty;
using testing::SizeIs;

class Connections : public FakeServerTest {
 protected:
  /// Nothing may go wrong even once.
  [[nodiscard]] ClientOptions impatient() const {
    ClientOptions once = options();
    once.attempts_max = 1;
    return once;
  }
};

TEST_F(Connections, AreUsedAgain) {
  script(std::vector<ServerStep>(3, answer(201, held_body())));
  Client rooms = client();
  for (int i = 0; i < 3; ++i) EXPECT_THAT(rooms.place(stay), is_done());
  EXPECT_EQ(server_.connections(), 1U);
}

TEST_F(Connections, AreNotUsedAgainAgainstTheServersWill) {
  script({answer(201, held_body(), "Connection: close\r\n"), answer(201, held_body())});
  Client rooms = client(impatient());
  EXPECT_THAT(rooms.place(stay), is_done());
  EXPECT_THAT(rooms.place(stay), is_done());
  EXPECT_EQ(server_.connections(), 2U);
}

TEST_F(Connections, ClosedMeanwhileAreReplacedWithoutCounting) {
  ServerStep last = answer(201, held_body());
  last.then = ServerStep::Then::close;
  script({last, last, answer(201, held_body())});
  Client rooms = client(impatient());
  for (int i = 0; i < 3; ++i) EXPECT_THAT(rooms.place(stay), is_done());
  EXPECT_EQ(server_.connections(), 3U);
  EXPECT_THAT(pace_->waits(), IsEmpty());
}

TEST_F(Connections, ClosedWhileTheyWereAskedAreReplacedWithoutCounting) {
  script({answer(201, held_body()), hang_up(), answer(201, held_body())});
  Client rooms = client(impatient());
  EXPECT_THAT(rooms.place(stay, Token("t1")), is_done());
  EXPECT_THAT(rooms.place(stay, Token("t2")), is_done());
  EXPECT_THAT(tokens(), testing::ElementsAre("t1", "t2", "t2"));
}

TEST_F(Connections, ClosedWhileTheyWereAskedMakeARefusalUnknown) {
  script({answer(201, held_body()), hang_up(), problem(401, "unauthenticated", false, "reuse")});
  Client rooms = client();
  EXPECT_THAT(rooms.place(stay), is_done());
  EXPECT_THAT(rooms.place(stay), is_unknown()) << "what was asked first may have been heard";
}

TEST_F(Connections, ThatBringMoreThanWasAskedForAreDropped) {
  const ServerStep once = answer(201, held_body());
  script({{.bytes = [once](const Seen& seen) { return once.bytes(seen) + once.bytes(seen); }},
          answer(201, held_body())});
  Client rooms = client(impatient());
  EXPECT_THAT(rooms.place(stay), is_done());
  EXPECT_THAT(rooms.place(stay), is_done());
  EXPECT_EQ(server_.connections(), 2U);
}

TEST_F(Connections, AreNotKeptBeyondTheLimit) {
  script(std::vector<ServerStep>(2, answer(201, held_body())));
  ClientOptions none = options();
  none.connections_kept = 0;
  Client rooms = client(none);
  EXPECT_THAT(rooms.place(stay), is_done());
  EXPECT_THAT(rooms.place(stay), is_done());
  EXPECT_EQ(server_.connections(), 2U);
}

}  // namespace
}  // namespace holdfast::test
