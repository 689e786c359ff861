// Nodes at every member of a cluster that replicates by certification.

#include <gmock/gmock.h>

#include "nodes/storm.hpp"
#include "support/servers/galera_cluster.hpp"

namespace holdfast::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using std::this_thread::sleep_for;

class Galera : public testing::Test {
 protected:
  void SetUp() override {
    if (!GaleraCluster::installed()) GTEST_SKIP() << "galera-4 and rsync are needed";
    cluster_ = std::make_unique<GaleraCluster>();
    name_.emplace(cluster_->node(0).create_database());
    for (std::size_t i = 0; i < cluster_->size(); ++i) {
      urls_.push_back(cluster_->node(i).url(name_->name()));
    }
  }

  void expect_all_is_well(Storm& storm) {
    storm.ask_again();
    storm.calm();
    for (const std::string& each : urls_) expect_clean(each);
  }

  std::unique_ptr<GaleraCluster> cluster_;
  std::optional<TestDatabase> name_;
  std::vector<std::string> urls_;
};

TEST_F(Galera, takes_writes_at_every_member_at_once) {
  Storm storm(urls_);
  storm.rage(24, 3, [] { sleep_for(milliseconds(1500)); });
  expect_all_is_well(storm);
}

TEST_F(Galera, goes_on_when_a_member_is_killed_and_comes_back) {
  Storm storm(urls_);
  storm.rage(24, 3, [&] {
    sleep_for(milliseconds(1000));
    cluster_->node(2).kill();
    sleep_for(seconds(2));
    cluster_->node(2).restart();
  });
  expect_all_is_well(storm);
}

/// Cut off from the others, a member takes no writes: it would have to take them back.
TEST_F(Galera, does_not_split_when_a_member_is_cut_off_and_rejoins) {
  Storm storm(urls_);
  storm.rage(24, 3, [&] {
    sleep_for(milliseconds(1000));
    GaleraNode& alone = cluster_->node(1);
    alone.execute("SET GLOBAL wsrep_provider_options='gmcast.isolate=1'");
    sleep_for(seconds(3));
    alone.execute("SET GLOBAL wsrep_provider_options='gmcast.isolate=0'");
    for (int i = 0; i < 300 && !alone.synced(); ++i) sleep_for(milliseconds(100));
  });
  EXPECT_TRUE(cluster_->node(1).synced());
  expect_all_is_well(storm);
}

}  // namespace
}  // namespace holdfast::test
