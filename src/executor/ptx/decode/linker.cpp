// SPDX-License-Identifier: Apache-2.0
// What a kernel reaches: functions, constants, shared memory.
#include <ptx/decode/decoder.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace ptx {

namespace {

constexpr std::size_t most_shared_bytes = 1 << 24;  // addresses have the block's rank above

bool is_by_address(const call_site& site) {
  return site.callee == nullptr && !site.is_builtin;
}

}  // namespace

const function_syntax* linker::function_named(std::string_view name) const {
  const auto& all = code_.module.functions;
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const function_syntax& f) { return f.name == name; });
  return found == all.end() ? nullptr : &*found;
}

const function* linker::function_of(const function_syntax& which) {
  const auto known = code_.by_syntax.find(&which);
  if (known != code_.by_syntax.end()) return known->second;
  code_.functions.push_back({.syntax = &which});
  return code_.by_syntax[&which] = &code_.functions.back();
}

operand linker::constant(std::uint64_t value) {
  const auto [known, is_new] =
      known_constants_.try_emplace(value, static_cast<std::uint32_t>(code_.constants.size()));
  if (is_new) code_.constants.push_back(value);
  return operand::of_constant(known->second);
}

std::optional<operand> linker::variable_address(std::string_view name, std::int64_t addend,
                                                address_space& space) {
  const auto fresh = [&](std::uint64_t value) {
    code_.constants.push_back(value);
    return static_cast<std::uint32_t>(code_.constants.size() - 1);
  };
  const auto& variables = code_.module.variables;
  for (std::uint32_t i = 0; i < variables.size(); ++i) {
    const variable& one = variables[i];
    if (one.name != name) continue;
    if (one.space != state_space::shared) {
      space = one.space == state_space::global ? address_space::global : address_space::constant;
      const std::uint32_t slot = fresh(0);
      code_.addresses.push_back({slot, i, addend});
      return operand::of_constant(slot);
    }
    space = address_space::shared;
    if (one.bytes == 0) {
      code_.shared_alignment = std::max(code_.shared_alignment, one.alignment);
      dynamic_shared_.push_back(fresh(static_cast<std::uint64_t>(addend)));
      return operand::of_constant(dynamic_shared_.back());
    }
    const std::uint32_t offset =
        place_shared(one.name, {one.name, address_space::shared, one.bytes, one.alignment});
    return constant(offset + static_cast<std::uint64_t>(addend));
  }
  const function_syntax* const function = function_named(name);
  if (function == nullptr) return {};
  if (function->has_body) function_of(*function);
  return constant(reinterpret_cast<std::uintptr_t>(function));
}

std::uint32_t linker::place_shared(std::string_view name, const memory_syntax& what) {
  const auto known = shared_.find(name);
  if (known != shared_.end()) return known->second;
  const std::size_t offset = aligned(kernel_.static_shared_bytes, what.alignment);
  kernel_.static_shared_bytes = offset + what.bytes;
  if (kernel_.static_shared_bytes >= most_shared_bytes)
    throw error(fmt::format("{} declares more shared memory than a block may have", kernel_.name));
  return shared_[name] = static_cast<std::uint32_t>(offset);
}

void linker::finish() {
  bool calls_by_address = false;
  std::size_t decoded = 0;
  const auto decode_rest = [&] {
    for (; decoded < code_.functions.size(); ++decoded) {
      function& next = code_.functions[decoded];
      decoder(*this, next).run();
      kernel_.instructions += next.code.size();
      for (const call_site& site : next.calls) calls_by_address |= is_by_address(site);
    }
  };
  decode_rest();
  if (calls_by_address) {
    for (const variable& one : code_.module.variables) {
      for (const auto& address : one.addresses)
        if (const function_syntax* function = function_named(address.name);
            function != nullptr && function->has_body) {
          function_of(*function);
        }
    }
    decode_rest();
  }
  if (!dynamic_shared_.empty()) {
    kernel_.static_shared_bytes =
        aligned(kernel_.static_shared_bytes, std::max<std::size_t>(code_.shared_alignment, 16));
  }
  for (const std::uint32_t slot : dynamic_shared_)
    code_.constants[slot] += kernel_.static_shared_bytes;
}

namespace {

constexpr std::size_t longest_chain = 1000;        // of calls
constexpr std::size_t most_frame_bytes = 1 << 20;  // of a thread: registers, local memory

/// The most that a chain of calls needs at once; a circle counts once.
void measure(const program& code, kernel& to) {
  struct sizes {
    std::size_t registers = 0, local = 0;
    bool known = false;
  };
  std::unordered_map<const function*, sizes> all;
  const auto of = [&](const auto& self, const function& f, std::size_t depth) -> sizes {
    if (depth > longest_chain) throw error(fmt::format("{} nests calls too deeply", to.name));
    sizes& mine = all[&f];
    if (mine.known) return mine;
    mine.known = true;
    sizes deepest;
    for (const call_site& site : f.calls) {
      if (site.callee == nullptr) continue;
      const sizes below = self(self, *site.callee, depth + 1);
      deepest.registers = std::max(deepest.registers, below.registers);
      deepest.local = std::max(deepest.local, below.local);
    }
    return all[&f] = {f.slots * sizeof(std::uint64_t) + deepest.registers,
                      f.local_bytes + deepest.local, true};
  };
  const sizes needed = of(of, code.functions.front(), 0);
  to.register_bytes = needed.registers;
  to.local_bytes = needed.local;
  if (to.register_bytes > most_frame_bytes || to.local_bytes > most_frame_bytes)
    throw error(fmt::format("{} needs more than 1 MiB of registers or local memory", to.name));
  std::size_t others = 0;  // called by address, at any place
  for (const function& f : code.functions)
    others = std::max(others, f.slots * sizeof(std::uint64_t) + f.local_bytes);
  const bool by_address = std::any_of(
      code.functions.begin(), code.functions.end(),
      [](const function& f) { return std::any_of(f.calls.begin(), f.calls.end(), is_by_address); });
  if (by_address) to.local_bytes += 4 * others;
}

}  // namespace

std::shared_ptr<program> decode(const module_syntax& module, const function_syntax& entry,
                                kernel& to) {
  auto code = std::make_shared<program>(module);
  to.name = entry.name;
  for (const memory_syntax& p : entry.parameters) {
    const std::size_t offset = aligned(to.parameter_bytes, p.alignment);
    to.parameters.push_back({offset, p.bytes, p.alignment});
    to.parameter_bytes = offset + p.bytes;
  }
  const auto attribute = [&](std::string_view name) {
    const auto found = entry.attributes.find(name);
    return found == entry.attributes.end() ? kernel::extent{} : found->second;
  };
  to.most_threads = attribute(".maxntid");
  to.required_threads = attribute(".reqntid");
  to.cluster_blocks = attribute(".reqnctapercluster");
  to.is_cluster_explicit = entry.attributes.contains(".explicitcluster");
  linker all(*code, to);
  all.function_of(entry);
  all.finish();
  measure(*code, to);
  to.overlaps_launches = code->overlaps_launches;
  to.fences_system = code->fences_system;
  to.code = code;
  return code;
}

}  // namespace ptx
