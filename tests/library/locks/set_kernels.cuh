// Money moved among a few accounts under several locks at once. Runs on either machine.
#pragma once

#include <finesync/locks/exclusive.cuh>
#include <finesync/locks/lock_table.cuh>
#include <finesync/multi_object/multi_lock.cuh>

#include <tests/library/harness/run.hpp>

namespace finesync::test {

struct account {
  cell<std::uint32_t> balance;
  cell<std::uint32_t> visits;
};

template <unsigned Size>
struct picks {
  std::uint32_t each[Size];

  /// The accounts of a thread in a round; sometimes one of them twice.
  __host__ __device__ static picks of(unsigned thread, unsigned round, unsigned accounts) {
    picks p = {};
    std::uint32_t random = thread * 2654435761u + round * 40503u + 1;
    for (std::uint32_t& one : p.each) {
      random = random * 1664525u + 1013904223u;
      one = (random >> 16) % accounts;
    }
    return p;
  }
  /// Whether account i was named before.
  __host__ __device__ bool repeats(unsigned i) const {
    for (unsigned j = 0; j < i; ++j)
      if (each[j] == each[i]) return true;
    return false;
  }
};

/// Moves one unit from each account to the next, in a circle: all are written, none changes.
template <unsigned Size>
struct pass_round {
  account* accounts;
  picks<Size> whose;

  __device__ void operator()() const {
    for (unsigned i = 0; i < Size; ++i) {
      account& giver = accounts[whose.each[i]];
      account& taker = accounts[whose.each[(i + 1) % Size]];
      giver.balance = giver.balance - 1;
      taker.balance = taker.balance + 1;
      if (!whose.repeats(i)) giver.visits = giver.visits + 1;
    }
  }
};

struct bank {
  unsigned blocks = 2;
  unsigned threads_per_block = 36;  // a full warp and a part of one
  unsigned accounts = 4;
  unsigned rounds = 2;
};

/// Total number of visits of each account.
template <unsigned Size>
std::vector<std::uint32_t> visits_of(const bank& of) {
  std::vector<std::uint32_t> visits(of.accounts);
  for (unsigned thread = 0; thread < of.blocks * of.threads_per_block; ++thread) {
    for (unsigned i = 0; i < of.rounds; ++i) {
      const auto whose = picks<Size>::of(thread, i, of.accounts);
      for (unsigned k = 0; k < Size; ++k)
        if (!whose.repeats(k)) ++visits[whose.each[k]];
    }
  }
  return visits;
}

/// Each thread moves money a few times, under a Set of locks for its picked accounts.
template <class Set, class Locks>
__global__ void move_money(Locks locks, account* accounts, unsigned number_of_accounts,
                           unsigned rounds, watchdog_ref watchdog) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  for (unsigned i = 0; i < rounds; ++i) {
    const auto whose = picks<Set::size>::of(thread, i, number_of_accounts);
    const pass_round<Set::size> section{accounts, whose};
    if (!run_exclusive(Set(locks, whose.each), section, watchdog)) return;
  }
}

inline constexpr unsigned shared_accounts = 4;

template <class Lock>
struct shared_bank {
  typename Lock::state locks[shared_accounts];
  account accounts[shared_accounts];
};

/// The same by one block in its shared memory. Writes the balances and the visits.
template <class Set>
__global__ void move_in_block(cell<std::uint32_t>* words, unsigned rounds, watchdog_ref watchdog) {
  using lock = typename Set::lock;
  auto& shared = shared_storage<shared_bank<lock>>();
  if (threadIdx.x == 0) {
    for (auto& state : shared.locks) state.held = 0u;
    for (account& of : shared.accounts) of.balance = 0u, of.visits = 0u;
  }
  __syncthreads();
  for (unsigned i = 0; i < rounds; ++i) {
    const auto whose = picks<Set::size>::of(threadIdx.x, i, shared_accounts);
    const Set held(lock_array<lock>{shared.locks}, whose.each);
    if (!run_exclusive(held, pass_round<Set::size>{shared.accounts, whose}, watchdog)) break;
  }
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (unsigned a = 0; a < shared_accounts; ++a) {
    words[2 * a] = shared.accounts[a].balance;
    words[2 * a + 1] = shared.accounts[a].visits;
  }
}

template <class Lock, class Way, unsigned Size = 2>
using device_set = multi_lock<lock_table_ref<Lock>, Size, Way>;

/// \returns true if no money is lost, and every account was visited as often as picked.
template <class Set>
bool moves_right(const bank& of) {
  using lock = typename Set::lock;
  constexpr unsigned Size = Set::size;
  constexpr std::uint32_t opening = 1000;
  const lock_table<lock> locks(of.accounts, lock_layout::packed);
  std::vector<std::uint32_t> words(std::size_t{2} * of.accounts);
  for (unsigned a = 0; a < of.accounts; ++a) words[2 * a] = opening;
  buffer<std::uint32_t> accounts(words.size());
  accounts.copy_from(words);
  if (!ends(move_money<Set, lock_table_ref<lock>>,
            {.blocks = of.blocks, .threads_per_block = of.threads_per_block}, locks,
            reinterpret_cast<account*>(accounts.raw_pointer()), of.accounts, of.rounds))
    return false;
  const auto visits = visits_of<Size>(of);
  for (unsigned a = 0; a < of.accounts; ++a) words[2 * a + 1] = visits[a];
  // A circle returns to each account the amount taken, whatever the accounts.
  return accounts.to_host() == words;
}

}  // namespace finesync::test
