// A disk that neither takes a write nor refuses it: whoever asks how the service is gets an answer.

#include <thread>

#include "support/http/http_server.hpp"

namespace holdfast::test {
namespace {

class HangingDisk : public HttpTest {
 protected:
  HangingDisk() {
    observer_ = held_.at(Stage::sync);
    start();
  }
  ~HangingDisk() override {
    held_.let_go();
    stop();
  }

  HeldStage held_;
};

TEST_F(HangingDisk, WhoeverAsksIsToldThoughAllReadsWait) {
  RawConnection placing = connect();
  ASSERT_TRUE(placing.send(
      request_text("POST", "/v1/holds", {{"Idempotency-Key", "k-1"}}, holding("room_307"))));
  while (server_->service().at_work_for().count() == 0) std::this_thread::yield();
  std::vector<RawConnection> readers;
  for (int i = 0; i < 8; ++i) {
    readers.push_back(connect());
    ASSERT_TRUE(readers.back().send(request_text("GET", "/v1/resources/room_307")));
  }
  Answered ready = get("/readyz");
  EXPECT_EQ(ready.status, 200);
  for (int i = 0; i < 300 && ready.status == 200; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    ready = get("/readyz");
  }
  EXPECT_EQ(ready.status, 503);
  EXPECT_THAT(Json(ready.body).text("/detail"), testing::HasSubstr("more than 5 seconds"));
  EXPECT_EQ(get("/livez").status, 200);
  held_.let_go();
  EXPECT_EQ(placing.read().value_or(Answered{}).status, 201);
  for (RawConnection& each : readers) EXPECT_EQ(each.read().value_or(Answered{}).status, 200);
  EXPECT_EQ(get("/readyz").status, 200);
}

}  // namespace
}  // namespace holdfast::test
