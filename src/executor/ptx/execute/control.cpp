// SPDX-License-Identifier: Apache-2.0
// Branches, calls, ends, and waiting for time.
#include <ptx/execute/accesses.hpp>
#include <ptx/execute/builtins.hpp>
#include <ptx/execute/computing.hpp>

#include <array>

namespace ptx {

const instruction* jump_by_table(thread_state& t, const instruction& i) {
  const auto& table = t.running().branch_tables[static_cast<std::size_t>(i.number)];
  const u32 index = t.get<u32>(i.from[0]);
  if (index >= table.size()) fail_at(i, beyond_labels);
  if (table[index] <= 0) simt::pass_loop_at(&i);
  return &i + table[index];
}

namespace {

constexpr std::size_t most_passed = 64;

void decode_branch(decoder& d) {
  d.take(".uni");
  d.expect_count("label", d.operands(), 1);
  d.emit_branch(jump_always, d.syntax(0).text);
}

void decode_branch_table(decoder& d) {
  if (!d.take(".idx")) throw unsupported{};
  d.take(".uni");
  d.emit_branch_table(jump_by_table, d.source(0, type_of<u32>()), d.branch_targets(d.syntax(1)));
}

using pointers = std::array<u64, most_passed>;

pointers passed_to(const thread_state& t, const call_site& site) {
  pointers all;
  for (std::size_t i = 0; i < site.passed.size(); ++i)
    all[i] = reinterpret_cast<u64>(t.local()) + site.passed[i];
  return all;
}

const call_site& site_of(const thread_state& t, const instruction& i) {
  return t.running().calls[static_cast<std::size_t>(i.number)];
}

const instruction* call_known(thread_state& t, const instruction& i) {
  const call_site& site = site_of(t, i);
  t.call(*site.callee, passed_to(t, site).data());
  return t.has_ended() ? nullptr : &i + 1;
}

const instruction* call_address(thread_state& t, const instruction& i) {
  const call_site& site = site_of(t, i);
  const auto known =
      t.launch().code->by_syntax.find(reinterpret_cast<const function_syntax*>(t.read(i.from[0])));
  if (known == t.launch().code->by_syntax.end()) fail_at(i, no_function);
  const function& callee = *known->second;
  if (callee.syntax->results.size() + callee.syntax->parameters.size() != site.passed.size())
    fail_at(i, other_parameters);
  t.call(callee, passed_to(t, site).data());
  return t.has_ended() ? nullptr : &i + 1;
}

template <void (*Builtin)(thread_state&, const instruction&, const u64*)>
const instruction* call_builtin(thread_state& t, const instruction& i) {
  Builtin(t, i, passed_to(t, site_of(t, i)).data());
  return &i + 1;
}

struct builtin {
  std::string_view name;
  handler execute;
  std::vector<std::size_t> passed;  ///< bytes
};
const builtin builtins[] = {
    {"vprintf", call_builtin<print_formatted>, {4, 8, 8}},
    {"__assertfail", call_builtin<fail_assertion>, {8, 8, 4, 8, 8}},
    {"malloc", call_builtin<allocate_memory>, {8, 8}},
    {"free", call_builtin<release_memory>, {8}},
};

void decode_call(decoder& d) {
  d.take(".uni");
  call_site site;
  std::vector<std::size_t> sizes;  // of what is passed
  std::size_t at = 0;
  const auto pass = [&] {
    for (const operand_syntax& one : d.syntax(at).parts) {
      const auto variable = d.local_named(one.text);
      if (!variable) throw unsupported{};
      site.passed.push_back(variable->offset);
      sizes.push_back(variable->bytes);
    }
    ++at;
  };
  const auto is_group = [&] {
    return at < d.operands() && d.syntax(at).what == operand_syntax::kind::group;
  };
  if (is_group()) pass();
  const operand_syntax& callee = d.syntax(at++);
  if (is_group()) pass();
  if (site.passed.size() > most_passed) throw unsupported{};

  instruction one{.number = static_cast<std::int64_t>(d.into().calls.size())};
  if (const function_syntax* const known = d.all().function_named(callee.text)) {
    d.expect_count("parameter", site.passed.size(),
                   known->results.size() + known->parameters.size());
    if (known->has_body) {
      site.callee = d.all().function_of(*known);
      one.execute = call_known;
    } else {
      for (const builtin& candidate : builtins) {
        if (candidate.name == callee.text && candidate.passed == sizes)
          one.execute = candidate.execute;
      }
      if (one.execute == nullptr) throw unsupported{};
      site.is_builtin = true;
      d.all().code().prints |= callee.text == "vprintf";
    }
  } else {
    one.execute = call_address;
    one.from[0] = d.source(callee, type_of<u64>());
  }
  d.into().calls.push_back(std::move(site));
  d.emit(one);
}

const instruction* end_thread(thread_state& t, const instruction&) {
  t.end_thread();
  return nullptr;
}
const instruction* trap(thread_state&, const instruction& i) {
  fail_at(i, trapped);
}
const instruction* sleep(thread_state& t, const instruction& i) {
  simt::perform_at(&i, {.kind = simt::op_kind::sleep, .operand = {t.get<u32>(i.from[0]), 0}});
  return &i + 1;
}

void decode_return(decoder& d) {
  d.take(".uni");
  d.emit({.execute = return_from_function});
}
void decode_sleep(decoder& d) {
  const type of = d.require_type();
  d.emit({.execute = sleep, .from = {d.source(0, of)}});
}
/// Launches follow one another, so that nothing waits.
const instruction* control_dependency(thread_state& t, const instruction& i) {
  if (t.launch().options->at_dependency) t.launch().options->at_dependency(i.number != 0);
  return &i + 1;
}
void decode_dependency(decoder& d) {
  const bool waits = d.take(".wait");
  if (!waits && !d.take(".launch_dependents")) d.refuse("expected .wait or .launch_dependents");
  d.all().code().overlaps_launches = true;
  d.emit({.execute = control_dependency, .number = waits});
}
/// What changes nothing here.
void decode_nothing(decoder& d) {
  d.take_all_beginning_with(".");
}

}  // namespace

std::span<const opcode_row> control_rows() {
  static constexpr opcode_row rows[] = {
      {"bra", decode_branch},
      {"brx", decode_branch_table},
      {"call", decode_call},
      {"ret", decode_return},
      {"exit", [](decoder& d) { d.emit({.execute = end_thread}); }},
      {"trap", [](decoder& d) { d.emit({.execute = trap}); }},
      {"brkpt", [](decoder& d) { d.emit({.execute = trap}); }},
      {"nanosleep", decode_sleep},
      {"pmevent", decode_nothing},
      {"setmaxnreg", decode_nothing},
      {"griddepcontrol", decode_dependency},
  };
  return rows;
}

}  // namespace ptx
