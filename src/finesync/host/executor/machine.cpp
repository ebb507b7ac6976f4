// SPDX-License-Identifier: Apache-2.0
// Host side for kernels that run on the executor: its options, GPU properties and counts.
#include <finesync/host/gpu_properties.hpp>
#include <finesync/host/l2_map.cuh>
#include <finesync/host/machine_options.hpp>
#include <simt/launch.hpp>
#include <simt/settings.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <stdexcept>

#include <unistd.h>

namespace finesync::inline FINESYNC_ABI {

namespace {

// Nominal time, see simt::launch_result: about 40,000 operations of every thread.
std::uint64_t watchdog_ms = 20;
bool watchdog_is_given = false;

std::uint64_t parse(const std::string& text, const char* what) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) {
    throw std::invalid_argument(fmt::format("'{}' is not {}", text, what));
  }
  return value;
}

std::uint64_t parse_ms(const std::string& text) {
  constexpr const char* what = "a positive number of ms";
  const std::uint64_t ms = parse(text, what);
  if (ms == 0) throw std::invalid_argument(fmt::format("'0' is not {}", what));
  return ms;
}

template <class Kind>
machine_option choice(const std::string& name, const std::string& help,
                      std::map<std::string, Kind> known, Kind simt::settings::*member) {
  const Kind initial = simt::initial_settings().*member;
  const auto is_initial = [&](const auto& entry) { return entry.second == initial; };
  return {name, help, std::find_if(known.begin(), known.end(), is_initial)->first,
          [=](const std::string& text) {
            const auto found = known.find(text);
            if (found == known.end()) {
              throw std::invalid_argument(fmt::format("unknown {} '{}': {}", name, text, help));
            }
            simt::current_settings().*member = found->second;
          }};
}

}  // namespace

gpu_properties current_gpu() {
  const simt::gpu_model& model = simt::current_settings().gpu;
  gpu_properties gpu;
  gpu.name = fmt::format("host executor ({})", model.name);
  gpu.simulated = true;
  gpu.compute_capability = model.compute_capability;
  gpu.sms = model.sms;
  gpu.warp_size = static_cast<int>(simt::warp_size);
  gpu.max_threads_per_sm = model.max_threads_per_sm;
  gpu.max_blocks_per_sm = model.max_blocks_per_sm;
  gpu.shared_bytes_per_sm = model.shared_bytes_per_sm;
  gpu.shared_bytes_per_block = model.shared_bytes_per_block;
  gpu.l2_bytes = model.l2_bytes;
  gpu.memory_bytes = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) *
                     static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return gpu;
}

std::size_t device_memory_in_use() {
  return 0;
}

std::vector<machine_option> machine_options() {
  std::string gpus;
  for (const simt::gpu_model& model : simt::gpu_models()) {
    gpus += (gpus.empty() ? "" : ", ") + model.name;
  }
  const machine_option check = choice<simt::checking>(
      "check", "none, or races (report accesses without synchronization; needs --memory strong)",
      {{"none", simt::checking::none}, {"races", simt::checking::races}}, &simt::settings::check);
  return {
      {"gpu", "GPU geometry to simulate: " + gpus, simt::initial_settings().gpu.name,
       [](const std::string& text) { simt::current_settings().gpu = simt::find_gpu_model(text); }},
      choice<simt::schedule_kind>("schedule",
                                  "order of threads: round-robin, or random (from --seed)",
                                  {{"round-robin", simt::schedule_kind::round_robin},
                                   {"random", simt::schedule_kind::random}},
                                  &simt::settings::schedule),
      choice<simt::memory_kind>(
          "memory",
          "memory model: strong, or weak (store buffers and stale caches; reveals missing fences)",
          {{"strong", simt::memory_kind::strong}, {"weak", simt::memory_kind::weak}},
          &simt::settings::memory),
      {"check", check.help, check.default_value,
       [check](const std::string& text) {
         check.set(text);
         // --memory is applied before.
         const simt::settings& now = simt::current_settings();
         if (now.check == simt::checking::races && now.memory != simt::memory_kind::strong)
           throw std::invalid_argument(
               "races are searched for in strong memory alone; leave --memory weak out");
       }},
      {"seed", "seed of the random schedule and of weak memory",
       std::to_string(simt::initial_settings().seed),
       [](const std::string& text) {
         simt::current_settings().seed = parse(text, "a seed (a non-negative integer)");
       }},
      {"watchdog-ms",
       "limit for one wait of a thread, in nominal ms; a longer wait ends the run as a timeout; if "
       "not "
       "given, only once the other threads make no progress either",
       "20",
       [](const std::string& text) {
         watchdog_ms = parse_ms(text);
         watchdog_is_given = true;
       }},
      {"launch-limit-ms",
       "limit for a launch, in nominal ms; a longer one ends the run, with a report of who waits",
       "10000",
       [](const std::string& text) {
         constexpr std::uint64_t ns_per_ms = 1'000'000;
         simt::current_settings().longest_launch_ns =
             std::min(parse_ms(text), ~std::uint64_t{0} / ns_per_ms) * ns_per_ms;
       }},
  };
}

std::map<std::string, double> last_launch_counts() {
  return simt::last_launch().counts.by_name();
}

std::uint64_t default_watchdog_ns() {
  return watchdog_ms * 1'000'000;
}

bool has_default_watchdog() {
  return !watchdog_is_given;
}

// The executor has no L2: SMs and lines alternate between two sides, so kernels use both.
l2_map map_l2_lines(cell<std::uint32_t>* /*first*/, unsigned lines, l2_distance by,
                    const stream& /*on*/) {
  l2_map map{.by = by, .explained = 1};
  for (unsigned sm = 0; sm < static_cast<unsigned>(current_gpu().sms); ++sm)
    map.side_of_sm.push_back(sm % 2);
  for (unsigned line = 0; line < lines; ++line) map.lines_of[line % 2].push_back(line);
  return map;
}

}  // namespace finesync::inline FINESYNC_ABI
