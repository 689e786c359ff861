#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "support/calls.hpp"
#include "support/stores/every_store.hpp"
#include "support/stores/harness.hpp"

namespace holdfast::test {

/// A test that runs on one embedded store after the other. Whatever it does, the invariants must
/// hold of the records it leaves behind, and must still do so when the store is opened again.
class StoreTest : public ::testing::TestWithParam<std::string> {
 protected:
  /// The store under test; opened at first use, with the default rules unless some are given.
  Harness& harness(const Rules& rules = {}) {
    if (!harness_) harness_.emplace(GetParam(), rules);
    return *harness_;
  }

  void TearDown() override {
    if (!harness_) return;
    EXPECT_THAT(harness_->violations(), ::testing::IsEmpty());
    if (!harness_->persistent()) return;
    harness_->reopen();
    EXPECT_THAT(harness_->violations(), ::testing::IsEmpty()) << "after opening it again";
  }

 private:
  std::optional<Harness> harness_;
};

}  // namespace holdfast::test
