#include "sequence_axes.hpp"

#include <string>
#include <vector>

namespace finesync::nw {
namespace {

const std::string generator = "rodinia";

std::vector<workload::named_input> meaning_of(const std::vector<std::string>& words) {
  using workload::value_for_file;
  std::vector<workload::named_input> named;
  std::string first;
  for (const std::string& word : words) {
    if (word == generator) {
      named.push_back({word, word});
    } else if (first.empty()) {
      first = word;
    } else {
      named.push_back({value_for_file(first) + "-" + value_for_file(word), first + "," + word});
      first.clear();
    }
  }
  if (!first.empty()) named.push_back({value_for_file(first), first});
  return named;
}

}  // namespace

workload::input_axis make_input_axis(int argc, char** argv) {
  return workload::make_input_axis(argc, argv, {generator}, meaning_of);
}

}  // namespace finesync::nw
