// interim mesh
#include "network.hpp"

#include <fstream>
#include <sstream>
namespace finesync::maxflow {
namespace {
inputs::flow_network input_of(const problem& what) {
  inputs::flow_network f{};
  if (what.input != "washington") {
    std::ifstream in(what.input);
    std::string line;
    while (std::getline(in, line)) {
      std::istringstream s(line);
      char c;
      s >> c;
      std::string w;
      unsigned a, b, d;
      if (c == 'p') {
        s >> w >> f.nodes;
      }
      if (c == 'n') {
        s >> a >> w;
        (w == "s" ? f.source : f.sink) = a - 1;
      }
      if (c == 'a') {
        s >> a >> b >> d;
        f.arcs.push_back({a - 1, b - 1, d});
      }
    }
    return f;
  }
  const auto r = what.rows, c = what.columns;
  f.nodes = r * c + 2;
  f.source = 0;
  f.sink = r * c + 1;
  srandom(1);
  const unsigned C = 10000;
  for (unsigned i = 0; i < r; i++) f.arcs.push_back({0, 1 + i, 3 * C});
  for (unsigned j = 0; j + 1 < c; j++)
    for (unsigned i = 0; i < r; i++)
      for (unsigned d = 0; d < 3; d++)
        f.arcs.push_back(
            {1 + j * r + i, 1 + (j + 1) * r + (i + r + d - 1) % r, (unsigned)(random() % C + 1)});
  for (unsigned i = 0; i < r; i++) f.arcs.push_back({1 + (c - 1) * r + i, f.sink, 3 * C});
  return f;
}
}  // namespace

std::shared_ptr<network> network_of(const problem& what) {
  const auto made = [&] { return std::make_shared<network>(input_of(what)); };
  // Begun with the first, and of the thread, so that it goes before device memory itself.
  thread_local std::shared_ptr<network> kept = made();
  thread_local problem kept_for = what;
  if (kept_for != what || !kept) {
    kept.reset();
    kept = made();
    kept_for = what;
  }
  return kept;
}

}  // namespace finesync::maxflow
