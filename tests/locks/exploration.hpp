// The search for a schedule on which a lock loses an update.
#pragma once

#include "counter_kernels.cuh"

#include <simt/settings.hpp>

#include <tests/seed_budget.hpp>

#include <cstdint>
#include <string>

namespace finesync::test {

/// What a search runs on each schedule: anything that can be called, as long as that lives. Of each
/// type a few instructions are compiled, and of the search nothing.
template <class Result>
class experiment {
 public:
  template <class Callable>
  experiment(const Callable& what)
      : what_(reinterpret_cast<const void*>(&what)),
        call_([](const void* it) -> Result { return (*reinterpret_cast<const Callable*>(it))(); }) {
  }

  Result operator()() const { return call_(what_); }

 private:
  const void* what_;
  Result (*call_)(const void* what);
};

/// What a search in strong memory makes of races.
enum class races { fail, pass };

/// Seeds of `seeds` random schedules on which `right()` is false, or which in strong memory have a
/// race, which is reported. The search ends soon after the first: 0, 1 or 2, then. A variant whose
/// wrong *outcome* is to be seen lets races pass.
unsigned failing_seeds(simt::memory_kind memory, unsigned seeds, const experiment<bool>& right,
                       races verdict = races::fail);

/// What right() says, or false where a launch of it is stuck: a variant may leave others waiting.
bool ends_right(const experiment<bool>& right);

/// failing_seeds() of a variant, of which such a wait is as wrong as a wrong outcome.
unsigned failing_twin_seeds(simt::memory_kind memory, unsigned seeds, const experiment<bool>& right,
                            races verdict = races::pass);

/// Of seeds in strong memory, those that have a race, whatever comes out of them.
unsigned racing_seeds(unsigned seeds, const experiment<bool>& run);

/// What complaint() says, which says nothing when all is right, on the first of the seeds that
/// fails.
std::string first_complaint(simt::memory_kind memory, unsigned seeds,
                            const experiment<std::string>& complaint, races verdict = races::fail);

/// Preemptions that make right() false, of those behind the turns 1 to `turns` of a round-robin
/// run, which must be all that it has; the search ends soon after the first. What a thread does in
/// two steps that should be one shows, however much the others must do in between: they have
/// `length` turns. For kernels of few threads. \param lanes turns count of the first so many lanes
/// of each warp.
unsigned failing_preemptions(std::uint64_t turns, std::uint64_t length,
                             const experiment<bool>& right, std::uint32_t lanes = 32);

/// failing_seeds() of a shop under a lock at device scope.
template <class Lock>
unsigned failing_seeds(const workshop& shop, simt::memory_kind memory, unsigned seeds) {
  return failing_seeds(memory, seeds, [&] { return counts_right<Lock>(shop); });
}

}  // namespace finesync::test
