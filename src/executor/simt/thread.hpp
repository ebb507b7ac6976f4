// SPDX-License-Identifier: Apache-2.0
// The executor's state of threads, warps and blocks while they are resident.
#pragma once

#include <simt/coordinates.hpp>
#include <simt/operation.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

namespace simt {

inline constexpr std::uint32_t warp_size = 32;
inline constexpr std::uint32_t async_slots = 64;  ///< for async threads, after all other slots

enum class thread_state : std::uint8_t {
  absent,  ///< a lane beyond the block's size
  runnable,
  asleep,              ///< in nanosleep
  at_barrier,          ///< in __syncthreads
  at_collective,       ///< in a warp collective
  at_cluster_barrier,  ///< in barrier.cluster
  at_named_barrier,    ///< in barrier.sync with a number
  at_async,            ///< in a wait for async threads
  finished,
};
inline constexpr std::size_t thread_states = static_cast<std::size_t>(thread_state::finished) + 1;

/// What a warp collective computes from its lanes' values.
enum class collective : std::uint8_t { none, sync, ballot, shuffle, match, together, converge };

/// Blocks that start together. In a launch without clusters, each block is one.
struct cluster_state {
  std::uint32_t first_slot = 0;  ///< first block's place among the resident ones
  std::uint32_t live = 0;        ///< threads that have not ended
  std::uint32_t async_threads = 0;
};

struct block_state {
  std::uint32_t number = 0;  ///< linear block index in the launch, grid by grid
  std::uint32_t rank = 0;    ///< its place in the cluster
  coordinates index;
  int sm = 0;
  std::byte* shared = nullptr;
  std::byte* shared_end = nullptr;
  std::uint32_t first_thread = 0;  ///< number of its first thread slot
  std::uint32_t threads = 0;
  std::uint32_t live = 0;
  bool is_checked = true;  ///< see settings::checked_blocks
};

struct warp_state {
  std::uint32_t existing = 0;  ///< lanes within the block's size
  std::uint32_t live = 0;      ///< lanes that exist and have not finished
};

/// The addresses a thread read last: reading one again and finding the same value is a poll.
struct poll_window {
  static constexpr std::size_t size = 4;
  std::array<const void*, size> address{};
  std::array<std::uint64_t, size> value{};
  std::uint8_t oldest = 0;
  std::uint8_t newest = 0;  ///< index of the last poll

  enum class sight : std::uint8_t { fresh, changed, same };
  sight poll(const void* where, const word& found);
};

/// See note_wait().
struct wait_note {
  const void* where = nullptr;
  std::uint64_t seen = 0;
  std::uint64_t wanted = 0;
  std::uint32_t polls = 0;  ///< of the thread at that time
};

/// What each basic block of the running thread is checked against (coverage.cpp). It is not a part
/// of the thread, as the check must be short.
struct basic_block_watch {
  /// A stack pointer below needs a closer look. In lockstep all do, as threads switch there.
  std::uintptr_t lowest_stack = 0;
  std::int32_t left = 0;  ///< blocks that may be entered before the next device operation
};

struct alignas(64) thread {
  void* context = nullptr;  ///< saved stack pointer while another thread runs
  block_state* block = nullptr;
  warp_state* warp = nullptr;
  thread* started_by = nullptr;      ///< of an async thread
  std::uintptr_t stack_end = 0;      ///< lowest address that the kernel's stack may reach
  const void* site = nullptr;        ///< of its last poll, or of what it waits in
  std::uint64_t wake = 0;            ///< when a sleep or a wait for convergence ends
  std::uintptr_t stack_watch = 0;    ///< see basic_block_watch
  std::uintptr_t stack_pointer = 0;  ///< at the last basic block; kept only in lockstep
  std::uint32_t number = 0;          ///< slot: warps are 32 consecutive numbers
  std::uint32_t lane = 0;
  std::int32_t blocks_left = 0;       ///< see basic_block_watch; kept while others run
  std::uint64_t last_operation = 0;   ///< its time
  std::uint32_t polls = 0;            ///< since its last other access to memory
  std::uint32_t idle_operations = 0;  ///< without an address, since its last poll
  coordinates index;                  ///< threadIdx
  thread_state state = thread_state::absent;
  std::uintptr_t program_counter = 0;  ///< of that basic block
  poll_window recent;
  wait_note wait;
  /// Of an async thread: where it was when the block of that memory had ended.
  const void* late_at = nullptr;
};

}  // namespace simt
