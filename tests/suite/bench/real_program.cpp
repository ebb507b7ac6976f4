// A program on this build's real machine, as workloads are; its launch queues nothing.
#include <bench/program.hpp>
#include <finesync/host/buffer.cuh>

#include <memory>
#include <vector>

namespace {

class idle : public finesync::bench::experiment {
 public:
  void reset() override {}
  void launch() override {}
  finesync::bench::outcome verify() override { return {}; }
  double operations() const override { return 1; }
};

/// From its second run on, it lives on the memory of the run before.
class heir : public finesync::bench::experiment {
 public:
  enum class fault { leaves_a_tenth_unwritten, forgets_to_reset, none };
  explicit heir(fault which) : fault_(which) {}

  void reset() override {
    if (runs_++ == 0 || fault_ != fault::forgets_to_reset) zero_.fill_bytes(0);
  }
  void launch() override {
    std::vector<int> written = result_.to_host();
    for (std::size_t i = 0; i < written.size(); ++i)
      if (runs_ == 1 || fault_ != fault::leaves_a_tenth_unwritten || i % 10 != 0)
        written[i] = static_cast<int>(i) + zero_.to_host()[0];
    result_.copy_from(written);
  }
  finesync::bench::outcome verify() override {
    const std::vector<int> found = result_.to_host();
    for (std::size_t i = 0; i < found.size(); ++i)
      if (found[i] != static_cast<int>(i)) return {finesync::bench::status::wrong, "not its place"};
    return {};
  }
  double operations() const override { return 1; }

 private:
  fault fault_;
  int runs_ = 0;
  finesync::buffer<int> zero_{1};
  finesync::buffer<int> result_{50};
};

template <heir::fault Which>
std::unique_ptr<finesync::bench::experiment> make_heir(const finesync::bench::point&) {
  return std::make_unique<heir>(Which);
}

}  // namespace

int main(int argc, char** argv) {
  return finesync::bench::program("real", "Checks that the harness reaches the machine.")
      .axis({.name = "n", .help = "ignored", .values = {1}, .min = 1, .max = 1})
      .primitive({"idle", "does nothing",
                  [](const finesync::bench::point&) { return std::make_unique<idle>(); }})
      .primitive({"unwritten", "leaves a tenth of its result to the run before",
                  make_heir<heir::fault::leaves_a_tenth_unwritten>})
      .primitive({"unreset", "takes what the run before has left for what it sets",
                  make_heir<heir::fault::forgets_to_reset>})
      .primitive({"whole", "does neither", make_heir<heir::fault::none>})
      .run(argc, argv);
}
