#include "base/process_key.hpp"

#include "holdfast/clock.hpp"

namespace holdfast {

const HashKey& process_key() {
  static const HashKey key = [] {
    HashKey fresh{};
    system_random()->fill({reinterpret_cast<std::uint8_t*>(fresh.data()), sizeof fresh});
    return fresh;
  }();
  return key;
}

}  // namespace holdfast
