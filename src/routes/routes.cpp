#include "routes/routes.hpp"

namespace holdfast::http {

bool allows(Role role, Access access) {
  switch (access) {
    case Access::open:
    case Access::read:
      return true;
    case Access::change:
      return role == Role::operator_role || role == Role::client;
    case Access::configure:
      return role == Role::operator_role;
    case Access::watch:
      return role == Role::operator_role || role == Role::auditor;
  }
  return false;
}

}  // namespace holdfast::http
