// The lock that is none: what every check of exclusion must reject.
#pragma once

#include <finesync/device/cell.cuh>

#include <cstdint>

namespace finesync::test {

/// Lets everybody in.
class no_lock {
 public:
  struct state {
    cell<std::uint32_t> held;
  };
  struct request {};
  explicit no_lock(state&) {}
  request arrive() { return {}; }
  bool enter(request&) { return true; }
  void wait(request&) {}
  void leave(request&) {}
};

}  // namespace finesync::test
