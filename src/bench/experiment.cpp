#include <bench/experiment.hpp>

#include <array>

namespace finesync::bench {
namespace {

constexpr std::array every_status = {status::ok,      status::skipped,  status::wrong,
                                     status::timeout, status::livelock, status::deadlock,
                                     status::error};

}  // namespace

std::string_view to_string(status what) {
  switch (what) {
    case status::ok:
      return "ok";
    case status::skipped:
      return "skipped";
    case status::wrong:
      return "wrong";
    case status::timeout:
      return "timeout";
    case status::livelock:
      return "livelock";
    case status::deadlock:
      return "deadlock";
    case status::error:
      return "error";
  }
  return "error";
}

std::string to_message(const outcome& which) {
  return std::string(to_string(which.what)) + ": " + which.reason;
}

outcome from_message(std::string_view message) {
  for (const status what : every_status) {
    const std::string prefix = std::string(to_string(what)) + ": ";
    if (message.substr(0, prefix.size()) == prefix)
      return {what, std::string(message.substr(prefix.size()))};
  }
  return {status::error, std::string(message)};
}

}  // namespace finesync::bench
