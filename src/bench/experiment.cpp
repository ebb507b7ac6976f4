// SPDX-License-Identifier: Apache-2.0
#include <bench/experiment.hpp>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

namespace finesync::bench {
namespace {

constexpr std::pair<status, std::string_view> status_names[] = {
    {status::ok, "ok"},
    {status::skipped, "skipped"},
    {status::wrong, "wrong"},
    {status::declared_wrong, "declared_wrong"},
    {status::timeout, "timeout"},
    {status::livelock, "livelock"},
    {status::deadlock, "deadlock"},
    {status::error, "error"}};
static_assert(std::size(status_names) == static_cast<std::size_t>(status::error) + 1);

}  // namespace

std::string_view to_string(status what) {
  return std::ranges::find(status_names, what, &std::pair<status, std::string_view>::first)->second;
}

std::string to_message(const outcome& which) {
  return std::string(to_string(which.what)) + ": " + which.reason;
}

outcome from_message(std::string_view message) {
  for (const auto& [what, name] : status_names) {
    const std::string prefix = std::string(name) + ": ";
    if (message.substr(0, prefix.size()) == prefix)
      return {what, std::string(message.substr(prefix.size()))};
  }
  return {status::error, std::string(message)};
}

}  // namespace finesync::bench
