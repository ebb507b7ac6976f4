// SPDX-License-Identifier: Apache-2.0
// The computer's memory: how much of it is free, and addresses that take none of it until touched.
#pragma once

#include <cstddef>
#include <new>
#include <stdexcept>
#include <string>

namespace simt {

/// The computer's memory or the process's addresses are used up; the message says which.
class out_of_memory : public std::bad_alloc {
 public:
  explicit out_of_memory(const std::string& why) : why_(why) {}
  const char* what() const noexcept override { return why_.what(); }

 private:
  std::runtime_error why_;  // unlike a string, it is copied without an allocation
};

/// Bytes that this process can still take, by the system and its control group. More would make the
/// kernel kill a process.
std::size_t free_memory();

/// A range of addresses. The pages are reserved, not committed: what is not touched takes no
/// memory.
struct address_range {
  void* begin;
  std::size_t bytes;
};

/// Reserves up to `most` bytes of addresses, as many as the process's limit (ulimit -v) allows, but
/// at least `least`. \throws out_of_memory.
address_range reserve_addresses(std::size_t most, std::size_t least);

/// "12.9 GB", for messages.
std::string in_gb(std::size_t bytes);

}  // namespace simt
