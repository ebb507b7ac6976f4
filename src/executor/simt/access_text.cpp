// SPDX-License-Identifier: Apache-2.0
#include <simt/access_text.hpp>
#include <simt/names.hpp>

#include <fmt/format.h>

namespace simt {

const char* adjective(scope reach) {
  using enum scope;
  static constexpr std::pair<scope, const char*> names[] = {
      {block, "block"}, {cluster, "cluster"}, {device, "device"}, {system, "system"}};
  return name_in(names, reach);
}

const char* to_string(op_kind kind) {
  using enum op_kind;
  static constexpr std::pair<op_kind, const char*> names[] = {
      {plain_load, "plain load"}, {plain_store, "plain store"},
      {load, "atomic load"},      {store, "atomic store"},
      {exchange, "exchange"},     {compare_exchange, "compare-exchange"},
      {fetch_add, "fetch_add"},   {fetch_and, "fetch_and"},
      {fetch_or, "fetch_or"},     {fetch_xor, "fetch_xor"},
      {fetch_min, "fetch_min"},   {fetch_max, "fetch_max"}};
  return name_in(names, kind);
}

std::string access_text(op_kind kind, scope reach, std::size_t bytes) {
  const bool is_atomic = kind > op_kind::plain_store;
  return fmt::format("{}{}{} of {} bytes", is_atomic ? adjective(reach) : "",
                     is_atomic ? "-scope " : "", to_string(kind), bytes);
}

std::string place_text(const code_place& site) {
  const std::string where = source_position(site);
  return where.empty() ? "" : fmt::format(" ({})", where);
}

}  // namespace simt
