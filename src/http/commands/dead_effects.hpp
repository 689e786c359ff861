#pragma once

#include <span>

#include "domain/record.hpp"
#include "http/application.hpp"

namespace holdfast::http {

/// Counts commands that failed because time alone gave their effects up: a worker took the last
/// attempt and died. Looks them up on a reading thread; does not block.
void count_dead_effects(Application& application, std::span<const Record> swept);

}  // namespace holdfast::http
