// SPDX-License-Identifier: Apache-2.0
// Launches: constants with the addresses of variables, stacks as large as the kernel's frames.
#include <ptx/execute/copies.hpp>
#include <ptx/execute/thread_state.hpp>
#include <ptx/launch.hpp>
#include <simt/settings.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace ptx {

namespace {

/// For the interpreter and the executor below a kernel's frames; errors are thrown there, too.
constexpr std::size_t interpreter_stack_bytes = simt::default_stack_bytes + 4 * 1024;
constexpr std::size_t callback_stack_bytes = 16 * 1024;  ///< printing, observers

void run_thread(void* context) {
  const auto& launch = *static_cast<const launch_state*>(context);
  thread_state t(launch);
  const function& entry = launch.code->functions.front();
  const std::uint64_t* const pointers = launch.parameter_addresses.data();
  t.call(entry, pointers);
  check_bulk_copies_at_end(t);
}

}  // namespace

simt::launch_result run(const kernel& kernel, const simt::grid_shape& grid,
                        std::span<const std::byte> parameters, const launch_options& options) {
  if (parameters.size() < kernel.parameter_bytes) {
    throw error(fmt::format("{} takes {} bytes of parameters, not {}", kernel.name,
                            kernel.parameter_bytes, parameters.size()));
  }
  simt::settings how = simt::current_settings();
  if (how.schedule == simt::schedule_kind::lockstep)
    throw std::invalid_argument("kernels in PTX do not run in lockstep");

  const program& code = *kernel.code;
  launch_state launch{.code = &code, .options = &options, .constants = code.constants};
  launch.parameters.assign(
      parameters.begin(), parameters.begin() + static_cast<std::ptrdiff_t>(kernel.parameter_bytes));
  for (const parameter& p : kernel.parameters) {
    launch.parameter_addresses.push_back(
        reinterpret_cast<std::uintptr_t>(launch.parameters.data() + p.offset));
  }
  for (const auto& [slot, variable, addend] : code.addresses) {
    const void* const place = (*code.placed)[variable];
    if (place == nullptr && code.module.variables[variable].is_external)
      throw error(fmt::format("{} uses {}, which no PTX of the program defines", kernel.name,
                              code.module.variables[variable].name));
    if (place == nullptr) {
      throw error(fmt::format("{} uses {}, which is not in memory yet: place() it first",
                              kernel.name, code.module.variables[variable].name));
    }
    launch.constants[slot] =
        reinterpret_cast<std::uintptr_t>(place) + static_cast<std::uint64_t>(addend);
  }
  simt::grid_shape shape = grid;
  shape.shared_bytes += kernel.static_shared_bytes;
  launch.static_shared_bytes = static_cast<std::uint32_t>(kernel.static_shared_bytes);
  launch.shared_bytes = static_cast<std::uint32_t>(shape.shared_bytes);

  const std::size_t needed = interpreter_stack_bytes + kernel.register_bytes + kernel.local_bytes +
                             (code.prints || how.observer ? callback_stack_bytes : 0);
  how.stack_bytes = std::max(how.stack_bytes, (needed + 63) / 64 * 64);
  const simt::scoped_settings scope(how);
  return simt::run(shape, run_thread, &launch);
}

}  // namespace ptx
