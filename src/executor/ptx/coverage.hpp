// SPDX-License-Identifier: Apache-2.0
// How much of a kernel has run, and how near a GPU.
#pragma once

#include <ptx/module.hpp>

#include <string>
#include <vector>

namespace ptx {

struct covered_site {
  std::string place;  ///< "file.cu:12", or empty
  bool is_barrier = false;
  bool has_run = false;
};

/// Instructions with this name that are not what a GPU does, bit by bit.
struct inexact_instruction {
  std::string opcode;
  std::string place;
  bool is_skipped = false;  ///< a hint; or else approximate, and has run
  /// Whether its result reaches one by registers of its function: in any order of its instructions,
  /// but not by memory or calls.
  bool feeds_address = false;
  bool feeds_branch = false;
};

struct coverage {
  std::vector<covered_site> sites;  ///< accesses to shared and global memory, and barriers
  std::vector<inexact_instruction> inexact;
};

/// Over all launches of the kernel so far, of all that it may call.
coverage coverage_of(const kernel& which);

}  // namespace ptx
