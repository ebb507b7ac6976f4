// What a command line says of inputs.
#include <workloads/sgd/inputs_asked_for.hpp>

#include <gtest/gtest.h>

#include <initializer_list>

namespace finesync::sgd {
namespace {

workload::asked_inputs asked(std::initializer_list<std::string> words) {
  std::vector<std::string> kept = words;
  std::vector<char*> pointers;
  for (std::string& word : kept) pointers.push_back(word.data());
  return inputs_asked_for(static_cast<int>(pointers.size()), pointers.data());
}

using names = std::vector<std::string>;

TEST(inputs_asked_for, are_the_generators_where_nothing_is_said) {
  const workload::asked_inputs found = asked({"sgd", "--features", "32"});
  EXPECT_EQ(found.values, (names{"netflix-like", "rcv1-like", "movielens-10m-like"}));
  EXPECT_EQ(found.inputs, found.values);
  EXPECT_EQ(found.arguments, (names{"sgd", "--features", "32"}));
}

TEST(inputs_asked_for, may_be_parts_and_files) {
  const workload::asked_inputs found =
      asked({"sgd", "--input", "rcv1-like,netflix-like/100,a/My_File.dat", "--input=1.txt"});
  EXPECT_EQ(found.arguments,
            (names{"sgd", "--input", "rcv1-like,netflix-like-100,my-file", "--input=input-1"}));
  EXPECT_EQ(names(found.values.begin() + 3, found.values.end()),
            (names{"netflix-like-100", "my-file", "input-1"}));
  EXPECT_EQ(names(found.inputs.begin() + 3, found.inputs.end()),
            (names{"netflix-like/100", "a/My_File.dat", "1.txt"}));
}

TEST(inputs_asked_for, leave_what_is_no_list_to_the_harness) {
  EXPECT_EQ(asked({"sgd", "--input", "a,,b"}).arguments[2], "a,,b");
  EXPECT_EQ(asked({"sgd", "--input"}).arguments.size(), 2u);
}

}  // namespace
}  // namespace finesync::sgd
