// A program with primitives that fail in every possible way, on a machine with an exact clock: the
// n-th launch of an experiment, counted from the warm-up, takes n milliseconds.
#include <bench/program.hpp>
#include <finesync/host/error.cuh>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <limits>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

namespace fb = finesync::bench;

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

std::string device = "host";
std::string clock_fault = "none";
std::string driver = "none";
int alive = 0;
int launches = 0;  // of the current experiment
int recorded_launches = 0;
bool is_recorded = false;
bool is_lost = false;  // the machine, for this process

class fake : public fb::experiment {
 public:
  explicit fake(const fb::point& where) : kind_(where.primitive()), n_(where["n"]) {
    if (++alive > 1) throw std::logic_error("two experiments are alive");
    launches = 0;
    recorded_launches = 0;
  }
  ~fake() override { --alive; }

  void reset() override { is_reset_ = true; }

  void launch() override {
    if (!is_reset_) throw std::logic_error("launched without a reset");
    is_reset_ = false;
    ++launches;
    if (is_recorded) ++recorded_launches;
    const bool last_point = n_ == 2;
    if (kind_ == "livelock") throw fb::hung(fb::status::livelock, "lock 3 is never released");
    if (kind_ == "deadlock") throw fb::hung(fb::status::deadlock, "all threads wait");
    if (kind_ == "device_livelock") throw finesync::hang_error(false, "lane 7 polls for ever");
    if (kind_ == "device_deadlock") throw finesync::hang_error(true, "nobody can run");
    if (kind_ == "device_full") throw finesync::device_memory_error("9 GB do not fit");
    if (kind_ == "device_refusal") throw finesync::launch_error("9 blocks do not fit");
    is_lost = is_lost || (kind_ == "poisons" && launches == 3);
    if (is_lost || kind_ == "throws") throw std::runtime_error("illegal address");
    if (kind_ == "late_infeasible") throw fb::infeasible("the grid does not fit");
    if (kind_ == "slow_to_end" && last_point && launches == 4) {
      std::raise(SIGINT);
      std::this_thread::sleep_for(std::chrono::hours(1));
    }
    if (kind_ == "interrupted" && last_point && launches == 4) std::raise(SIGINT);
    if (kind_ == "terminated" && last_point && launches == 4) std::raise(SIGTERM);
    if (kind_ == "killed" && last_point && launches == 4) std::raise(SIGKILL);
  }

  fb::outcome verify() override {
    if (kind_ == "timeout")
      return {fb::status::timeout, "block 3 waited too long", {{"block", 3LL}, {"hung", true}}};
    if (kind_ == "host_full") throw std::bad_alloc();
    if (kind_ == "wrong" || (kind_ == "unsound" && n_ == 2))
      return {fb::status::wrong, "sum is 6, not 7"};
    if (kind_ == "wrong_warm_up" && launches == 1) return {fb::status::wrong, "cold"};
    if (kind_ == "wrong_later" && launches == 4) return {fb::status::wrong, "lost an update"};
    if (kind_ == "too_large_to_verify" && launches == 4)
      throw finesync::device_memory_error("9 GB do not fit");
    if (kind_ == "too_wide_to_verify") throw finesync::launch_error("9 blocks do not fit");
    if (kind_ == "refuses_to_verify") return {fb::status::skipped, "not today"};
    return {};
  }

  fb::counters measure() override {
    static std::map<long long, int> measured;
    ++measured[n_];
    if (kind_ == "wrong_measured") fb::expect_ok({fb::status::wrong, "observed 6, not 7"});
    if (kind_ == "stuck_measured")
      fb::expect_ok({fb::status::timeout, "block 3 waited too long", {{"block", 3LL}}});
    if (kind_ == "nan") return {{"fairness", not_a_number}};
    if (kind_ == "reserved") return {{"real_time", 1}};
    if (kind_ == "other_counter") return {{"retries", 2}};
    return {{"launches_before_measure", launches}, {"times_measured", measured[n_]}, {"zero", 0}};
  }

  fb::exact_results computed() const override {
    if (kind_ != "good") return {};
    return {{"weight", (1LL << 60) + 1}};
  }

  fb::parameters effective_parameters() const override {
    if (kind_ == "other_counter") return {};
    return {{"blocks", 4LL}, {"how", std::string("fairly")}, {"padded", true}};
  }

  std::string unverified() const override {
    return kind_ == "other_counter" ? "the order, by a run after each" : "";
  }

  double operations() const override { return 100; }

 private:
  std::string kind_;
  long long n_;
  bool is_reset_ = false;
};

std::unique_ptr<fb::experiment> make(const fb::point& where) {
  if (where.primitive() == "infeasible" && where["n"] > 1)
    throw fb::infeasible("n = " + std::to_string(where["n"]) + " needs more shared memory");
  if (where.primitive() == "unsupported") throw std::invalid_argument("a ring has 4 slots");
  if (where.primitive() == "no_input" && where["n"] > 1)
    throw fb::unusable_input("x.gr: there is no such file");
  if (where.primitive() == "nothing") return nullptr;
  return std::make_unique<fake>(where);
}

double fake_time(const finesync::stream*, const std::function<void()>& queue_work) {
  queue_work();
  if (clock_fault == "nan") return not_a_number;
  if (clock_fault == "zero") return 0;
  if (clock_fault == "backwards") return -1;
  return 1e-3 * launches;
}

