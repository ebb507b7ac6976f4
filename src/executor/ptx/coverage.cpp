// SPDX-License-Identifier: Apache-2.0
#include <ptx/coverage.hpp>
#include <ptx/decode/program.hpp>

#include <algorithm>
#include <set>

namespace ptx {

namespace {

using names = std::set<std::string_view>;

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> all) {
  return std::find(all.begin(), all.end(), word) != all.end();
}

bool has(const statement& s, std::initializer_list<std::string_view> modifiers) {
  return std::any_of(s.modifiers.begin(), s.modifiers.end(),
                     [&](std::string_view one) { return is_one_of(one, modifiers); });
}

void add_names(const operand_syntax& from, names& to) {
  if (from.what == operand_syntax::kind::name) to.insert(from.text);
  for (const operand_syntax& part : from.parts) add_names(part, to);
}

bool is_barrier(const statement& s) {
  return is_one_of(s.opcode, {"bar", "barrier"}) ||
         (s.opcode == "mbarrier" && has(s, {".test_wait", ".try_wait"}));
}

bool is_access(const statement& s) {
  if (is_one_of(s.opcode, {"ldmatrix", "stmatrix", "atom", "red"})) return true;
  if (s.opcode == "wmma") return has(s, {".load", ".store"});
  if (s.opcode == "cp")
    return !has(s, {".commit_group", ".wait_group", ".wait_all", ".mbarrier", ".prefetch"});
  return is_one_of(s.opcode, {"ld", "ldu", "st"}) &&
         !has(s, {".param", ".param::entry", ".param::func", ".local", ".const"});
}

bool is_skipped(const statement& s) {
  if (s.opcode == "fence") return has(s, {".proxy"}) && !has(s, {".async", ".async::generic"});
  return is_one_of(s.opcode,
                   {"prefetch", "prefetchu", "applypriority", "discard", "createpolicy"}) ||
         (s.opcode == "cp" && has(s, {".prefetch"}));
}

/// PTX leaves the last bits open; or it is a clock.
bool is_approximate(const statement& s) {
  if (has(s, {".approx", ".full"})) return true;
  if (s.opcode == "mma" || (s.opcode == "wmma" && has(s, {".mma"}))) return !has(s, {".s32"});
  if (s.opcode != "mov" || s.operands.size() < 2) return false;
  const std::string_view from = s.operands[1].text;
  return from.starts_with("%clock") || from.starts_with("%globaltimer");
}

bool writes_first(const statement& s) {
  const bool to_parameter = s.opcode == "st" && has(s, {".param", ".param::func"});
  return to_parameter || !(is_one_of(s.opcode, {"st", "red", "bra", "brx", "call", "cp"}) ||
                           is_barrier(s) || is_skipped(s));
}

bool meet(const names& a, const names& b) {
  return std::any_of(a.begin(), a.end(), [&](std::string_view one) { return b.contains(one); });
}

/// What the statement reads: all, or its addresses alone.
names read_by(const statement& s, bool addresses) {
  names all;
  for (std::size_t i = !addresses && writes_first(s) ? 1 : 0; i < s.operands.size(); ++i)
    if (!addresses || s.operands[i].what == operand_syntax::kind::address)
      add_names(s.operands[i], all);
  return all;
}

void follow(const function_syntax& in, const statement& from, inexact_instruction& to) {
  names reached;
  add_names(from.operands.front(), reached);
  for (std::size_t before = 0; before != reached.size();) {
    before = reached.size();
    for (const statement& s : in.statements) {
      if (s.operands.empty() || !writes_first(s) || !meet(read_by(s, false), reached)) continue;
      add_names(s.operands.front(), reached);
    }
  }
  for (const statement& s : in.statements) {
    to.feeds_address |= is_access(s) && meet(read_by(s, true), reached);
    to.feeds_branch |=
        reached.contains(s.guard) || (s.opcode == "brx" && meet(read_by(s, false), reached));
  }
}

void add(const module_syntax& module, const function& in, coverage& to) {
  const auto& statements = in.syntax->statements;
  std::vector<bool> has_run(statements.size());
  // The last one of a statement is what it does; a guard and its addresses come before.
  for (const instruction& each : in.code)
    if (each.statement < has_run.size()) has_run[each.statement] = each.has_run;
  for (std::size_t i = 0; i < statements.size(); ++i) {
    const statement& s = statements[i];
    if (is_access(s) || is_barrier(s))
      to.sites.push_back({source_line(module, s.location), is_barrier(s), has_run[i]});
    if (!is_skipped(s) && !(is_approximate(s) && has_run[i])) continue;
    std::string opcode(s.opcode);
    for (const std::string_view modifier : s.modifiers) opcode += modifier;
    if (s.opcode == "mov") opcode = s.operands[1].text;
    inexact_instruction found{opcode, source_line(module, s.location), is_skipped(s)};
    if (!found.is_skipped) follow(*in.syntax, s, found);
    to.inexact.push_back(std::move(found));
  }
}

}  // namespace

coverage coverage_of(const kernel& which) {
  coverage all;
  for (const function& each : which.code->functions) add(which.code->module, each, all);
  return all;
}

}  // namespace ptx
