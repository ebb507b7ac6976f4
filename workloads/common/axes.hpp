// Axes shared by several programs.
#pragma once

#include <bench/axis.hpp>
#include <bench/kernel_timer.hpp>

#include <string>
#include <utility>
#include <vector>

namespace finesync::workload {

using bench::named_axis;

/// The smallest and the largest valid value.
struct range {
  long long min, max;
};

/// An axis of integers. \param usual the default of a sweep.
inline bench::axis number(const std::string& name, const std::string& help, long long usual,
                          range valid, const std::string& unit = "",
                          std::vector<long long> candidates = {}) {
  return {.name = name,
          .help = help,
          .values = {usual},
          .min = valid.min,
          .max = valid.max,
          .unit = unit,
          .candidates = std::move(candidates)};
}

/// The same with the default "auto", 0: the primitive or the program chooses.
inline bench::axis number_or_auto(const std::string& name, const std::string& help, long long max,
                                  const std::string& unit = "",
                                  std::vector<long long> candidates = {}) {
  bench::axis numbers = number(name, help, 0, {0, max}, unit, std::move(candidates));
  numbers.names = {"auto"};
  return numbers;
}

/// The same with the name "all" for 0.
inline bench::axis number_or_all(const std::string& name, const std::string& help, long long usual,
                                 long long max, const std::string& unit = "") {
  bench::axis numbers = number(name, help, usual, {0, max}, unit);
  numbers.names = {"all"};
  return numbers;
}

inline bench::axis tbs_per_sm(const std::string& help = "thread blocks per SM",
                              std::vector<long long> candidates = {}) {
  return number("tbs-per-sm", help, 1, {1, 32}, "", std::move(candidates));
}

/// \param candidates values that --tune tries; none if the number of blocks is a parameter of the
/// study.
inline bench::axis tbs_per_sm_or_auto(const std::string& help, std::vector<long long> candidates) {
  return number_or_auto("tbs-per-sm", help, 32, "", std::move(candidates));
}

inline bench::axis sms() {
  return number_or_all(
      "sms",
      "number of SMs to count blocks for: the grid has tbs-per-sm times as many blocks, which the "
      "GPU still spreads over all of its SMs",
      0, 1024);
}

inline bench::axis threads_per_block(long long usual = 64,
                                     const std::string& help = "threads per block",
                                     long long max = 1024) {
  return number("threads-per-block", help, usual, {1, max});
}

inline bench::axis threads_per_block_or_auto(const std::string& help,
                                             std::vector<long long> candidates,
                                             long long max = 1024) {
  return number_or_auto("threads-per-block", help, max, "", std::move(candidates));
}

inline bench::axis rounds(const std::string& help, long long usual, long long max = 1 << 20) {
  return number("rounds", help, usual, {1, max});
}

/// The paper's collision factor. \param what what threads pick, \param unit the same in one word.
inline bench::axis collision_factor(const std::string& what, const std::string& unit,
                                    long long min) {
  bench::axis factor =
      number("collision-factor",
             "number of " + what + " (the paper's collision factor); fewer means more contention",
             256, {min, 64 << 20}, unit);
  if (bench::runs_on_gpu())
    factor.values = {256, 1024, 32768, 131072};
  else
    factor.values = {1024};
  return factor;
}

inline bench::axis section_work(long long max) {
  return number("section-work", "arithmetic added to the critical section (ASPLOS'19, figure 9)", 0,
                {0, max}, "1,000 cycles");
}

/// Loads and stores per thread, as in the thesis.
inline bench::axis ldst(const std::string& help) {
  return number("ldst", help, 0, {0, 1000}, "words");
}

inline bench::axis yes_or_no(const std::string& name, const std::string& help, bool usual = false) {
  return named_axis(name, help, {"no", "yes"}, usual);
}

/// For primitives with an optional back-off.
inline bench::axis backoff() {
  return yes_or_no("backoff",
                   "whether waiters back off between two polls; no: they poll again at once", true);
}

/// \param chosen the default's meaning, "50".
inline bench::axis servers_percent(const std::string& chosen, std::vector<long long> candidates) {
  return number_or_auto("servers-percent",
                        "share of the thread blocks that are servers; auto: " + chosen, 99, "%",
                        std::move(candidates));
}

/// Packed or padded, which --tune tries.
inline bench::axis layout(
    const std::string& name = "lock-layout",
    const std::string& help =
        "layout of the locks: packed in cache lines, or each on its own lines") {
  bench::axis packing = named_axis(name, help, {"packed", "padded"});
  packing.candidates = {0, 1};
  return packing;
}

}  // namespace finesync::workload
