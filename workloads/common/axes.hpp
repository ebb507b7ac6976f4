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

inline bench::axis threads_per_block() {
  return {.name = "threads-per-block",
          .help = "threads per block",
          .values = {64},
          .min = 1,
          .max = 1024};
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
  numbers.names = {"auto"};
  return numbers;
}

}  // namespace finesync::workload
