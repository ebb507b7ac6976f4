// SPDX-License-Identifier: Apache-2.0
#include <ptx/decode/program.hpp>
#include <ptx/module.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <mutex>

namespace ptx {

struct loaded_module::parts {
  std::vector<std::string> texts;  // the syntax refers to them
  module_syntax syntax;
  std::vector<std::string> kernels;
  std::vector<void*> placed;  // of syntax.variables
  mutable std::mutex mutex;
  mutable std::map<std::string, std::unique_ptr<kernel>, std::less<>> decoded;

  std::size_t index_of(std::string_view name) const {
    const auto& all = syntax.variables;
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const variable& v) { return v.name == name; });
    return static_cast<std::size_t>(found - all.begin());
  }

  std::uint64_t address_of(std::string_view name) const {
    const std::size_t index = index_of(name);
    if (index < placed.size() && placed[index] != nullptr)
      return reinterpret_cast<std::uintptr_t>(placed[index]);
    for (const function_syntax& f : syntax.functions)
      if (f.name == name) return reinterpret_cast<std::uintptr_t>(&f);
    throw error(fmt::format("{} is not in memory yet: place() it first", name));
  }
};

loaded_module::loaded_module(std::vector<std::string> texts) : parts_(std::make_unique<parts>()) {
  parts_->texts = std::move(texts);
  for (const std::string& each : parts_->texts) link(parts_->syntax, parse(each));
  for (const function_syntax& f : parts_->syntax.functions)
    if (f.is_kernel && f.has_body) parts_->kernels.emplace_back(f.name);
  parts_->placed.resize(parts_->syntax.variables.size());
}

loaded_module::~loaded_module() = default;

const std::vector<variable>& loaded_module::variables() const {
  return parts_->syntax.variables;
}

const std::vector<std::string>& loaded_module::kernels() const {
  return parts_->kernels;
}

const kernel* loaded_module::find(std::string_view name) const {
  const std::lock_guard lock(parts_->mutex);
  if (const auto known = parts_->decoded.find(name); known != parts_->decoded.end())
    return known->second.get();
  const auto& functions = parts_->syntax.functions;
  const auto entry = std::find_if(functions.begin(), functions.end(), [&](const auto& f) {
    return f.is_kernel && f.has_body && f.name == name;
  });
  if (entry == functions.end()) return nullptr;
  auto made = std::make_unique<kernel>();
  const std::shared_ptr<program> code = decode(parts_->syntax, *entry, *made);
  code->placed = &parts_->placed;
  make_known(code);
  return parts_->decoded.emplace(name, std::move(made)).first->second.get();
}

void loaded_module::place(std::string_view name, void* address) {
  const std::lock_guard lock(parts_->mutex);
  const std::size_t index = parts_->index_of(name);
  if (index == parts_->placed.size())
    throw error(fmt::format("the module has no variable {}", name));
  const variable& what = parts_->syntax.variables[index];
  if (what.space == state_space::shared)
    throw error(fmt::format("{} is in shared memory, which each launch places", name));
  parts_->placed[index] = address;
  if (what.is_external) return;
  std::memset(address, 0, what.bytes);
  std::copy(what.initial.begin(), what.initial.end(), static_cast<std::byte*>(address));
}

void loaded_module::relocate() {
  const std::lock_guard lock(parts_->mutex);
  for (std::size_t i = 0; i < parts_->placed.size(); ++i) {
    if (parts_->placed[i] == nullptr || parts_->syntax.variables[i].is_external) continue;
    for (const auto& [offset, name, addend] : parts_->syntax.variables[i].addresses) {
      const std::uint64_t value = parts_->address_of(name) + static_cast<std::uint64_t>(addend);
      std::memcpy(static_cast<std::byte*>(parts_->placed[i]) + offset, &value, sizeof value);
    }
  }
}

}  // namespace ptx
