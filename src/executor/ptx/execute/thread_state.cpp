// SPDX-License-Identifier: Apache-2.0
// The loop of the interpreter, frames of functions, and what the decoder's own instructions do.
#include <ptx/decode/decoder.hpp>
#include <ptx/execute/thread_state.hpp>
#include <simt/settings.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include <alloca.h>

namespace ptx {

namespace {

constexpr std::size_t local_alignment = 128;
constexpr std::size_t room_for_errors = 4 * 1024;
constexpr int what_memory_begins_with = 0xcd;  // the same in each run

}  // namespace

thread_state::thread_state(const launch_state& launch)
    : slots_{nullptr, launch.constants.data()},
      launch_(launch),
      shared_(simt::shared_storage()),
      parameters_{nullptr, reinterpret_cast<std::uintptr_t>(launch.parameters.data()),
                  launch.parameters.size()} {}

void thread_state::call(const function& callee, const std::uint64_t* pointers) {
  const std::size_t frame = callee.slots * sizeof(std::uint64_t);
  const std::size_t bytes = frame + callee.local_bytes + local_alignment;
  const std::size_t needed = bytes + room_for_errors;
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  if (here - simt::current->stack_end < needed || here < simt::current->stack_end) {
    throw simt::execution_error(
        {.kind = simt::fault_kind::instruction,
         .rule = "calls-nested-too-deeply",
         .reason = fmt::format("{} finds no room on its stack: calls are nested too deeply",
                               callee.syntax->name)});
  }
  auto* const slots = static_cast<std::uint64_t*>(alloca(bytes));
  std::memset(slots, 0, frame);
  const std::size_t pointed = callee.syntax->results.size() + callee.syntax->parameters.size();
  std::copy_n(pointers, pointed, slots + callee.first_pointer);
  const auto end_of_slots = reinterpret_cast<std::uintptr_t>(slots) + frame;
  auto* const local = reinterpret_cast<std::byte*>((end_of_slots + local_alignment - 1) /
                                                   local_alignment * local_alignment);
  std::memset(local, what_memory_begins_with, callee.local_bytes);

  const private_memory mine{private_, reinterpret_cast<std::uintptr_t>(local), callee.local_bytes};
  const auto caller = std::tuple(slots_[0], running_, local_, private_);
  slots_[0] = slots;
  running_ = &callee;
  local_ = local;
  private_ = &mine;
  const instruction* next = callee.code.data();
  do {
    next->has_run = true;
    next = next->execute(*this, *next);
  } while (next != nullptr);
  std::tie(slots_[0], running_, local_, private_) = caller;
}

void fail_at(const instruction& where, simt::fault what) {
  const bool is_async = simt::current->started_by != nullptr;
  const simt::thread& self = is_async ? *simt::current->started_by : *simt::current;
  what.threads = {{opcode_of(where), &where},
                  {fmt::format("block {}, thread {}", self.block->number,
                               self.number - self.block->first_thread)}};
  throw simt::execution_error(std::move(what));
}

void fail_at(const instruction& where, const failure& what) {
  fail_at(where, {.kind = simt::fault_kind::instruction, .rule = what.rule, .reason = what.words});
}

const instruction* refuse_instruction(thread_state&, const instruction& i) {
  fail_at(i, unsupported_instruction);
}

namespace {

const instruction* jump(const instruction& i) {
  if (i.jump <= 0) simt::pass_loop_at(&i);
  return &i + i.jump;
}

}  // namespace

const instruction* jump_if(thread_state& t, const instruction& i) {
  return t.read(i.from[0]) != 0 ? jump(i) : &i + 1;
}
const instruction* jump_unless(thread_state& t, const instruction& i) {
  return t.read(i.from[0]) == 0 ? jump(i) : &i + 1;
}
const instruction* jump_always(thread_state&, const instruction& i) {
  return jump(i);
}
const instruction* return_from_function(thread_state&, const instruction&) {
  return nullptr;
}
const instruction* take_local_address(thread_state& t, const instruction& i) {
  t.write(i.to, reinterpret_cast<std::uintptr_t>(t.local()) + static_cast<std::uint64_t>(i.number));
  return &i + 1;
}
const instruction* negate_predicate(thread_state& t, const instruction& i) {
  t.write(i.to, t.read(i.from[0]) == 0);
  return &i + 1;
}
const instruction* add_offset(thread_state& t, const instruction& i) {
  t.write(i.to, t.read(i.from[0]) + static_cast<std::uint64_t>(i.number));
  return &i + 1;
}

namespace {

std::uint32_t lane_bit() {
  return 1u << simt::current->lane;
}
std::uint32_t cluster_blocks() {
  return simt::cluster_blocks();
}
simt::coordinates place_in_cluster() {
  return simt::remainder(simt::current->block->index, simt::cluster_extents());
}
simt::coordinates cluster_index() {
  return simt::quotient(simt::current->block->index, simt::cluster_extents());
}
simt::coordinates clusters_of_grid() {
  return simt::quotient(simt::grid_blocks(), simt::cluster_extents());
}
/// Reading a clock takes a turn: loops may wait by it.
std::uint64_t clock_at(const instruction& i) {
  simt::perform_at(&i, {.kind = simt::op_kind::sleep});
  return simt::clock_ns();
}

using t_ref = const thread_state&;
using i_ref = const instruction&;
struct special {
  std::string_view name;
  std::uint64_t (*value)(t_ref, i_ref);
};
constexpr special specials[] = {
    {"%tid.x", [](t_ref, i_ref) -> std::uint64_t { return simt::current->index.x; }},
    {"%tid.y", [](t_ref, i_ref) -> std::uint64_t { return simt::current->index.y; }},
    {"%tid.z", [](t_ref, i_ref) -> std::uint64_t { return simt::current->index.z; }},
    {"%ntid.x", [](t_ref, i_ref) -> std::uint64_t { return simt::block_threads().x; }},
    {"%ntid.y", [](t_ref, i_ref) -> std::uint64_t { return simt::block_threads().y; }},
    {"%ntid.z", [](t_ref, i_ref) -> std::uint64_t { return simt::block_threads().z; }},
    {"%ctaid.x", [](t_ref, i_ref) -> std::uint64_t { return simt::current->block->index.x; }},
    {"%ctaid.y", [](t_ref, i_ref) -> std::uint64_t { return simt::current->block->index.y; }},
    {"%ctaid.z", [](t_ref, i_ref) -> std::uint64_t { return simt::current->block->index.z; }},
    {"%nctaid.x", [](t_ref, i_ref) -> std::uint64_t { return simt::grid_blocks().x; }},
    {"%nctaid.y", [](t_ref, i_ref) -> std::uint64_t { return simt::grid_blocks().y; }},
    {"%nctaid.z", [](t_ref, i_ref) -> std::uint64_t { return simt::grid_blocks().z; }},
    {"%laneid", [](t_ref, i_ref) -> std::uint64_t { return simt::current->lane; }},
    {"%warpid",
     [](t_ref, i_ref) -> std::uint64_t {
       return (simt::current->number - simt::current->block->first_thread) / simt::warp_size;
     }},
    {"%nwarpid",
     [](t_ref, i_ref) -> std::uint64_t {
       return (simt::current->block->threads + simt::warp_size - 1) / simt::warp_size;
     }},
    {"%smid", [](t_ref, i_ref) { return static_cast<std::uint64_t>(simt::current->block->sm); }},
    {"%nsmid",
     [](t_ref, i_ref) { return static_cast<std::uint64_t>(simt::current_settings().gpu.sms); }},
    {"%gridid", [](t_ref, i_ref) -> std::uint64_t { return 1; }},
    {"%lanemask_eq", [](t_ref, i_ref) -> std::uint64_t { return lane_bit(); }},
    {"%lanemask_lt", [](t_ref, i_ref) -> std::uint64_t { return lane_bit() - 1; }},
    {"%lanemask_le", [](t_ref, i_ref) -> std::uint64_t { return lane_bit() | (lane_bit() - 1); }},
    {"%lanemask_gt",
     [](t_ref, i_ref) -> std::uint64_t { return ~(lane_bit() | (lane_bit() - 1)); }},
    {"%lanemask_ge", [](t_ref, i_ref) -> std::uint64_t { return ~(lane_bit() - 1); }},
    {"%clock", [](t_ref, i_ref i) -> std::uint64_t { return clock_at(i) & 0xffffffff; }},
    {"%clock_hi", [](t_ref, i_ref i) { return clock_at(i) >> 32; }},
    {"%clock64", [](t_ref, i_ref i) { return clock_at(i); }},
    {"%globaltimer", [](t_ref, i_ref i) { return clock_at(i); }},
    {"%globaltimer_lo", [](t_ref, i_ref i) -> std::uint64_t { return clock_at(i) & 0xffffffff; }},
    {"%globaltimer_hi", [](t_ref, i_ref i) { return clock_at(i) >> 32; }},
    {"%dynamic_smem_size",
     [](t_ref t, i_ref) -> std::uint64_t {
       return t.launch().shared_bytes - t.launch().static_shared_bytes;
     }},
    {"%total_smem_size", [](t_ref t, i_ref) -> std::uint64_t { return t.launch().shared_bytes; }},
    {"%aggr_smem_size", [](t_ref t, i_ref) -> std::uint64_t { return t.launch().shared_bytes; }},
    {"%envreg1", [](t_ref t, i_ref) { return t.launch().options->grid_workspace >> 32; }},
    {"%envreg2",
     [](t_ref t, i_ref) -> std::uint64_t {
       return t.launch().options->grid_workspace & 0xffffffff;
     }},
    {"%cluster_ctarank", [](t_ref, i_ref) -> std::uint64_t { return simt::cluster_rank(); }},
    {"%cluster_ctaid.x", [](t_ref, i_ref) -> std::uint64_t { return place_in_cluster().x; }},
    {"%cluster_ctaid.y", [](t_ref, i_ref) -> std::uint64_t { return place_in_cluster().y; }},
    {"%cluster_ctaid.z", [](t_ref, i_ref) -> std::uint64_t { return place_in_cluster().z; }},
    {"%cluster_nctarank", [](t_ref, i_ref) -> std::uint64_t { return cluster_blocks(); }},
    {"%cluster_nctaid.x", [](t_ref, i_ref) -> std::uint64_t { return simt::cluster_extents().x; }},
    {"%cluster_nctaid.y", [](t_ref, i_ref) -> std::uint64_t { return simt::cluster_extents().y; }},
    {"%cluster_nctaid.z", [](t_ref, i_ref) -> std::uint64_t { return simt::cluster_extents().z; }},
    {"%clusterid.x", [](t_ref, i_ref) -> std::uint64_t { return cluster_index().x; }},
    {"%clusterid.y", [](t_ref, i_ref) -> std::uint64_t { return cluster_index().y; }},
    {"%clusterid.z", [](t_ref, i_ref) -> std::uint64_t { return cluster_index().z; }},
    {"%nclusterid.x", [](t_ref, i_ref) -> std::uint64_t { return clusters_of_grid().x; }},
    {"%nclusterid.y", [](t_ref, i_ref) -> std::uint64_t { return clusters_of_grid().y; }},
    {"%nclusterid.z", [](t_ref, i_ref) -> std::uint64_t { return clusters_of_grid().z; }},
    {"%is_explicit_cluster", [](t_ref, i_ref) -> std::uint64_t { return cluster_blocks() > 1; }},
    {"WARP_SZ", [](t_ref, i_ref) -> std::uint64_t { return simt::warp_size; }},
};

}  // namespace

std::optional<std::int64_t> special_register(std::string_view name) {
  const auto found = std::find_if(std::begin(specials), std::end(specials),
                                  [&](const special& one) { return one.name == name; });
  if (found == std::end(specials)) return {};
  return found - std::begin(specials);
}

const instruction* read_special(thread_state& t, const instruction& i) {
  t.write(i.to, specials[i.number].value(t, i));
  return &i + 1;
}

}  // namespace ptx
