// Axes that the programs of one grid and one primitive have in common.
#pragma once

#include <bench/axis.hpp>
#include <bench/point.hpp>

#include <string>
#include <utility>
#include <vector>

namespace finesync::workload {

/// \param candidates what --tune tries; none where the number of blocks is part of the question.
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

/// Loads and stores of each thread, as the thesis varies them.
inline bench::axis ldst(const std::string& help) {
  return {.name = "ldst", .help = help, .values = {0}, .min = 0, .max = 1000, .unit = "words"};
}

/// Of primitives that can also do without, see backs_off().
inline bench::axis backoff() {
  return bench::named_axis(
      "backoff", "whether waiters back off between two polls; else they poll again at once",
      {"no", "yes"}, 1);
}

/// Whether the primitive of a point is the one with its back-off; that which has no choice is.
inline bool backs_off(const bench::point& point) {
  return point.value_or("backoff", 1) != 0;
}

/// An axis of integers of which the first, 0, leaves it to the primitive or the program.
inline bench::axis left_open(bench::axis numbers) {
  numbers.values = {0};
  numbers.names = {"auto"};
  return numbers;
}

}  // namespace finesync::workload
