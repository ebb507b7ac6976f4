// SPDX-License-Identifier: Apache-2.0
#include <simt/counters.hpp>
#include <simt/names.hpp>

namespace simt {

namespace {

std::string kind_name(op_kind kind) {
  if (is_rmw(kind)) return "rmw";
  using enum op_kind;
  static constexpr std::pair<op_kind, const char*> names[] = {{plain_load, "plain_load"},
                                                              {plain_store, "plain_store"},
                                                              {load, "load"},
                                                              {store, "store"},
                                                              {fence, "fence"},
                                                              {sleep, "sleep"},
                                                              {warp_collective, "warp_collective"},
                                                              {block_barrier, "block_barrier"},
                                                              {named_barrier, "named_barrier"},
                                                              {cluster_barrier, "cluster_barrier"}};
  return name_in(names, kind);
}

// Plain accesses have no scope, and of the operations without an address only a fence has one.
bool has_scope(op_kind kind) {
  return (kind >= op_kind::load && kind <= op_kind::fetch_max) || kind == op_kind::fence;
}

const char* scope_suffix(std::size_t reach) {
  using enum scope;
  static constexpr std::pair<scope, const char*> names[] = {
      {block, "_block"}, {cluster, "_cluster"}, {device, "_device"}, {system, "_system"}};
  return name_in(names, static_cast<scope>(reach));
}

const char* space_suffix(std::size_t where) {
  using enum space;
  static constexpr std::pair<space, const char*> names[] = {
      {none, ""}, {global, "_global"}, {shared, "_shared"}};
  return name_in(names, static_cast<space>(where));
}

}  // namespace

std::uint64_t counters::total() const {
  std::uint64_t sum = 0;
  for (const auto& by_scope : operations_) {
    for (const auto& by_space : by_scope) {
      for (const std::uint64_t count : by_space) sum += count;
    }
  }
  return sum;
}

std::map<std::string, double> counters::by_name() const {
  std::map<std::string, double> named;
  for (std::size_t kind = 0; kind < op_kinds; ++kind) {
    for (std::size_t reach = 0; reach < scopes; ++reach) {
      for (std::size_t where = 0; where < spaces; ++where) {
        const std::uint64_t count = operations_[kind][reach][where];
        if (count == 0) continue;
        const auto what = static_cast<op_kind>(kind);
        named[kind_name(what) + (has_scope(what) ? scope_suffix(reach) : "") +
              space_suffix(where)] += static_cast<double>(count);
      }
    }
  }
  for (std::size_t where = 0; where < spaces; ++where) {
    if (polls_[where] > 0) {
      named[std::string("poll") + space_suffix(where)] = static_cast<double>(polls_[where]);
    }
  }
  return named;
}

}  // namespace simt
