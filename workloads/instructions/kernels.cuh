// The two kernels: a chain of an instruction, and as many as the grid can issue.
#pragma once

#include "context.cuh"

#include <finesync/device/atomic_ref.cuh>
#include <finesync/device/clock.cuh>
#include <finesync/device/cluster.cuh>
#include <finesync/device/fence.cuh>
#include <finesync/device/numbering.cuh>
#include <finesync/device/ptx/computed_here.cuh>

#include <cstdint>

namespace finesync::instructions {

/// The same chain and the code around it, without the instruction.
template <class Instruction>
struct left_out {
  const Instruction& instruction;

  __device__ __forceinline__ std::uint32_t step(std::uint32_t link, unsigned index) const {
    if constexpr (requires { instruction.without(link, index); })
      return instruction.without(link, index);
    else
      return computed_here(link | index);
  }
};

template <class Instruction>
inline constexpr bool across_blocks = [] {
  if constexpr (requires { Instruction::in; })
    return Instruction::in == state_space::other_block;
  else
    return requires {
      Instruction::of_clusters;
    };
}();

/// Before the first access to another block's shared memory, and after the last.
template <class Instruction>
__device__ __forceinline__ void sync_all() {
  if constexpr (across_blocks<Instruction>)
    cluster_sync<memory_order::acq_rel>();
  else
    __syncthreads();
}

/// Cycles of in_a_row steps, and of a store and a load of shared memory after them, up to the end
/// of the load: reading the clock does not wait for results. 0 if the load misses the store.
template <class Step>
__device__ __forceinline__ std::uint32_t cycles_of(const context& at, std::uint32_t tag,
                                                   Step step) {
  const atomic_ref<std::uint32_t, scope::block> word(at.beside(threadIdx.x));
  const std::uint64_t began = clock_cycles();
  std::uint32_t link = tag & at.run.zero;  // of this round, or the chain could be computed before
  for (unsigned i = 0; i < in_a_row; ++i) link = step(link, i) & at.run.zero;
  word.store(tag | link, memory_order::relaxed);
  if (word.load(memory_order::relaxed) != tag) return 0;
  return static_cast<std::uint32_t>(clock_cycles() - began);
}

/// Copies the initial values from device memory to the words in shared memory.
template <class Instruction>
__device__ void fill_shared_words(const launched& run) {
  if constexpr (requires { typename Instruction::word; }) {
    if constexpr (Instruction::in != state_space::global) {
      using word = typename Instruction::word;
      if (threadIdx.x == 0 || run.stride != 0)
        word_of_thread<word, state_space::shared>(run, threadIdx.x) =
            word_of_thread<word, state_space::global>(run, threadIdx.x);
    }
  }
  sync_all<Instruction>();
}

/// Copies words of shared memory out. A barrier is checked here, once: each thread writes a word
/// before it, and its partner reads that word after it.
template <class Instruction>
__device__ std::uint64_t leave(const context& at, const Instruction& instruction, unsigned index) {
  std::uint64_t found = 0;
  if constexpr (requires { instruction.partner(at); }) {
    __syncthreads();
    at.beside(threadIdx.x) = threadIdx.x + 1;
    instruction.step(0, index);
    found = static_cast<std::uint32_t>(instruction.partner(at));
  }
  sync_all<Instruction>();
  if constexpr (requires { typename Instruction::word; }) {
    if constexpr (Instruction::in != state_space::global) {
      using word = typename Instruction::word;
      if (threadIdx.x == 0 || at.run.stride != 0)
        word_of_thread<word, state_space::global>(at.run, threadIdx.x) =
            word_of_thread<word, state_space::shared>(at.run, threadIdx.x);
    }
  }
  return found;
}

/// Each step of a thread depends on the step before. The first round fetches the code and is not
/// counted.
template <class Instruction>
__global__ void time_chain(launched run, watchdog_ref watchdog) {
  assume_one_dimension();
  const context at{run, watchdog};
  fill_shared_words<Instruction>(run);
  const Instruction instruction(at);
  decltype(instruction.step(0, 0)) found[in_a_row];
  std::uint64_t seen = 0;
  unsigned index = 0;
  for (unsigned round = 0; round <= run.rounds; ++round, index += in_a_row) {
    __syncthreads();
    const std::uint32_t with = cycles_of(at, 2 * round + 1, [&](std::uint32_t link, unsigned i) {
      found[i] = instruction.step(link, index + i);
      return static_cast<std::uint32_t>(found[i]);
    });
    for (unsigned i = 0; i < in_a_row; ++i) seen += instruction.seen(found[i], index + i);
    const std::uint32_t without = cycles_of(at, 2 * round + 2, [&](std::uint32_t link, unsigned i) {
      return left_out<Instruction>{instruction}.step(link, index + i);
    });
    if (threadIdx.x == 0 && round > 0) {
      at.cycles(true, round - 1) = with;
      at.cycles(false, round - 1) = without;
    }
  }
  seen += leave(at, instruction, index);
  for (unsigned i = threadIdx.x; i < 2 * run.rounds; i += blockDim.x)
    run.cycles[2 * run.rounds * blockIdx.x + i] = at.cycles(true, i);
  run.seen[blockDim.x * blockIdx.x + threadIdx.x] = seen;
}

/// Always 0. For ordinary accesses the compiler must not know that: it would merge them.
template <class Instruction>
__device__ __forceinline__ std::uint32_t link_of_stream(const launched& run, unsigned index) {
  if constexpr (requires { Instruction::may_be_merged; })
    return index & run.zero;
  else
    return 0;
}

/// No step waits for another.
template <class Instruction>
__global__ void run_many(launched run, watchdog_ref watchdog) {
  assume_one_dimension();
  const context at{run, watchdog};
  fill_shared_words<Instruction>(run);
  const Instruction instruction(at);
  std::uint64_t seen = 0;
  std::uint64_t began = 0;
  unsigned index = 0;
  for (unsigned round = 0; round <= run.rounds; ++round, index += in_a_row) {
    if (round == 1) {
      __syncthreads();
      began = clock_cycles();
    }
    for (unsigned i = 0; i < in_a_row; ++i)
      seen += instruction.seen(
          instruction.step(link_of_stream<Instruction>(run, index + i), index + i), index + i);
  }
  // The clock waits for no result, nor for what has none.
  atomic_ref<std::uint32_t, scope::block>(at.beside(threadIdx.x))
      .store(static_cast<std::uint32_t>(seen), memory_order::relaxed);
  if constexpr (!Instruction::has_result) fence<memory_order::seq_cst, scope::device>();
  __syncthreads();
  const std::uint64_t ended = clock_cycles();
  seen += leave(at, instruction, index);
  if (threadIdx.x == 0) {
    run.spans[3 * blockIdx.x] = sm_id();
    run.spans[3 * blockIdx.x + 1] = began;
    run.spans[3 * blockIdx.x + 2] = ended;
  }
  run.seen[blockDim.x * blockIdx.x + threadIdx.x] = seen;
}

}  // namespace finesync::instructions
