// Every message path between clients and servers, as a type list for typed tests.
#pragma once

#include <finesync/server/basic_channel.cuh>
#include <finesync/server/fast_channel.cuh>
#include <finesync/server/paper_channel.cuh>

#include <gtest/gtest.h>

#include <string>

namespace finesync::test {

struct fast_path {
  static constexpr unsigned min_warps = 1;  ///< of a block
  static constexpr bool many_poll = false;  ///< each sender for itself, which takes long to explore
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

using all_paths = ::testing::Types<fast_path, basic_path, paper_path>;

struct path_names {
  template <class Path>
  static std::string GetName(int index) {
    constexpr const char* names[] = {"fast", "basic", "paper"};
    return names[index];
  }
};

}  // namespace finesync::test
