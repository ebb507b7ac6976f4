#include <inputs/input_error.hpp>
#include <inputs/mapped_file.hpp>

#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

namespace finesync::inputs {
namespace {

[[noreturn]] void refuse(const std::filesystem::path& file) {
  throw input_error(file.string(), std::generic_category().message(errno));
}

// Closes the descriptor, also after an exception.
struct descriptor {
  int number;
  ~descriptor() { close(number); }
};

}  // namespace

mapped_file::mapped_file(const std::filesystem::path& file) {
  // Opening a pipe must not wait for a writer.
  const descriptor opened{open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  struct stat found {};
  if (opened.number < 0 || fstat(opened.number, &found) != 0) refuse(file);
  if (!S_ISREG(found.st_mode)) throw input_error(file.string(), "it is not a regular file");
  if (found.st_size == 0) return;
  const auto size = static_cast<std::size_t>(found.st_size);
  void* const at = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, opened.number, 0);
  if (at == MAP_FAILED) refuse(file);
  madvise(at, size, MADV_SEQUENTIAL);
  bytes_ = {static_cast<const char*>(at), size};
}

mapped_file::~mapped_file() {
  if (!bytes_.empty()) munmap(const_cast<char*>(bytes_.data()), bytes_.size());
}

}  // namespace finesync::inputs
