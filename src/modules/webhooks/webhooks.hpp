#pragma once

#include "domain/module.hpp"

/// The module of webhooks that others send: each event id is taken in once, and what follows is
/// tried until it worked. See `holdfast/webhooks.hpp` for the words.
namespace holdfast::webhooks {

[[nodiscard]] std::unique_ptr<ModuleBooks> make_books();

extern const Module module;

}  // namespace holdfast::webhooks
