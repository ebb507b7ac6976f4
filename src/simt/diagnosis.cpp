// The readable report of a launch that cannot finish.
#include <simt/access_text.hpp>
#include <simt/executor.hpp>
#include <simt/names.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <map>

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
  return fmt::format("block {}, thread {}", t.block->number, t.number - t.block->first_thread);
}

/// Where live threads are, by state.
std::string executor::thread_summary() const {
  std::size_t in[thread_states] = {};
  for (const thread& t : threads_) ++in[static_cast<std::size_t>(t.state)];
  std::string text = fmt::format("{} live threads", live_threads_);
  const auto add = [&](thread_state state, const char* what) {
    const std::size_t count = in[static_cast<std::size_t>(state)];
    if (count > 0) text += fmt::format(", {} {}", count, what);
  };
  add(thread_state::runnable, "running");
  add(thread_state::asleep, "in nanosleep");
  add(thread_state::at_barrier, "at __syncthreads()");
  add(thread_state::at_cluster_barrier, "at the cluster's barrier");
  add(thread_state::at_named_barrier, "at named barriers");
  add(thread_state::at_collective, "at a warp collective");
  return text;
}

/// An address of global or shared memory, by its offset.
std::string executor::place_of(const void* address) const {
  if (global_.contains(address)) {
    return fmt::format("global memory +{:#x}", global_.offset(address));
  }
  const auto into = static_cast<const std::byte*>(address) - blocks_.front().shared;
  return fmt::format("shared memory +{:#x}", static_cast<std::size_t>(into) % shared_stride_);
}

/// The addresses that live threads read last: how many poll each, the value found, the last writer.
std::string executor::poll_targets() const {
  std::map<const void*, std::pair<std::size_t, std::uint64_t>> polled;
  for (const thread& t : threads_) {
    if (t.state != thread_state::runnable && t.state != thread_state::asleep) continue;
    const std::size_t newest = t.recent.newest;
    if (t.recent.address[newest] == nullptr) continue;
    auto& entry = polled[t.recent.address[newest]];
    ++entry.first;
    entry.second = t.recent.value[newest];
  }
  std::vector<std::pair<const void*, std::pair<std::size_t, std::uint64_t>>> by_waiters(
      polled.begin(), polled.end());
  std::stable_sort(by_waiters.begin(), by_waiters.end(),
                   [](const auto& a, const auto& b) { return a.second.first > b.second.first; });
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(3, by_waiters.size()); ++i) {
    const auto& [address, waiters] = by_waiters[i];
    text += fmt::format("; {} poll {}, which holds {}", waiters.first, place_of(address),
                        waiters.second);
    const last_write& write = last_writes_[global_.offset(address) / 4 % last_writes_.size()];
    if (write.address == address) {
      text += fmt::format(" (last written by block {}, thread {})", write.block, write.thread);
    } else if (write.address == nullptr) {
      text += " (never written in this launch)";
    }
  }
  return text;
}

/// What is near an address that no access may use.
std::string executor::explain_address(const thread& by, const void* address) const {
  if (global_.contains(address)) return global_.neighbourhood(address);
  const auto* at = static_cast<const std::byte*>(address);
  if (const block_state* owner = owner_in_cluster(by, at, 1);
      owner != nullptr && owner->live == 0) {
    return fmt::format("in the shared storage of block {} of its cluster, which has ended",
                       owner->number);
  }
  for (const block_state& block : blocks_) {
    if (at < block.shared || at >= block.shared + shared_stride_) continue;
    return fmt::format("{} bytes into {} shared storage of {} bytes", at - block.shared,
                       &block == by.block ? "its block's" : fmt::format("block {}'s", block.number),
                       grid_.shared_bytes);
  }
  return "which is neither in a device buffer nor in its block's shared storage";
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

std::string executor::diagnose() const {
  const failure& what = *failure_;
  std::string text = fmt::format("{}: ", to_string(what.kind));
  switch (what.kind) {
    case fault_kind::deadlock:
      return text + "no thread can run; " + thread_summary();
    case fault_kind::livelock:
      return text + "memory has not changed for long; " + thread_summary() + poll_targets();
    case fault_kind::too_long:
      return text +
             fmt::format("no end within {} nominal ms; ", settings_.longest_launch_ns / 1'000'000) +
             thread_summary() + poll_targets();
    case fault_kind::not_resident:
      return text +
             fmt::format("{} of {} blocks were never started because {} fit; ",
                         grid_blocks_ - next_block_, grid_blocks_, blocks_.size()) +
             thread_summary() + poll_targets();
    case fault_kind::divergent_barrier:
      return text + fmt::format("{} {}, while {} of its block's {} threads wait at __syncthreads()",
                                name_of(*what.subject),
                                what.subject->state == thread_state::runnable &&
                                        what.subject->block->live < what.subject->block->threads
                                    ? "arrives at __syncthreads() after others have ended"
                                    : "ends",
                                what.subject->block->at_barrier, what.subject->block->threads);
    case fault_kind::misused_barrier:
      return text + fmt::format(
                        "{} arrives at barrier {} as one of {} threads: there are {} barriers, and "
                        "all threads at one must name the same multiple of {}",
                        name_of(*what.subject), what.lane, what.bytes, named_barriers, warp_size);
    case fault_kind::wrong_warp_mask:
      return text +
             fmt::format("{} names lane {} in mask {:#010x}, but that lane does not take part",
                         name_of(*what.subject), what.lane, what.mask);
    case fault_kind::raw_polling:
      return text + fmt::format(
                        "{} went through {} basic blocks without any device operation; a loop that "
                        "waits must read through an atomic_ref",
                        name_of(*what.subject), longest_raw_loop);
    case fault_kind::stack_overflow:
      return text + fmt::format("{} needs more than {} bytes of stack", name_of(*what.subject),
                                settings_.stack_bytes);
    case fault_kind::race:
      return text + (met_copy_ ? explain_copy() : races_->describe());
    case fault_kind::misaligned:
      return text + fmt::format("{} accessed {}, which is not a multiple of {} bytes",
                                name_of(*what.subject), place_of(what.address), what.bytes);
    default:
      return text + fmt::format("{} accessed {} bytes at {}, {}", name_of(*what.subject),
                                what.bytes, what.address,
                                explain_address(*what.subject, what.address));
  }
}

}  // namespace simt
