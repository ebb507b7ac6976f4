// interim
#include "verification.hpp"

#include <vector>

namespace finesync::maxflow {
std::string wrong_with(const network& found) {
  const auto& in = found.input();
  const auto left = found.residuals();
  const auto ex = found.excess();
  std::vector<long long> net(in.arcs.vertices());
  std::vector<char> seen(in.arcs.vertices());
  for (std::uint32_t u = 0; u < in.arcs.vertices(); ++u)
    for (auto a = in.arcs.first[u]; a < in.arcs.first[u + 1]; ++a) {
      if (std::uint64_t{left[a]} + left[in.mates[a]] !=
          std::uint64_t{in.arcs.weights[a]} + in.arcs.weights[in.mates[a]])
        return "capacity of arc " + std::to_string(a);
      net[in.arcs.targets[a]] += (long long)(in.arcs.weights[a]) - left[a];
    }
  for (std::uint32_t u = 0; u < in.arcs.vertices(); ++u)
    if (u != in.source && u != in.sink && (net[u] != 0 || ex[u] != 0))
      return "not conserved at " + std::to_string(u) + " net " + std::to_string(net[u]);
  if (net[in.sink] != (long long)ex[in.sink]) return "value";
  std::vector<std::uint32_t> st{in.source};
  seen[in.source] = 1;
  while (!st.empty()) {
    auto u = st.back();
    st.pop_back();
    for (auto a = in.arcs.first[u]; a < in.arcs.first[u + 1]; ++a)
      if (left[a] != 0 && !seen[in.arcs.targets[a]]) {
        seen[in.arcs.targets[a]] = 1;
        st.push_back(in.arcs.targets[a]);
      }
  }
  if (seen[in.sink]) return "augmentable value " + std::to_string(net[in.sink]);
  return {};
}
}  // namespace finesync::maxflow
