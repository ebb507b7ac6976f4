// SPDX-License-Identifier: Apache-2.0
// What is wrong with a launch that cannot finish.
#include <simt/access_text.hpp>
#include <simt/executor.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace simt {

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
void executor::explain_divergence(fault& to) const {
  const thread& by = *failure_->subject;
  const block_state& block = *by.block;
  if (by.state == thread_state::runnable && block.live < block.threads) {
    to.reason = fmt::format(
        "arrives at __syncthreads() after others have ended: {} of its block's {} threads",
        block.threads - block.live, block.threads);
    return;
  }
  const thread* const first = &threads_[block.first_thread];
  const thread* const waiting = std::find_if(first, first + block.threads, [](const thread& t) {
    return t.state == thread_state::at_barrier;
  });
  to.threads = {{name_of(by)}, {"", waiting->site}};
  to.reason = fmt::format("ends, while {} of its block's {} threads wait at __syncthreads()",
                          block.at_barrier, block.threads);
}

/// An access to the target of a copy that is under way, or a write to its source.
void executor::explain_copy(fault& to) const {
  const operation& op = met_copy_->op;
  const async_copy& copy = met_copy_->copy;
  const std::string copier = name_of(threads_[copy.thread]);
  to.address = place_of(op.address);
  to.reason = "meets";
  to.threads = {{fmt::format("the {} by {}", access_text(op.kind, op.reach, op.bytes),
                             name_of(*failure_->subject)),
                 met_copy_->site},
                {fmt::format("the asynchronous copy of {} bytes {} there by {}", copy.bytes,
                             met_copy_->at_target ? "to" : "from", copier),
                 copy.site}};
  to.missing =
      fmt::format("missing: {} waits for its copy, before a synchronization of both", copier);
}

/// A copy to or from the shared memory of a block that has ended meanwhile.
void executor::explain_late_copy(fault& to) const {
  const thread& copy = *failure_->subject;
  to.threads.front().site = copy.site;
  to.address = place_of(failure_->address);
  to.reason = fmt::format("is not complete when the block ends that has {}", to.address);
  to.missing = fmt::format("missing: {}, before that", async_of(copy).wait->for_writes);
}

fault executor::diagnose() const {
  const failure& what = *failure_;
  fault found{.kind = what.kind};
  if (what.subject != nullptr) found.threads = {{name_of(*what.subject), what.subject->site}};
  switch (what.kind) {
    case fault_kind::deadlock:
      found.reason = "no thread can run; ";
      add_waiting(found);
      break;
    case fault_kind::livelock:
      found.reason = "memory has not changed for long; ";
      add_waiting(found);
      break;
    case fault_kind::too_long:
      found.reason =
          fmt::format("no end within {} nominal ms; ", settings_.longest_launch_ns / 1'000'000);
      add_waiting(found);
      break;
    case fault_kind::not_resident:
      found.reason = fmt::format("{} of {} blocks were never started because {} fit; ",
                                 layout_.blocks() - next_block_, layout_.blocks(), blocks_.size());
      add_waiting(found);
      break;
    case fault_kind::divergent_barrier:
      explain_divergence(found);
      break;
    case fault_kind::misused_barrier:
      found.reason = fmt::format(
          "arrives at barrier {} as one of {} threads: there are {} barriers, and all threads at "
          "one must name the same multiple of {}; number 0 is the barrier of __syncthreads()",
          what.lane, what.bytes, named_barriers, warp_size);
      break;
    case fault_kind::wrong_warp_mask:
      found.reason = fmt::format("names lane {} in mask {:#010x}, but that lane does not take part",
                                 what.lane, what.mask);
      break;
    case fault_kind::raw_polling:
      found.threads = {{name_of(*what.subject)}, {"", what.subject->site}};
      found.reason = fmt::format("went through {} basic blocks without any device operation",
                                 settings_.longest_raw_loop);
      found.missing = "a loop that waits must read through an atomic_ref";
      break;
    case fault_kind::stack_overflow:
      found.threads.front().site = nullptr;
      found.reason = fmt::format("needs more than {} bytes of stack", settings_.stack_bytes);
      break;
    case fault_kind::race:
      if (!met_copy_) return races_->found();
      explain_copy(found);
      break;
    case fault_kind::misaligned:
      found.threads.front().site = what.site;
      found.address = place_of(what.address);
      found.reason = fmt::format("accessed {}, which is not a multiple of {} bytes", found.address,
                                 what.bytes);
      break;
    default:
      if (is_late(*what.subject)) {
        explain_late_copy(found);
        break;
      }
      found.threads.front().site = what.site;
      found.address = fmt::format("{}", what.address);
      found.reason = fmt::format("accessed {} bytes at {}, {}", what.bytes, found.address,
                                 explain_address(*what.subject, what.address));
  }
  return found;
}

}  // namespace simt
