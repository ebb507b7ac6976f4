#include "sequence_axes.hpp"

#include <inputs/sequences/load.hpp>
#include <inputs/sequences/rodinia.hpp>

#include <string>
#include <vector>

namespace finesync::nw {
namespace {

const std::string generator = "rodinia";

std::vector<workload::named_input> meaning_of(const std::vector<std::string>& words) {
  std::vector<workload::named_input> named;
  std::vector<workload::file_word> files;
  for (const std::string& word : words) {
    if (word == generator) {
      named.push_back(workload::generated_input(word, inputs::rodinia_seed));
      continue;
    }
    files.push_back({word, inputs::file_of(word)});
    if (files.size() < 2) continue;
    named.push_back(workload::input_in_files(files));
    files.clear();
  }
  if (!files.empty()) named.push_back(workload::input_in_files(files));
  return named;
}

}  // namespace

workload::input_axis make_input_axis(int argc, char** argv) {
  return workload::make_input_axis(argc, argv, {generator}, meaning_of);
}

}  // namespace finesync::nw
