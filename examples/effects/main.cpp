// A program that does effects itself: it sends a mail once, however often it is asked to.
//
//   effects mail.registry.toml

#include <cstdio>
#include <future>
#include <holdfast/commands.hpp>
#include <holdfast/effects.hpp>

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  std::promise<std::string> sent;
  holdfast::EffectOptions effects{.registry = argv[1]};
  effects.handlers["mailer"] = [&](const holdfast::EffectCall& call) {
    sent.set_value(call.key + ": " + call.args);  // twice would throw
    return holdfast::HandlerResult{.result = R"({"sent":true})"};
  };
  auto companion = holdfast::make_effects(std::move(effects));
  if (!companion) {
    std::fprintf(stderr, "%s\n", companion.error().message.c_str());
    return 1;
  }
  holdfast::Options options;
  options.companion = *companion;
  auto store = holdfast::open(std::move(options));
  if (!store) {
    std::fprintf(stderr, "%s\n", store.error().message.c_str());
    return 1;
  }
  for (int i = 0; i < 3; ++i) {
    const holdfast::Answer answer =
        store->submit({.command = holdfast::Command(holdfast::Submitting{
                           .entity = "mail", .action = "send", .args = R"({"to":"guest_g91"})"}),
                       .token = holdfast::Token("booking-4711")});
    if (!answer) return 1;
  }
  std::printf("sent once, %s\n", sent.get_future().get().c_str());
  return 0;
}
