// SPDX-License-Identifier: Apache-2.0
#include <finesync/host/executor/check_plan.hpp>

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <stdexcept>

namespace finesync::inline FINESYNC_ABI {
namespace detail {

namespace {

std::vector<std::string> modes_of(const std::string& check) {
  if (check == "races" || check == "weak") return {check};
  if (check == "races,weak" || check == "weak,races") return {"races", "weak"};
  throw std::invalid_argument(
      fmt::format("FINESYNC_CHECK is '{}'; it can be races, weak (memory), or races,weak", check));
}

std::optional<std::uint64_t> number_in(const environment& variable, const char* name,
                                       std::uint64_t least) {
  const std::string text = variable(name);
  if (text.empty()) return std::nullopt;
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc{} && stopped == end && value >= least) return value;
  throw std::invalid_argument(
      fmt::format("{} is '{}'; it can be a whole number from {}", name, text, least));
}

}  // namespace

simt::settings check_run::settings_on(const simt::gpu_model& gpu) const {
  const bool weak = mode == "weak";
  simt::settings how =
      simt::random_schedule(seed, weak ? simt::memory_kind::weak : simt::memory_kind::strong);
  how.check = weak ? simt::checking::none : simt::checking::races;
  how.gpu = gpu;
  return how;
}

check_plan plan_of(const environment& variable) {
  constexpr std::uint64_t usual_seeds = 100;
  const std::string check = variable("FINESYNC_CHECK");
  const auto seeds = number_in(variable, "FINESYNC_SEEDS", 1);
  const auto seed = number_in(variable, "FINESYNC_SEED", 0);
  if (check.empty()) {
    if (!seeds && !seed) return {};
    throw std::invalid_argument(fmt::format("{} needs FINESYNC_CHECK: races, weak, or races,weak",
                                            seeds ? "FINESYNC_SEEDS" : "FINESYNC_SEED"));
  }
  if (seeds && seed)
    throw std::invalid_argument("FINESYNC_SEEDS says how many, FINESYNC_SEED which one: set one");
  return {modes_of(check), seed.value_or(1), seed.value_or(seeds.value_or(usual_seeds))};
}

simt::gpu_model gpu_to_imitate(const environment& variable) {
  const std::string name = variable("FINESYNC_GPU");
  return name.empty() ? simt::settings{}.gpu : simt::find_gpu_model(name);
}

}  // namespace detail
}  // namespace finesync::inline FINESYNC_ABI
