// Operations of the last launch on the executor.
#pragma once

#include <simt/launch.hpp>

#include <cstddef>
#include <cstdint>

namespace finesync::test {

/// Of one kind in one memory space, at any scope.
inline std::uint64_t counted(simt::op_kind kind, simt::space where) {
  std::uint64_t all = 0;
  for (std::size_t reach = 0; reach < simt::scopes; ++reach)
    all += simt::last_launch().counts.operations(kind, static_cast<simt::scope>(reach), where);
  return all;
}

}  // namespace finesync::test
