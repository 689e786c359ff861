#pragma once

#include "http/handlers/body_reader.hpp"
#include "http/router.hpp"

/// What every state change has in common: its key, its nonce, its way to the engine.
namespace holdfast::http {

/// One operation from its request to the engine: the whole handler of its address. What is wrong
/// with the request is answered here, the key first, then the rest of the header, then the body.
void run_change(Context& context, const OperationSpec& spec);

/// A parameter in the path that names something. Nothing, with the request answered, if it is no
/// text.
[[nodiscard]] std::optional<std::string> name_in_path(Context& context, std::size_t segment,
                                                      std::string_view what);

/// False when the request was refused for its Content-Type.
[[nodiscard]] bool check_content_type(const Context& context);

/// The body has the wrong shape: says where. The token is unused.
void refuse_body(const Context& context, const BodyErrors& errors);

/// Hands the command to the engine; its answer goes to the reply, which is given away with it. If
/// its outcome settles later, the answer waits so long for it.
void submit_change(Context& context, Command command, Duration wait = {});

/// The key that a command's parameters say, if it cannot be one; null: there is none, or it can.
[[nodiscard]] const std::string* unusable_key_in(const Command& command, std::size_t bytes_max);
[[nodiscard]] std::string token_rule(std::string_view what, std::size_t bytes_max);

/// The answer when a store cannot be read.
[[nodiscard]] Response store_problem(const StoreError& error);

}  // namespace holdfast::http
