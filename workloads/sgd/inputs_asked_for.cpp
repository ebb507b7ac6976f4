#include "inputs_asked_for.hpp"

#include <inputs/ratings/shape.hpp>

#include <string>
#include <vector>

namespace finesync::sgd {
namespace {

std::vector<workload::named_input> meaning_of(const std::vector<std::string>& words) {
  std::vector<workload::named_input> named;
  for (const std::string& word : words) {
    named.push_back(
        {inputs::names_shape(word) ? workload::value_for(word) : workload::value_for_file(word),
         word});
  }
  return named;
}

}  // namespace

workload::asked_inputs inputs_asked_for(int argc, char** argv) {
  std::vector<std::string> generators;
  for (const inputs::ratings_shape& shape : inputs::known_shapes())
    generators.emplace_back(shape.name);
  return workload::inputs_asked_for(argc, argv, generators, meaning_of);
}

}  // namespace finesync::sgd