void set_device(const std::string& value) {
  if (value != "host" && value != "gpu" && value != "none")
    throw std::invalid_argument("'" + value + "' is not host, gpu or none");
  device = value;
}

finesync::gpu_properties fake_gpu() {
  if (device == "none") throw std::runtime_error("no CUDA device");
  finesync::gpu_properties gpu;
  gpu.simulated = device == "host";
  gpu.name = gpu.simulated ? "fake host" : "Fake H1";
  gpu.compute_capability = "9.0";
  gpu.sms = 4;
  gpu.warp_size = 33;
  gpu.max_threads_per_sm = 2001;
  gpu.max_blocks_per_sm = 17;
  gpu.shared_bytes_per_sm = 228001;
  gpu.shared_bytes_per_block = 227002;
  gpu.l2_bytes = 50003;
  gpu.memory_bytes = 80'000'000'004;
  gpu.clock_khz = 1'980'005;
  gpu.memory_clock_khz = 2'619'006;
  gpu.driver = "13.1";
  gpu.runtime = gpu.simulated ? "" : "13.0";
  return gpu;
}

// Throttled: in the third launch of an experiment if it is warm, always if it is hot.
class fake_monitor : public fb::gpu_monitor {
 public:
  fb::parameters card() override {
    return {{"driver_version", std::string("580.1")},
            {"uuid", std::string("GPU-1")},
            {"power_limit_w", 700.5},
            {"ecc", std::string("Enabled")},
            {"mig", std::string("Disabled")},
            {"persistence", std::string("Perhaps")}};
  }

  fb::gpu_state state() override {
    fb::gpu_state seen = {1000 + launches, 2600};
    if (driver == "hot" || (driver == "warm" && launches == 3)) seen.throttled_by = {"power brake"};
    seen.power_capped = driver == "capped";
    return seen;
  }
};

std::unique_ptr<fb::gpu_monitor> watch_fake_gpu() {
  if (driver == "none") return nullptr;
  if (driver == "broken") throw std::runtime_error("libnothing.so: no such file");
  return std::make_unique<fake_monitor>();
}

fb::machine_interface fake_machine() {
  fb::machine_interface machine;
  machine.gpu = fake_gpu;
  machine.options = [] {
    return std::vector<finesync::machine_option>{
        {"device", "host, gpu or none", "host", set_device},
        {"clock-fault", "none, nan, zero or backwards; or counts, memory: of these", "none",
         [](const std::string& value) { clock_fault = value; }},
        {"driver", "none, broken, cool, warm, hot or capped", "none",
         [](const std::string& value) { driver = value; }}};
  };
  machine.time = fake_time;
  machine.profile = [](bool on) { is_recorded = on; };
  machine.counts = [] {
    return std::map<std::string, double>{
        {"poll", clock_fault == "counts" ? not_a_number : 10.0 * launches},
        {"recorded_launches", recorded_launches}};
  };
  machine.memory_in_use = [] {
    return static_cast<std::size_t>(5000 + (clock_fault == "memory" ? -300 : 300) * alive);
  };
  machine.is_usable = [] { return !is_lost; };
  machine.monitor = watch_fake_gpu;
  return machine;
}

}  // namespace

int main(int argc, char** argv) {
  fb::program program("fake", "Fails on demand.", fake_machine());
  program.axis({.name = "n", .help = "how many", .values = {1, 2}, .min = 1, .max = 4096})
      .axis({.name = "blocks-per-sm",
             .help = "residency",
             .values = {1},
             .min = 1,
             .max = 32,
             .unit = "blocks"})
      .axis({.name = "ring", .help = "capacity", .values = {0}, .max = 64, .names = {"auto"}})
      .axis(fb::named_axis("mood", "of the primitive", {"calm", "wild"}));
  for (const char* name : {"good",
                           "other_counter",
                           "wrong",
                           "wrong_warm_up",
                           "wrong_later",
                           "infeasible",
                           "late_infeasible",
                           "timeout",
                           "livelock",
                           "deadlock",
                           "device_livelock",
                           "device_deadlock",
                           "device_refusal",
                           "device_full",
                           "host_full",
                           "throws",
                           "poisons",
                           "unsupported",
                           "no_input",
                           "nothing",
                           "nan",
                           "reserved",
                           "interrupted",
                           "terminated",
                           "killed",
                           "too_large_to_verify",
                           "too_wide_to_verify",
                           "refuses_to_verify",
                           "wrong_measured",
                           "stuck_measured",
                           "slow_to_end"})
    program.primitive({name,
                       std::string("the primitive ") + name,
                       make,
                       {},
                       fb::always(name == std::string("good") ? fb::parameters{{"seed", 42}}
                                                              : fb::parameters{})});
  program.primitive({"unsound", "", make, {}, {}, {}, "nothing orders it"});
  program.primitive({"picky", "has axes of its own", make, {}, {}, {"ring", "mood"}});
  const std::vector<std::string> command_line(argv, argv + argc);
  std::vector<std::string> words = command_line;
  std::replace(words.begin(), words.end(), std::string("--n=two"), std::string("--n=2"));
  return program.run(words, command_line);
}
