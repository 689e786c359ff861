#include "cli/help.hpp"

#include <fmt/format.h>

#include "holdfast/version.hpp"

namespace holdfast::cli {
namespace {

std::string exit_line(int code, std::string_view name, std::string_view meaning) {
  return fmt::format("  {:>2}  {:<22} {}\n", code, name, meaning);
}

std::string ordinary_exits() {
  return exit_line(0, "success", "It was done, now or by the first call with this token") +
         exit_line(exit_store, "store", "The store cannot be opened or read, or output failed") +
         exit_line(exit_usage, "usage", "The command line makes no sense; nothing was done");
}

std::string exit_line(const RejectionRow& refused) {
  return exit_line(exit_code(refused.id), refused.name, refused.title);
}

}  // namespace

const std::string_view program_paragraph =
    "A hold claims something scarce (a room, a seat, a bed, stock, credit) for a while; it is "
    "then\n"
    "confirmed, released, or lapses at its instant. Every change carries a token. Repeat a change\n"
    "with the same token and you get the first answer again, and nothing happens twice: after a\n"
    "lost answer, a crash or a double click, just repeat the command with the token it printed.\n"
    "\n"
    "  holdfast hold room_307 guest_g91 24h      place a hold; prints its id and its token\n"
    "  holdfast confirm h1-4c1f0a9be2d7731       keep it\n"
    "  holdfast list                             what is held\n"
    "  holdfast demo                             watch it survive a storm of retries";

std::string program_footer() {
  std::string text =
      "Durations are written 250ms, 90s, 15m, 24h, 7d, or in ISO 8601: PT15M, P1DT12H.\n"
      "Options above may come before or after the command. A name that begins with a dash goes\n"
      "after --, as in: holdfast hold -- -odd-name guest_g91 15m\n"
      "\n"
      "Environment: HOLDFAST_STORE names the store, HOLDFAST_SERVER a server, HOLDFAST_KEY is the\n"
      "key to show it; NO_COLOR turns colours off.\n"
      "\n"
      "Exit codes:\n" +
      ordinary_exits();
  for (const RejectionRow& each : rejection_table) text += exit_line(each);
  text += "\nhold --help, list --help and so on explain each command, with examples.";
  return text;
}

std::string command_footer(const Lesson& lesson) {
  std::string text = fmt::format(
      "Also: --store FILE, {}{}--json; see holdfast --help.\n\nExamples:\n{}\n\nExit codes:\n",
      lesson.remote ? "--server URL, " : "", lesson.tenants ? "--tenant NAME, " : "",
      lesson.examples);
  text += ordinary_exits();
  for (const Rejection each : lesson.refusals) text += exit_line(row(each));
  text.pop_back();
  return text;
}

std::string version_line() { return fmt::format("holdfast {}", version); }

}  // namespace holdfast::cli
