// SPDX-License-Identifier: Apache-2.0
// The loop of the interpreter, frames of functions, and what the decoder's own instructions do.
#include <ptx/decode/decoder.hpp>
#include <ptx/execute/machine.hpp>
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

machine::machine(const launch_state& launch)
    : slots_{nullptr, launch.constants.data()},
      launch_(launch),
      shared_(simt::shared_storage()),
      parameters_{nullptr, reinterpret_cast<std::uintptr_t>(launch.parameters.data()),
                  launch.parameters.size()} {}

void machine::call(const function& callee, const std::uint64_t* pointers) {
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
  do next = next->execute(*this, *next);
  while (next != nullptr);
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

const instruction* refuse_instruction(machine&, const instruction& i) {
  fail_at(i, unsupported_instruction);
}

namespace {

const instruction* jump(const instruction& i) {
  if (i.jump <= 0) simt::pass_loop_at(&i);
  return &i + i.jump;
}

}  // namespace

const instruction* jump_if(machine& m, const instruction& i) {
  return m.read(i.from[0]) != 0 ? jump(i) : &i + 1;
}
const instruction* jump_unless(machine& m, const instruction& i) {
  return m.read(i.from[0]) == 0 ? jump(i) : &i + 1;
}
const instruction* jump_always(machine&, const instruction& i) {
  return jump(i);
}
const instruction* return_from_function(machine&, const instruction&) {
  return nullptr;
}
const instruction* take_local_address(machine& m, const instruction& i) {
  m.write(i.to, reinterpret_cast<std::uintptr_t>(m.local()) + static_cast<std::uint64_t>(i.number));
  return &i + 1;
}
const instruction* negate_predicate(machine& m, const instruction& i) {
  m.write(i.to, m.read(i.from[0]) == 0);
  return &i + 1;
}
const instruction* add_offset(machine& m, const instruction& i) {
  m.write(i.to, m.read(i.from[0]) + static_cast<std::uint64_t>(i.number));
  return &i + 1;
}

namespace {

std::uint32_t lane_bit() {
  return 1u << simt::current->lane;
}
std::uint32_t cluster_blocks() {
  return simt::cluster_blocks();
}
/// Reading a clock takes a turn: loops may wait by it.
std::uint64_t clock_at(const instruction& i) {
  simt::perform_at(&i, {.kind = simt::op_kind::sleep});
  return simt::clock_ns();
}

using m_ref = const machine&;
using i_ref = const instruction&;
struct special {
  std::string_view name;
  std::uint64_t (*value)(m_ref, i_ref);
};
constexpr special specials[] = {
    {"%tid.x", [](m_ref, i_ref) -> std::uint64_t { return simt::current->index.x; }},
    {"%tid.y", [](m_ref, i_ref) -> std::uint64_t { return simt::current->index.y; }},
    {"%tid.z", [](m_ref, i_ref) -> std::uint64_t { return simt::current->index.z; }},
    {"%ntid.x", [](m_ref, i_ref) -> std::uint64_t { return simt::block_threads().x; }},
    {"%ntid.y", [](m_ref, i_ref) -> std::uint64_t { return simt::block_threads().y; }},
    {"%ntid.z", [](m_ref, i_ref) -> std::uint64_t { return simt::block_threads().z; }},
    {"%ctaid.x", [](m_ref, i_ref) -> std::uint64_t { return simt::current->block->index.x; }},
    {"%ctaid.y", [](m_ref, i_ref) -> std::uint64_t { return simt::current->block->index.y; }},
    {"%ctaid.z", [](m_ref, i_ref) -> std::uint64_t { return simt::current->block->index.z; }},
    {"%nctaid.x", [](m_ref, i_ref) -> std::uint64_t { return simt::grid_blocks().x; }},
    {"%nctaid.y", [](m_ref, i_ref) -> std::uint64_t { return simt::grid_blocks().y; }},
    {"%nctaid.z", [](m_ref, i_ref) -> std::uint64_t { return simt::grid_blocks().z; }},
    {"%laneid", [](m_ref, i_ref) -> std::uint64_t { return simt::current->lane; }},
    {"%warpid",
     [](m_ref, i_ref) -> std::uint64_t {
       return (simt::current->number - simt::current->block->first_thread) / simt::warp_size;
     }},
    {"%nwarpid",
     [](m_ref, i_ref) -> std::uint64_t {
       return (simt::current->block->threads + simt::warp_size - 1) / simt::warp_size;
     }},
    {"%smid", [](m_ref, i_ref) { return static_cast<std::uint64_t>(simt::current->block->sm); }},
    {"%nsmid",
     [](m_ref, i_ref) { return static_cast<std::uint64_t>(simt::current_settings().gpu.sms); }},
    {"%gridid", [](m_ref, i_ref) -> std::uint64_t { return 1; }},
    {"%lanemask_eq", [](m_ref, i_ref) -> std::uint64_t { return lane_bit(); }},
    {"%lanemask_lt", [](m_ref, i_ref) -> std::uint64_t { return lane_bit() - 1; }},
    {"%lanemask_le", [](m_ref, i_ref) -> std::uint64_t { return lane_bit() | (lane_bit() - 1); }},
    {"%lanemask_gt",
     [](m_ref, i_ref) -> std::uint64_t { return ~(lane_bit() | (lane_bit() - 1)); }},
    {"%lanemask_ge", [](m_ref, i_ref) -> std::uint64_t { return ~(lane_bit() - 1); }},
    {"%clock", [](m_ref, i_ref i) -> std::uint64_t { return clock_at(i) & 0xffffffff; }},
    {"%clock_hi", [](m_ref, i_ref i) { return clock_at(i) >> 32; }},
    {"%clock64", [](m_ref, i_ref i) { return clock_at(i); }},
    {"%globaltimer", [](m_ref, i_ref i) { return clock_at(i); }},
    {"%globaltimer_lo", [](m_ref, i_ref i) -> std::uint64_t { return clock_at(i) & 0xffffffff; }},
    {"%globaltimer_hi", [](m_ref, i_ref i) { return clock_at(i) >> 32; }},
    {"%dynamic_smem_size",
     [](m_ref m, i_ref) -> std::uint64_t {
       return m.launch().shared_bytes - m.launch().static_shared_bytes;
     }},
    {"%total_smem_size", [](m_ref m, i_ref) -> std::uint64_t { return m.launch().shared_bytes; }},
    {"%aggr_smem_size", [](m_ref m, i_ref) -> std::uint64_t { return m.launch().shared_bytes; }},
    {"%envreg1", [](m_ref m, i_ref) { return m.launch().options->grid_workspace >> 32; }},
    {"%envreg2",
     [](m_ref m, i_ref) -> std::uint64_t {
       return m.launch().options->grid_workspace & 0xffffffff;
     }},
    {"%cluster_ctarank", [](m_ref, i_ref) -> std::uint64_t { return simt::cluster_rank(); }},
    {"%cluster_ctaid.x", [](m_ref, i_ref) -> std::uint64_t { return simt::cluster_rank(); }},
    {"%cluster_ctaid.y", [](m_ref, i_ref) -> std::uint64_t { return 0; }},
    {"%cluster_ctaid.z", [](m_ref, i_ref) -> std::uint64_t { return 0; }},
    {"%cluster_nctarank", [](m_ref, i_ref) -> std::uint64_t { return cluster_blocks(); }},
    {"%cluster_nctaid.x", [](m_ref, i_ref) -> std::uint64_t { return cluster_blocks(); }},
    {"%cluster_nctaid.y", [](m_ref, i_ref) -> std::uint64_t { return 1; }},
    {"%cluster_nctaid.z", [](m_ref, i_ref) -> std::uint64_t { return 1; }},
    {"%clusterid.x",
     [](m_ref, i_ref) -> std::uint64_t {
       return simt::current->block->index.x / cluster_blocks();
     }},
    {"%clusterid.y", [](m_ref, i_ref) -> std::uint64_t { return simt::current->block->index.y; }},
    {"%clusterid.z", [](m_ref, i_ref) -> std::uint64_t { return simt::current->block->index.z; }},
    {"%nclusterid.x",
     [](m_ref, i_ref) -> std::uint64_t { return simt::grid_blocks().x / cluster_blocks(); }},
    {"%nclusterid.y", [](m_ref, i_ref) -> std::uint64_t { return simt::grid_blocks().y; }},
    {"%nclusterid.z", [](m_ref, i_ref) -> std::uint64_t { return simt::grid_blocks().z; }},
    {"%is_explicit_cluster", [](m_ref, i_ref) -> std::uint64_t { return cluster_blocks() > 1; }},
    {"WARP_SZ", [](m_ref, i_ref) -> std::uint64_t { return simt::warp_size; }},
};

}  // namespace

std::optional<std::int64_t> special_register(std::string_view name) {
  const auto found = std::find_if(std::begin(specials), std::end(specials),
                                  [&](const special& one) { return one.name == name; });
  if (found == std::end(specials)) return {};
  return found - std::begin(specials);
}

const instruction* read_special(machine& m, const instruction& i) {
  m.write(i.to, specials[i.number].value(m, i));
  return &i + 1;
}

}  // namespace ptx
