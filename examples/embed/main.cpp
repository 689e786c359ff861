// The engine in your own process: hold a room, lose the answer, ask again, confirm.
#include <holdfast/holdfast.hpp>
#include <iostream>

int main() {
  using namespace std::chrono_literals;
  auto rooms = holdfast::open({.store = "rooms.db"});
  if (!rooms) return std::cerr << rooms.error().message << '\n', 1;

  const auto token = holdfast::Token::fresh();  // one per intended change, kept across retries
  const holdfast::Placing stay{.resource = "room_307", .requester = "guest_g91", .duration = 24h};
  const auto first = rooms->place(stay, token);
  const auto again = rooms->place(stay, token);  // as if the first answer had been lost
  if (!first) return std::cerr << first.text() << '\n', 1;
  std::cout << first.hold->id.text() << (again.replayed ? " held once" : " held twice?") << '\n';

  const auto confirmed = rooms->confirm(first.hold->id, holdfast::Token::fresh());
  std::cout << (confirmed ? "confirmed" : confirmed.text()) << '\n';
  return first.hold->id == again.hold->id && confirmed ? 0 : 1;
}
