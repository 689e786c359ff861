// The engine at the other end of a network: hold a room, whatever happens to the answer, confirm.
#include <cstdlib>
#include <holdfast/client.hpp>
#include <iostream>

int main(int count, char** arguments) {
  using namespace std::chrono_literals;
  const char* key = std::getenv("HOLDFAST_KEY");
  auto rooms = holdfast::connect({.url = count > 1 ? arguments[1] : "http://127.0.0.1:8420",
                                  .key = key != nullptr ? key : ""});
  if (!rooms) return std::cerr << rooms.error().message << '\n', 1;

  const auto token = holdfast::Token::fresh();  // keep it with the order before the first attempt
  const holdfast::Placing stay{.resource = "room_307", .requester = "guest_g91", .duration = 24h};
  auto held = rooms->place(stay, token);  // tries again by itself, always with this token
  if (!held) {
    std::cerr << held.error().text() << '\n';  // outcome unknown, token 3f0c2a91…: …
    held = rooms->resume(held.error());        // now, or tomorrow from the token you kept
    if (!held) return 1;
  }
  if (!held->ok()) return std::cerr << held->text() << '\n', 1;  // the answer is no, for good
  std::cout << held->hold->id.text() << " held\n";

  const auto confirmed = rooms->confirm(held->hold->id);  // makes a token of its own
  std::cout << (confirmed ? confirmed->text() : confirmed.error().text()) << '\n';
  return confirmed && confirmed->ok() ? 0 : 1;
}
