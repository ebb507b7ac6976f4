#include <simt/counters.hpp>

namespace simt {

namespace {

std::string kind_name(op_kind kind) {
  if (is_rmw(kind)) return "rmw";
  switch (kind) {
    case op_kind::plain_load:
      return "plain_load";
    case op_kind::plain_store:
      return "plain_store";
    case op_kind::load:
      return "load";
    case op_kind::store:
      return "store";
    case op_kind::fence:
      return "fence";
    case op_kind::sleep:
      return "sleep";
    case op_kind::warp_collective:
      return "warp_collective";
    case op_kind::block_barrier:
      return "block_barrier";
    case op_kind::named_barrier:
      return "named_barrier";
    default:
      return "cluster_barrier";
  }
}

// Plain accesses have no scope, and of the operations without an address only a fence has one.
bool has_scope(op_kind kind) {
  return (kind >= op_kind::load && kind <= op_kind::fetch_max) || kind == op_kind::fence;
}

const char* scope_suffix(std::size_t reach) {
  switch (static_cast<scope>(reach)) {
    case scope::block:
      return "_block";
    case scope::cluster:
      return "_cluster";
    case scope::device:
      return "_device";
    default:
      return "_system";
  }
}

const char* space_suffix(std::size_t where) {
  switch (static_cast<space>(where)) {
    case space::global:
      return "_global";
    case space::shared:
      return "_shared";
    default:
      return "";
  }
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
