// The loads of a global_atomic_ref: which of them may return overwritten values, and until when.
#include <finesync/device/global_atomic_ref.cuh>

#include <gtest/gtest.h>
#include <tests/executor/simt/litmus.hpp>

namespace {

using namespace simt_test;

enum class look { stale, fresh, stale_behind_fence };

/// A word and, on another line, a flag.
constexpr unsigned flag = 16;

/// The first block writes; the last loads before and after it has seen the write. It sees the write
/// in the word, which renews its cached copy, or in the flag, which does not.
template <look Which>
__global__ void look_again(cell64* memory, cell32* old) {
  const global_atomic_ref word(*memory);
  const global_atomic_ref seen(memory[Which == look::fresh ? 0 : flag]);
  if (is_first()) {
    word.store(1);
    fence<memory_order::release, scope::device>();
    global_atomic_ref(memory[flag]).store(1);
  }
  if (!is_second()) return;
  static_cast<void>(word.load_cached());
  bool is_written = false;
  for (unsigned poll = 0; poll < 60 && !is_written; ++poll) is_written = seen.load() == 1;
  if (!is_written) return;
  if constexpr (Which == look::stale_behind_fence) fence<memory_order::acquire, scope::device>();
  const std::uint64_t found = Which == look::fresh ? word.load() : word.load_cached();
  if (found == 0) *old = 1;
}

template <look Which>
bool old_value_returns() {
  auto memory = buffer<std::uint64_t>::zeroed(flag + 1);
  const buffer<std::uint32_t> old = zeroed_words(1);
  launch_cooperative(look_again<Which>, two_blocks, memory.device_data(), old.device_data());
  return old.to_host()[0] != 0;
}

TEST(global_atomic_ref, may_be_as_the_sm_has_it) {
  expect_only_weak_memory_breaks(old_value_returns<look::stale>);
}

TEST(global_atomic_ref, is_never_older_by_its_usual_load) {
  expect_nothing_breaks(old_value_returns<look::fresh>);
}

TEST(global_atomic_ref, is_not_older_than_what_a_fence_has_acquired) {
  expect_nothing_breaks(old_value_returns<look::stale_behind_fence>);
}

}  // namespace
