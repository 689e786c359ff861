#pragma once

#include <gtest/gtest.h>

#include "support/stores/store_under_test.hpp"

/// Runs a suite whose parameter is the name of an engine on every engine there is.
#define HOLDFAST_ON_EVERY_STORE(suite)                             \
  INSTANTIATE_TEST_SUITE_P(                                        \
      on, suite, ::testing::ValuesIn(::holdfast::test::engines()), \
      [](const ::testing::TestParamInfo<std::string>& engine) { return engine.param; })
