// Types that are not what a template asks for. The compiler must say one error about each use, the
// one that stands above it (check_errors.py), and no other.
#include <finesync/locks/exclusive.cuh>
#include <finesync/locks/tas_lock.cuh>
#include <finesync/locks/ticket_lock.cuh>
#include <finesync/locks/try_exclusive.cuh>
#include <finesync/locks/value_passing_lock.cuh>
#include <finesync/multi_object/multi_lock.cuh>
#include <finesync/semaphores/semaphore.cuh>
#include <finesync/server/service.cuh>

#include <cstdint>

namespace finesync {
namespace {

using lock = tas_lock<scope::device>;
using queue = ticket_lock<scope::device>;
using with_word = value_passing_lock<scope::device>;

struct never_waits {
  struct acquisition {};
  acquisition enqueue() { return {}; }
  bool try_enter(acquisition&) { return true; }
  void leave(acquisition&) {}
};
struct sees_no_end {
  void begin(unsigned) {}
  void retry() {}
  void entered() {}
};
/// A service of no kind.
struct does_nothing {
  using argument = std::uint32_t;
  using datum = std::uint32_t;
  using acquisition = std::uint32_t;
  void operator()(std::uint32_t) const {}
};
static_assert(!key_service<does_nothing> && !pair_service<does_nothing>);
static_assert(!in_place_service<does_nothing>);
static_assert(!call_service<does_nothing> && !counting_semaphore<does_nothing>);
static_assert(!pair_section<does_nothing, std::uint32_t> && !lock_observer<does_nothing>);
static_assert(!exclusive_lock<std::uint32_t> && exclusive_lock<lock>);
static_assert(exclusive_lock<multi_lock<lock_array<lock>, 2>>);

[[maybe_unused]] void uses(lock::state& state, with_word::state& with, queue::state& tickets,
                           watchdog_ref watchdog) {
  const auto takes_nothing = [] {};
  const auto takes_a_word = [](std::uint32_t&) {};
  sees_no_end observer;
  no_observer unobserved;
  never_waits::acquisition acquisition;

  // error: this type is no lock: see locks/exclusive_lock.cuh
  run_exclusive(3, takes_nothing, watchdog);
  // error: this type is no lock: see locks/exclusive_lock.cuh
  enter_exclusive(never_waits{}, acquisition, watchdog, unobserved);
  // error: a section takes nothing, or the word that its lock passes, by reference
  run_exclusive(lock(state), takes_a_word, watchdog);
  // error: a section takes nothing, or the word that its lock passes, by reference
  run_exclusive(with_word(with), takes_nothing, watchdog);
  // error: this type is no observer: see locks/observer.cuh
  run_exclusive(lock(state), takes_nothing, watchdog, observer);
  // error: no thread may leave this lock's queue: the next would wait for it; take tas_lock
  try_run_exclusive(queue(tickets), takes_nothing);
}

}  // namespace
}  // namespace finesync
