#include "support/command.hpp"

#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <stdexcept>

#include "support/paths.hpp"

namespace holdfast::test {

CommandOutput run_command(const std::string& line) {
  std::FILE* const pipe = ::popen(line.c_str(), "re");
  if (pipe == nullptr) throw std::runtime_error("cannot run " + line);
  CommandOutput output;
  std::array<char, 65'536> chunk{};
  while (const std::size_t size = std::fread(chunk.data(), 1, chunk.size(), pipe))
    output.text.append(chunk.data(), size);
  const int status = ::pclose(pipe);
  output.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return output;
}

std::string output_of(const std::string& line) {
  CommandOutput output = run_command(line);
  if (output.exit_code != 0) throw std::runtime_error("failed: " + line);
  return std::move(output.text);
}

CommandOutput run_holdfast(const std::string& arguments, const std::string& folder) {
  return run_command("cd '" + folder +
                     "' && env -i PATH=/usr/bin:/bin '" HOLDFAST_BUILD_DIR "/holdfast' " +
                     arguments + " 2>&1 </dev/null");
}

}  // namespace holdfast::test
