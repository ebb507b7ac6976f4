// SPDX-License-Identifier: Apache-2.0
// The readable report of a launch that cannot finish.
#include <simt/access_text.hpp>
#include <simt/executor.hpp>
#include <simt/names.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace simt {

const char* to_string(fault_kind kind) {
  using enum fault_kind;
  static constexpr std::pair<fault_kind, const char*> names[] = {
      {deadlock, "deadlock"},
      {livelock, "livelock"},
      {too_long, "launch limit"},
      {not_resident, "wait for a block that is not resident"},
      {divergent_barrier, "divergent barrier"},
      {misused_barrier, "misused barrier"},
      {wrong_warp_mask, "wrong warp mask"},
      {raw_polling, "raw polling loop"},
      {stack_overflow, "stack overflow"},
      {race, "data race"},
      {misaligned, "misaligned address"},
      {bad_address, "bad address"}};
  return name_in(names, kind);
}

std::string executor::name_of(const thread& t) const {
  if (t.started_by != nullptr) return "the asynchronous copy of " + name_of(*t.started_by);
  return fmt::format("{}, thread {}", layout_.name_of(t.block->number),
                     t.number - t.block->first_thread);
}

/// An address, by its buffer or by its offset in shared memory.
std::string executor::place_of(const void* address) const {
  if (global_.contains(address)) return global_.place(address);
  const auto into = static_cast<const std::byte*>(address) - blocks_.front().shared;
  return fmt::format("shared memory +{:#x}", static_cast<std::size_t>(into) % shared_stride_);
}

/// What is near an address that no access may use.
std::string executor::explain_address(const thread& by, const void* address) const {
  if (global_.contains(address)) return global_.neighbourhood(address);
  const auto* at = static_cast<const std::byte*>(address);
  if (const block_state* owner = owner_in_cluster(by, at, 1);
      owner != nullptr && owner->live == 0) {
    return fmt::format("in the shared storage of {} of its cluster, which has ended",
                       layout_.name_of(owner->number));
  }
  for (const block_state& block : blocks_) {
    if (at < block.shared || at >= block.shared + shared_stride_) continue;
    return fmt::format("{} bytes into {} shared storage of {} bytes", at - block.shared,
                       &block == by.block ? "its block's" : layout_.name_of(block.number) + "'s",
                       grid_.shared_bytes);
  }
  return "which is neither in a device buffer nor in its block's shared storage";
}

/// A thread comes to __syncthreads() too late, or ends while others wait there.
std::string executor::explain_divergence(const thread& by) const {
  const block_state& block = *by.block;
  if (by.state == thread_state::runnable && block.live < block.threads) {
    return fmt::format(
        "{}{} arrives at __syncthreads() after others have ended: {} of its block's {} threads",
        name_of(by), place_text(by.site), block.threads - block.live, block.threads);
  }
  const thread* const first = &threads_[block.first_thread];
  const thread* const waiting = std::find_if(first, first + block.threads, [](const thread& t) {
    return t.state == thread_state::at_barrier;
  });
  return fmt::format("{} ends, while {} of its block's {} threads wait at __syncthreads(){}",
                     name_of(by), block.at_barrier, block.threads, place_text(waiting->site));
}

/// An access to the target of a copy that is under way, or a write to its source.
std::string executor::explain_copy() const {
  const operation& op = met_copy_->op;
  const async_copy& copy = met_copy_->copy;
  return fmt::format(
      "at {}, the {} by {}{} meets the asynchronous copy of {} bytes {} there by {}{}; missing: {} "
      "waits for its copy, before a synchronization of both",
      place_of(op.address), access_text(op.kind, op.reach, op.bytes), name_of(*failure_->subject),
      place_text(met_copy_->site), copy.bytes, met_copy_->at_target ? "to" : "from",
      name_of(threads_[copy.thread]), place_text(copy.site), name_of(threads_[copy.thread]));
}

/// A copy to or from the shared memory of a block that has ended meanwhile.
std::string executor::explain_late_copy(const thread& copy) const {
  return fmt::format(
      "{}{} is not complete when the block ends that has {}; missing: {}, before that",
      name_of(copy), place_text(copy.site), place_of(failure_->address),
      async_of(copy).wait->for_writes);
}

std::string executor::diagnose() const {
  const failure& what = *failure_;
  std::string text = fmt::format("{}: ", to_string(what.kind));
  switch (what.kind) {
    case fault_kind::deadlock:
      return text + "no thread can run; " + who_waits();
    case fault_kind::livelock:
      return text + "memory has not changed for long; " + who_waits();
    case fault_kind::too_long:
      return text +
             fmt::format("no end within {} nominal ms; ", settings_.longest_launch_ns / 1'000'000) +
             who_waits();
    case fault_kind::not_resident:
      return text +
             fmt::format("{} of {} blocks were never started because {} fit; ",
                         layout_.blocks() - next_block_, layout_.blocks(), blocks_.size()) +
             who_waits();
    case fault_kind::divergent_barrier:
      return text + explain_divergence(*what.subject);
    case fault_kind::misused_barrier:
      return text +
             fmt::format(
                 "{}{} arrives at barrier {} as one of {} threads: there are {} barriers, and "
                 "all threads at one must name the same multiple of {}; number 0 is the barrier of "
                 "__syncthreads()",
                 name_of(*what.subject), place_text(what.subject->site), what.lane, what.bytes,
                 named_barriers, warp_size);
    case fault_kind::wrong_warp_mask:
      return text +
             fmt::format("{}{} names lane {} in mask {:#010x}, but that lane does not take part",
                         name_of(*what.subject), place_text(what.subject->site), what.lane,
                         what.mask);
    case fault_kind::raw_polling:
      return text + fmt::format(
                        "{} went through {} basic blocks without any device operation{}; a loop "
                        "that waits must read through an atomic_ref",
                        name_of(*what.subject), settings_.longest_raw_loop,
                        place_text(what.subject->site));
    case fault_kind::stack_overflow:
      return text + fmt::format("{} needs more than {} bytes of stack", name_of(*what.subject),
                                settings_.stack_bytes);
    case fault_kind::race:
      return text + (met_copy_ ? explain_copy() : races_->found().text);
    case fault_kind::misaligned:
      return text + fmt::format("{}{} accessed {}, which is not a multiple of {} bytes",
                                name_of(*what.subject), place_text(what.site),
                                place_of(what.address), what.bytes);
    default:
      if (is_late(*what.subject)) return text + explain_late_copy(*what.subject);
      return text + fmt::format("{}{} accessed {} bytes at {}, {}", name_of(*what.subject),
                                place_text(what.site), what.bytes, what.address,
                                explain_address(*what.subject, what.address));
  }
}

}  // namespace simt
