#include <bench/results_file.hpp>
#include <bench/usage_error.hpp>

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>

#include <unistd.h>

namespace finesync::bench {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const fs::path& file, const std::string& why) {
  throw usage_error(fmt::format("cannot write results to '{}': {}", file.string(), why));
}

}  // namespace

results_file::results_file(const fs::path& target) {
  std::error_code ignored;
  // Resolves links, so that the rename replaces the file and not the link.
  target_ = fs::weakly_canonical(target, ignored);
  if (target_.empty()) target_ = target;
  partial_ = target_.string() + ".partial";
}

void results_file::check_writable() const {
  std::error_code ignored;
  if (fs::exists(target_, ignored)) {
    if (!fs::is_regular_file(target_, ignored)) refuse(target_, "it is not a regular file");
    if (access(target_.c_str(), W_OK) != 0) refuse(target_, std::strerror(errno));
  }
  errno = 0;
  if (!std::ofstream(partial_, std::ios::app)) refuse(target_, std::strerror(errno));
}

void results_file::commit() const {
  std::error_code problem;
  fs::rename(partial_, target_, problem);
  if (problem) refuse(target_, problem.message() + ", they are in " + partial_.string());
}

}  // namespace finesync::bench
