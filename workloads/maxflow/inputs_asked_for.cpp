#include "inputs_asked_for.hpp"

#include <inputs/graphs/generate.hpp>

#include <string>
#include <vector>

namespace finesync::maxflow {
namespace {

std::vector<workload::named_input> meaning_of(const std::vector<std::string>& words) {
  std::vector<workload::named_input> named;
  for (const std::string& word : words) {
    named.push_back(
        {inputs::names_network(word) ? workload::value_for(word) : workload::value_for_file(word),
         word});
  }
  return named;
}

}  // namespace

workload::asked_inputs inputs_asked_for(int argc, char** argv) {
  return workload::inputs_asked_for(argc, argv, {"mesh", "washington"}, meaning_of);
}

}  // namespace finesync::maxflow
