// SPDX-License-Identifier: Apache-2.0
// Asynchronous copies: a copy writes garbage when it begins, and takes place when its thread waits
// for it. In between, every access that could see the difference ends the launch.
#pragma once

#include <simt/memory/memory_accesses.hpp>

#include <cstddef>

namespace simt {

class copies {
 public:
  copies(running_launch& launch, memory_accesses& accesses)
      : launch_(launch), accesses_(accesses) {}

  void begin(void* to, const void* from, std::size_t bytes, const void* batch, const void* site);
  void wait(const void* batch, const void* site);

 private:
  running_launch& launch_;
  memory_accesses& accesses_;
};

}  // namespace simt
