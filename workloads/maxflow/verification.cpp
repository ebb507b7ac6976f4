// interim
#include "verification.hpp"

#include <vector>
namespace finesync::maxflow {
std::string wrong_with(const network& found) {
  const auto& in = found.input();
  const auto flow = found.flow();
  const auto ex = found.excess();
  std::vector<long long> net(in.nodes);
  std::vector<std::vector<std::uint32_t>> adj(in.nodes);
  for (std::size_t p = 0; p < flow.size(); ++p) {
    const auto& a = in.arcs[p];
    if (flow[p] > a.capacity)
      return "capacity of arc " + std::to_string(p) + " flow " + std::to_string(flow[p]);
    net[a.head] += flow[p];
    net[a.tail] -= flow[p];
    if (flow[p] < a.capacity) adj[a.tail].push_back(a.head);
    if (flow[p]) adj[a.head].push_back(a.tail);
  }
  for (std::uint32_t u = 0; u < in.nodes; ++u)
    if (u != in.source && u != in.sink && (net[u] != 0 || ex[u] != 0))
      return "not conserved at " + std::to_string(u) + " net " + std::to_string(net[u]) +
             " excess " + std::to_string(ex[u]);
  if (net[in.sink] != (long long)ex[in.sink]) return "value";
  std::vector<char> seen(in.nodes);
  std::vector<std::uint32_t> st{in.source};
  seen[in.source] = 1;
  while (!st.empty()) {
    auto u = st.back();
    st.pop_back();
    for (auto v : adj[u])
      if (!seen[v]) {
        seen[v] = 1;
        st.push_back(v);
      }
  }
  if (seen[in.sink]) return "augmentable value " + std::to_string(net[in.sink]);
  return {};
}
}  // namespace finesync::maxflow
