// Inputs on the command line.
#include <inputs/graphs/generate.hpp>
#include <inputs/ratings/shape.hpp>
#include <workloads/common/inputs/input_axis.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace finesync::workload {
namespace {

using names = std::vector<std::string>;

input_axis asked(std::vector<std::string> kept, const names& generators,
                 bool (*is_generated)(const std::string&)) {
  std::vector<char*> pointers;
  for (std::string& word : kept) pointers.push_back(word.data());
  return make_input_axis(static_cast<int>(pointers.size()), pointers.data(), generators,
                         one_each(is_generated));
}

input_axis asked_of_ratings(const names& words) {
  return asked(words, inputs::shape_names(), inputs::names_shape);
}

TEST(input_axis, are_the_generators_where_nothing_is_said) {
  const input_axis found = asked_of_ratings({"sgd", "--features", "32"});
  EXPECT_EQ(found.values, (names{"netflix-like", "rcv1-like", "movielens-10m-like"}));
  EXPECT_EQ(found.inputs, found.values);
  EXPECT_EQ(found.arguments, (names{"sgd", "--features", "32"}));
}

TEST(input_axis, may_be_parts_and_files) {
  const input_axis found = asked_of_ratings(
      {"sgd", "--input", "rcv1-like,netflix-like/100,a/My_File.dat", "--input=1.txt"});
  EXPECT_EQ(found.arguments,
            (names{"sgd", "--input", "rcv1-like,netflix-like-100,my-file", "--input=input-1"}));
  EXPECT_EQ(names(found.values.begin() + 3, found.values.end()),
            (names{"netflix-like-100", "my-file", "input-1"}));
  EXPECT_EQ(names(found.inputs.begin() + 3, found.inputs.end()),
            (names{"netflix-like/100", "a/My_File.dat", "1.txt"}));
}

TEST(input_axis, leave_what_is_no_list_to_the_harness) {
  EXPECT_EQ(asked_of_ratings({"sgd", "--input", "a,,b"}).arguments[2], "a,,b");
  EXPECT_EQ(asked_of_ratings({"sgd", "--input"}).arguments.size(), 2u);
}

TEST(input_axis, may_have_a_size) {
  const input_axis found = asked({"maxflow", "--input", "washington,mesh/8x4,some/Road.max"},
                                 inputs::known_networks(), inputs::names_network);
  EXPECT_EQ(found.arguments[2], "washington,mesh-8x4,road");
  EXPECT_EQ(names(found.inputs.end() - 2, found.inputs.end()),
            (names{"mesh/8x4", "some/Road.max"}));
}

}  // namespace
}  // namespace finesync::workload
