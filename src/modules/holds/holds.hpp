#pragma once

#include "domain/module.hpp"

/// Holds on resources: placed, then confirmed, released or expired; resources, declared with a
/// capacity.
namespace holdfast::holds {

extern const Module module;

}  // namespace holdfast::holds
