// SPDX-License-Identifier: Apache-2.0
#include <bench/standard_streams.hpp>

#include <fmt/format.h>

#include <cstdio>
#include <iostream>

#include <fcntl.h>
#include <unistd.h>

namespace finesync::bench {

void occupy_standard_streams() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    // open() gives the lowest free number. Only reading: what is written there is lost and not
    // taken for written.
    if (fcntl(descriptor, F_GETFD) == -1) open("/dev/null", O_RDONLY);
}

int with_output_written(std::string_view program, int status) {
  std::cout.flush();
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && std::cout.good()) return status;
  fmt::print(stderr, "{}: error: cannot write all output to stdout\n", program);
  return status == 0 ? 2 : status;
}

}  // namespace finesync::bench
