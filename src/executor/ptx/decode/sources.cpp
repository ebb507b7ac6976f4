// SPDX-License-Identifier: Apache-2.0
// Where decoded instructions come from, for reports.
#include <ptx/decode/program.hpp>

#include <algorithm>
#include <map>
#include <mutex>

namespace ptx {

namespace {

/// All instructions of living programs, by the end of their ranges.
struct registry {
  struct range {
    const instruction* first;
    const function* of;
    std::weak_ptr<const program> code;
  };
  std::mutex mutex;
  std::map<std::uintptr_t, range> ranges;

  static registry& get() {
    static registry of_process;
    return of_process;
  }
};

struct found_instruction {
  const statement* what = nullptr;
  std::string line;
};

found_instruction find(const void* site) {
  registry& all = registry::get();
  const std::lock_guard lock(all.mutex);
  const auto at = reinterpret_cast<std::uintptr_t>(site);
  const auto range = all.ranges.upper_bound(at);
  if (range == all.ranges.end() || at < reinterpret_cast<std::uintptr_t>(range->second.first)) {
    return {};
  }
  const auto code = range->second.code.lock();
  if (!code) return {};
  const auto& statements = range->second.of->syntax->statements;
  const std::uint32_t index = static_cast<const instruction*>(site)->statement;
  if (index >= statements.size()) return {};
  return {&statements[index], source_line(code->module, statements[index].location)};
}

const bool explains = simt::explain_sites_with(source_of);

}  // namespace

void make_known(const std::shared_ptr<program>& which) {
  registry& all = registry::get();
  const std::lock_guard lock(all.mutex);
  std::erase_if(all.ranges, [](const auto& one) { return one.second.code.expired(); });
  for (const function& f : which->functions) {
    const auto end = reinterpret_cast<std::uintptr_t>(f.code.data() + f.code.size());
    all.ranges[end] = {f.code.data(), &f, which};
  }
}

std::string source_of(const void* instruction) {
  return find(instruction).line;
}

std::string opcode_of(const instruction& which) {
  const found_instruction found = find(&which);
  if (found.what == nullptr) return "an instruction";
  std::string text(found.what->opcode);
  for (const std::string_view modifier : found.what->modifiers) text += modifier;
  return text;
}

}  // namespace ptx
