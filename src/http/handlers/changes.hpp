#pragma once

#include "http/handlers/body_reader.hpp"
#include "http/router.hpp"

/// What every state change has in common: its key, its nonce, its way to the engine.
namespace holdfast::http {

/// Checks the Idempotency-Key, then the Content-Type. False when the request was refused for one of
/// them. Comes before the body is looked at.
[[nodiscard]] bool check_headers(Context& context, Operation operation);
/// False when the request was refused for its Content-Type.
[[nodiscard]] bool check_content_type(const Context& context);

/// The body has the wrong shape: says where. The token is unused.
void refuse_body(const Context& context, const BodyErrors& errors);

/// Hands the command to the engine; its answer goes to the reply, which is given away with it.
void submit_change(Context& context, Command command);

/// The answer when a store cannot be read.
[[nodiscard]] Response store_problem(const StoreError& error);

}  // namespace holdfast::http
