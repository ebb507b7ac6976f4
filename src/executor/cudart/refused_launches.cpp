// SPDX-License-Identifier: Apache-2.0
#include <cudart/device.hpp>
#include <cudart/findings.hpp>
#include <cudart/refused_launches.hpp>

#include <fmt/format.h>

#include <mutex>
#include <utility>
#include <vector>

namespace cudart {

namespace {

struct refused_launch {
  finding what;
  bool has_status;
};
struct refused_launches {
  std::mutex mutex;
  std::vector<refused_launch> all;
};
refused_launches& refused() {
  static auto& launches = *new refused_launches;
  return launches;
}

}  // namespace

void remember_refused(const std::string& kernel, const std::string& why, const void* from,
                      bool has_status) {
  const std::string who = kernel.empty() ? "a kernel" : "kernel " + kernel;
  const char* const unseen = has_status ? "call cudaGetLastError()" : "look at the error";
  const finding what =
      failure_of("refused-launch", kernel, {who, with_callers(from)},
                 fmt::format("never ran: {}; the program did not {}", why, unseen));
  on_device([] {});  // so that the end of the process is reported
  const std::lock_guard lock(refused().mutex);
  refused().all.push_back({what, has_status});
}

void report_refused() {
  const std::lock_guard lock(refused().mutex);
  for (const refused_launch& each : std::exchange(refused().all, {})) report(each.what);
}

void forget_refused() {
  const std::lock_guard lock(refused().mutex);
  refused().all.clear();
}

void forget_refused(const std::string& kernel) {
  const std::lock_guard lock(refused().mutex);
  std::erase_if(refused().all, [&](const refused_launch& each) {
    return each.has_status && each.what.kernel == kernel;
  });
}

}  // namespace cudart
