// Every message path between clients and servers, as a type list for typed tests.
#pragma once

#include <finesync/server/fast/channel.cuh>
#include <workloads/printed/server/basic/channel.cuh>
#include <workloads/printed/server/paper/channel.cuh>

#include <tests/tested_types.hpp>

namespace finesync::test {

struct fast_path {
  static constexpr unsigned min_warps = 1;  ///< of a block
  static constexpr bool many_poll =
      false;  ///< each sender polls for itself, which is slow to explore
  template <class Argument>
  using channel = fast_channel<Argument>;
};
struct basic_path {
  static constexpr unsigned min_warps = 1;
  static constexpr bool many_poll = true;
  template <class Argument>
  using channel = basic_channel<Argument>;
};
struct paper_path {
  static constexpr unsigned min_warps = 2;
  static constexpr bool many_poll = false;
  template <class Argument>
  using channel = paper_channel<Argument>;
};

struct path_names : names_of_tested<path_names> {
  static constexpr const char* all[] = {"fast", "basic", "paper"};
};
using all_paths = tested_types<path_names, fast_path, basic_path, paper_path>;

}  // namespace finesync::test
