// SPDX-License-Identifier: Apache-2.0
#include <bench/results_file.hpp>
#include <bench/usage_error.hpp>

#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

namespace finesync::bench {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const fs::path& file, const std::string& why) {
  throw usage_error(fmt::format("cannot write results to '{}': {}", file.string(), why));
}

// Between opening and locking, the process that held the lock may have renamed or removed the file.
bool is_still_there(int descriptor, const fs::path& file) {
  struct stat opened = {};
  struct stat named = {};
  return fstat(descriptor, &opened) == 0 && stat(file.c_str(), &named) == 0 &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

}  // namespace

results_file::results_file(const fs::path& target) {
  std::error_code ignored;
  // Resolves links, so that the rename replaces the file and not the link.
  target_ = fs::weakly_canonical(target, ignored);
  if (target_.empty()) target_ = target;
  partial_ = target_.string() + ".partial";
}

results_file::~results_file() {
  if (lock_ != -1) close(lock_);
}

void results_file::open() {
  for (const fs::path& file : {target_, partial_}) {
    std::error_code ignored;
    if (!fs::exists(file, ignored)) continue;
    if (!fs::is_regular_file(file, ignored)) refuse(file, "it is not a regular file");
    if (access(file.c_str(), W_OK) != 0) refuse(file, std::strerror(errno));
  }
  do {
    if (lock_ != -1) close(lock_);
    lock_ = ::open(partial_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (lock_ == -1) refuse(target_, std::strerror(errno));
    // File systems without locks leave it to the user.
    if (flock(lock_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
      refuse(target_, "another process is writing " + partial_.string());
  } while (!is_still_there(lock_, partial_));
}

void results_file::discard() const {
  std::error_code ignored;
  fs::remove(partial_, ignored);
}

void results_file::commit() const {
  std::error_code problem;
  fs::rename(partial_, target_, problem);
  if (problem) refuse(target_, problem.message() + ", they are in " + partial_.string());
}

}  // namespace finesync::bench
