#include <cudart/fat_binary.hpp>
#include <ptx/launch.hpp>
#include <simt/arena.hpp>
#include <simt/settings.hpp>

#include <tests/executor/ptx/hostile/modules.hpp>
#include <tests/executor/ptx/hostile/trial.hpp>

#include <cstring>
#include <memory>
#include <set>

namespace ptx_hostile {

namespace {

constexpr std::uint64_t one_in_fat_binaries = 8;
constexpr std::size_t most_bytes = 1 << 20;  // of variables; larger ones are read, but not run

std::vector<std::string> all_texts() {
  std::vector<std::string> all = whole_modules();
  for (std::string& one : single_instructions()) all.push_back(std::move(one));
  return all;
}

struct release {
  void operator()(void* memory) const { simt::global_memory().release(memory); }
};
using device_memory = std::unique_ptr<void, release>;

device_memory zeros(std::size_t bytes) {
  device_memory made(simt::global_memory().allocate(std::max<std::size_t>(bytes, 1)));
  std::memset(made.get(), 0, bytes);
  return made;
}

/// Parameters are addresses, for the most part, so that accesses get as far as memory.
std::vector<std::byte> parameters_of(const ptx::kernel& kernel, const device_memory& memory,
                                     dice& random) {
  std::vector<std::byte> block(kernel.parameter_bytes);
  for (std::size_t at = 0; at + sizeof(std::uint64_t) <= block.size();
       at += sizeof(std::uint64_t)) {
    const std::uint64_t value = random.below(8) == 0
                                    ? random.bits()
                                    : reinterpret_cast<std::uint64_t>(memory.get()) + 256 * at;
    std::memcpy(&block[at], &value, sizeof value);
  }
  return block;
}

simt::settings settings_of(std::uint64_t number) {
  simt::settings how = simt::random_schedule(
      number, number % 4 == 0 ? simt::memory_kind::weak : simt::memory_kind::strong);
  if (number % 4 == 1) {
    how.check = simt::checking::races;
    how.on_race = [](const simt::fault&) {};
  }
  if (number % 4 == 2) how.schedule = simt::schedule_kind::round_robin;
  how.gpu = simt::find_gpu_model("compact");
  how.longest_launch_ns = 500'000;
  how.longest_raw_loop = 1000;
  return how;
}

/// Memory of malloc in kernels.
class heap {
 public:
  ~heap() {
    for (void* const each : made_) simt::global_memory().release(each);
  }
  void* allocate(std::size_t bytes) {
    if (bytes > most_bytes) return nullptr;
    return *made_.insert(simt::global_memory().allocate(bytes)).first;
  }
  bool release(void* memory) {
    if (made_.erase(memory) == 0) return false;
    simt::global_memory().release(memory);
    return true;
  }

 private:
  std::set<void*> made_;
};

void run(const ptx::kernel& kernel, dice& random) {
  const device_memory memory = zeros(64 * 1024);
  heap of_kernel;
  std::size_t printed = 0;
  ptx::launch_options options;
  options.print = [&](std::string_view text) { printed += text.size(); };
  options.allocate = [&](std::size_t bytes) { return of_kernel.allocate(bytes); };
  options.release = [&](void* what) { return of_kernel.release(what); };
  constexpr std::uint32_t threads[] = {1, 32, 33, 64};
  simt::grid_shape shape{.blocks = {2, 1, 1}, .threads = {threads[random.below(4)], 1, 1}};
  shape.shared_bytes = 256 * random.below(2);
  const std::uint64_t cluster = std::uint64_t{kernel.cluster_blocks[0]} * kernel.cluster_blocks[1];
  shape.cluster.x = cluster == 2 ? 2 : 1;
  ptx::run(kernel, shape, parameters_of(kernel, memory, random), options);
}

outcome run_module(ptx::loaded_module& module, dice& random) {
  std::vector<device_memory> places;
  std::size_t bytes = 0;
  for (const ptx::variable& each : module.variables()) bytes += each.bytes;
  if (bytes > most_bytes) return outcome::refused;
  for (const ptx::variable& each : module.variables()) {
    if (each.space == ptx::state_space::shared) continue;
    places.push_back(zeros(each.bytes));
    module.place(each.name, places.back().get());
  }
  module.relocate();
  for (const std::string& name : module.kernels()) {
    const ptx::kernel* const kernel = module.find(name);
    if (kernel == nullptr || kernel->parameter_bytes > most_bytes) return outcome::refused;
    try {
      run(*kernel, random);
    } catch (const std::exception&) {
      return outcome::reported;
    }
  }
  return outcome::ran;
}

}  // namespace

trials::trials()
    : modules_(whole_modules()), instructions_(single_instructions()), change_(all_texts()) {}

std::string trials::made(std::uint64_t number, dice& random) const {
  const auto& from = random.below(4) == 0 ? instructions_ : modules_;
  if (number % one_in_fat_binaries == 0) return random.one_of(from);
  return change_.changed(random.one_of(from), random);
}

std::string trials::text_of(std::uint64_t number) const {
  dice random(number);
  return made(number, random);
}

outcome trials::attempt(std::uint64_t number) const {
  dice random(number);
  std::string text = made(number, random);
  const simt::scoped_settings use(settings_of(number));
  try {
    if (number % one_in_fat_binaries == 0) {
      const std::vector<std::byte> binary = changed_fat_binary(text, random);
      text = cudart::ptx_of(binary);
    }
    ptx::loaded_module module(text);
    return run_module(module, random);
  } catch (const ptx::error&) {
    return outcome::refused;
  } catch (const cudart::fat_binary_error&) {
    return outcome::refused;
  }
}

}  // namespace ptx_hostile
