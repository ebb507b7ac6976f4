// A program on this build's real machine, as workloads are; its launch queues nothing.
#include <bench/program.hpp>

namespace {

class idle : public finesync::bench::experiment {
 public:
  void reset() override {}
  void launch() override {}
  finesync::bench::outcome verify() override { return {}; }
  double operations() const override { return 1; }
};

}  // namespace

int main(int argc, char** argv) {
  return finesync::bench::program("real", "Checks that the harness reaches the machine.")
      .axis({.name = "n", .help = "ignored", .values = {1}, .min = 1, .max = 1})
      .primitive({"idle", "does nothing",
                  [](const finesync::bench::point&) { return std::make_unique<idle>(); }})
      .run(argc, argv);
}
