// Axes shared by several programs.
#pragma once

#include <bench/axis.hpp>
#include <bench/point.hpp>

#include <string>
#include <utility>
#include <vector>

namespace finesync::workload {

/// \param candidates values that --tune tries; none if the number of blocks is a parameter of the
/// study.
inline bench::axis tbs_per_sm(const std::string& help = "thread blocks per SM",
                              std::vector<long long> candidates = {}) {
  return {.name = "tbs-per-sm",
          .help = help,
          .values = {1},
          .min = 1,
          .max = 32,
          .candidates = std::move(candidates)};
}

inline bench::axis sms() {
  return {.name = "sms",
          .help =
              "number of SMs to count blocks for: the grid has tbs-per-sm times as many blocks, "
              "which the GPU still spreads over all of its SMs",
          .values = {0},
          .min = 0,
          .max = 1024,
          .names = {"all"}};
}

inline bench::axis threads_per_block(const std::string& help = "threads per block",
                                     std::vector<long long> candidates = {}, long long max = 1024) {
  return {.name = "threads-per-block",
          .help = help,
          .values = {64},
          .min = 1,
          .max = max,
          .candidates = std::move(candidates)};
}

inline bench::axis rounds(const std::string& help, long long default_value,
                          long long max = 1 << 20) {
  return {.name = "rounds", .help = help, .values = {default_value}, .min = 1, .max = max};
}

/// The paper's collision factor. \param what what threads pick, \param unit the same in one word.
inline bench::axis collision_factor(const std::string& what, const std::string& unit,
                                    long long min) {
  return {
      .name = "collision-factor",
      .help = "number of " + what + " (the paper's collision factor); fewer means more contention",
      .values = {256, 1024, 32768, 131072},
      .min = min,
      .max = 4 << 20,
      .unit = unit};
}

inline bench::axis section_work(long long max) {
  return {.name = "section-work",
          .help = "arithmetic added to the critical section (ASPLOS'19, figure 9)",
          .values = {0},
          .max = max,
          .unit = "1,000 cycles"};
}

/// Loads and stores per thread, as in the thesis.
inline bench::axis ldst(const std::string& help) {
  return {.name = "ldst", .help = help, .values = {0}, .min = 0, .max = 1000, .unit = "words"};
}

/// For primitives with an optional back-off, see backs_off().
inline bench::axis backoff() {
  return bench::named_axis(
      "backoff", "whether waiters back off between two polls; no: they poll again at once",
      {"no", "yes"}, 1);
}

/// Whether the primitive of a point backs off; true if it has no such axis.
inline bool backs_off(const bench::point& point) {
  return point.value_or("backoff", 1) != 0;
}

/// An axis of integers with the default "auto", 0: the primitive or the program chooses.
inline bench::axis left_open(bench::axis numbers) {
  numbers.values = {0};
  numbers.min = 0;
  numbers.names = {"auto"};
  return numbers;
}

/// \param chosen the default's meaning, "50".
inline bench::axis servers_percent(const std::string& chosen, std::vector<long long> candidates) {
  return left_open({.name = "servers-percent",
                    .help = "share of the thread blocks that are servers; auto: " + chosen,
                    .max = 99,
                    .unit = "%",
                    .candidates = std::move(candidates)});
}

/// Packed or padded, which --tune tries.
inline bench::axis layout(
    const std::string& name = "lock-layout",
    const std::string& help =
        "layout of the locks: packed in cache lines, or each on its own lines") {
  bench::axis packing = bench::named_axis(name, help, {"packed", "padded"});
  packing.candidates = {0, 1};
  return packing;
}

}  // namespace finesync::workload
