#include "effects/figures.hpp"

namespace holdfast::effects {

std::string_view name(Verdict verdict) {
  switch (verdict) {
    case Verdict::done:
      return "done";
    case Verdict::refused:
      return "refused";
    case Verdict::retry:
      return "retry";
    case Verdict::unknown:
      return "unknown";
    case Verdict::absent:
      return "absent";
    case Verdict::many:
      return "many";
  }
  return "unknown";
}

}  // namespace holdfast::effects
