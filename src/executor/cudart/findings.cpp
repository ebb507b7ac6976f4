// SPDX-License-Identifier: Apache-2.0
#include <cudart/device.hpp>
#include <cudart/findings.hpp>

#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <mutex>
#include <set>

#include <unistd.h>

namespace cudart {

void report(const finding& what) {
  // Several OS threads of the program may be refused something.
  static auto& mutex = *new std::mutex;
  static auto& reported = *new std::set<std::string>;
  const std::lock_guard lock(mutex);
  if (!reported.insert(key_of(what)).second) return;
  const std::string& file = settings_of_run().report;
  if (!file.empty()) {
    std::ofstream(file, std::ios::app) << to_line(what) << std::flush;
  } else if (what.kind != finding_kind::launch && what.kind != finding_kind::hint) {
    fmt::print(stderr, "finesync-check: {}{}\n", what.kernel.empty() ? "" : what.kernel + ": ",
               what.text);
  }
}

void refuse(const std::string& why) {
  std::fflush(nullptr);
  report({.kind = finding_kind::refusal, .text = why});
  _exit(refusal_status);
}

}  // namespace cudart
