#pragma once

#include <gtest/gtest.h>

#include "support/store_under_test.hpp"

/// Runs a suite whose parameter is the name of an engine on every embedded store.
#define HOLDFAST_ON_EVERY_STORE(suite)                                      \
  INSTANTIATE_TEST_SUITE_P(                                                 \
      on, suite, ::testing::ValuesIn(::holdfast::test::embedded_engines()), \
      [](const ::testing::TestParamInfo<std::string>& engine) { return engine.param; })
