// A program to tune, on a machine with an exact clock. A launch takes 1 ms, and 1 ms more for every
// factor of 2 between servers and 4, and between blocks-per-sm and 8. So the best point is known.
#include <bench/program.hpp>

#include <cmath>
#include <csignal>
#include <cstdio>
#include <stdexcept>
#include <string>

namespace {

namespace fb = finesync::bench;

std::string device = "gpu";
double seconds = 0;  // duration of the last launch
int alive = 0;
int all_launches = 0;
bool is_interrupted = false;
bool is_lost = false;

double doublings_away(long long value, double best) {
  return std::abs(std::log2(static_cast<double>(value) / best));
}

class tunable : public fb::experiment {
 public:
  explicit tunable(const fb::point& where)
      : kind_(where.primitive()),
        n_(where["n"]),
        servers_(where["servers"]),
        blocks_(where["blocks-per-sm"]) {
    if (++alive > 1) throw std::logic_error("two experiments are alive");
  }
  ~tunable() override { --alive; }

  void reset() override { is_reset_ = true; }

  void launch() override {
    if (!is_reset_) throw std::logic_error("launched without a reset");
    is_reset_ = false;
    ++launches_;
    ++all_launches;
    seconds = 1e-3 * (1 + doublings_away(servers_, 4) + doublings_away(blocks_, 8));
    if (kind_ == "outlier" && at_best() && (launches_ == 1 || launches_ == 3)) seconds = 1;
    if (kind_ == "lucky" && !at_best() && launches_ == 2) seconds = 1e-6;
    if (kind_ == "no_time" && blocks_ == 8) seconds = 0;
    if (kind_ == "more_work") seconds = 1e-3 * static_cast<double>(servers_);
    if (kind_ == "livelock" && blocks_ == 8) throw fb::hung(fb::status::livelock, "lock 3");
    if (kind_ == "deadlock" && blocks_ == 8) throw fb::hung(fb::status::deadlock, "all wait");
    is_lost = is_lost || (kind_ == "poisons" && blocks_ == 8);
    if (is_lost || (kind_ == "throws" && blocks_ == 8)) throw std::runtime_error("illegal address");
    if (is_interrupted) std::fputs("launched after the interruption\n", stderr);
    if (kind_ == "interrupted" && n_ == 2 && blocks_ == 4 && launches_ == 2) {
      std::raise(SIGINT);
      is_interrupted = true;
    }
  }

  fb::outcome verify() override {
    const bool last_quick_run = launches_ == 4;
    if (kind_ == "wrong" && blocks_ == 8 && last_quick_run)
      return {fb::status::wrong, "lost an update"};
    if (kind_ == "all_wrong" && last_quick_run) return {fb::status::wrong, "sum is 6, not 7"};
    return {};
  }

  fb::counters measure() override { return {{"launches_so_far", all_launches}}; }

  double operations() const override {
    return kind_ == "more_work" ? static_cast<double>(servers_ * servers_) : 100;
  }

 private:
  bool at_best() const { return servers_ == 4 && blocks_ == 8; }

  std::string kind_;
  long long n_;
  long long servers_;
  long long blocks_;
  int launches_ = 0;
  bool is_reset_ = false;
};

std::unique_ptr<fb::experiment> make(const fb::point& where) {
  const bool fits = where["blocks-per-sm"] <= 4;
  if (where.primitive() == "infeasible" && !fits) throw fb::infeasible("the grid does not fit");
  if (where.primitive() == "no_input") throw fb::unusable_input("x.gr: there is no such file");
  if (where.primitive() == "never") throw fb::infeasible("no grid fits");
  return std::make_unique<tunable>(where);
}

fb::machine_interface fake_machine() {
  fb::machine_interface machine;
  machine.gpu = [] {
    finesync::gpu_properties gpu;
    gpu.simulated = device == "host";
    gpu.name = "fake";
    return gpu;
  };
  machine.options = [] {
    return std::vector<finesync::machine_option>{
        {"device", "host or gpu", "gpu", [](const std::string& value) { device = value; }}};
  };
  machine.time = [](const finesync::stream*, const std::function<void()>& queue_work) {
    queue_work();
    return seconds;
  };
  machine.is_usable = [] { return !is_lost; };
  machine.counts = [] { return std::map<std::string, double>{}; };
  return machine;
}

}  // namespace

int main(int argc, char** argv) {
  fb::program program("tunable", "Has a best point.", fake_machine());
  program.axis({.name = "n", .help = "how many", .values = {1}, .min = 1, .max = 4})
      .axis({.name = "servers", .values = {1}, .min = 1, .candidates = {2, 4, 8}})
      .axis({.name = "blocks-per-sm", .values = {1}, .min = 1, .candidates = {2, 4, 8, 16}});
  for (const char* name :
       {"good", "outlier", "wrong", "all_wrong", "livelock", "deadlock", "throws", "infeasible",
        "never", "interrupted", "poisons", "no_input", "lucky", "no_time"})
    program.primitive({name, "", make, {"servers", "blocks-per-sm"}, fb::always({{"seed", 42}})});
  program.primitive({"more_work", "", make, {"servers"}}).primitive({"fixed", "", make});
  return program.run(argc, argv);
}
