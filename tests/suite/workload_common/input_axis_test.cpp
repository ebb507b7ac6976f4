// Inputs on the command line.
#include <inputs/graphs/generate.hpp>
#include <inputs/ratings/shape.hpp>
#include <workloads/common/inputs/input_axis.hpp>
#include <workloads/common/inputs/last_input.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include <unistd.h>

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
  EXPECT_EQ(found.words, (names{"sgd", "--features", "32"}));
}

TEST(input_axis, may_be_parts_and_files) {
  const input_axis found = asked_of_ratings(
      {"sgd", "--input", "rcv1-like,netflix-like/100,a/My_File.dat", "--input=1.txt"});
  EXPECT_EQ(found.command_line,
            (names{"sgd", "--input", "rcv1-like,netflix-like/100,a/My_File.dat", "--input=1.txt"}));
  ASSERT_EQ(found.values.size(), 6u);
  EXPECT_EQ(found.words, (names{"sgd", "--input", "rcv1-like,netflix-like-100," + found.values[4],
                                "--input=" + found.values[5]}));
  EXPECT_EQ(found.values[3], "netflix-like-100");
  EXPECT_EQ(found.values[4].substr(0, 8), "my-file-");
  EXPECT_EQ(found.values[5].substr(0, 8), "input-1-");
  EXPECT_EQ(names(found.inputs.begin() + 3, found.inputs.end()),
            (names{"netflix-like/100", "a/My_File.dat", "1.txt"}));
}

TEST(input_axis, leave_what_is_no_list_to_the_harness) {
  EXPECT_EQ(asked_of_ratings({"sgd", "--input", "a,,b"}).words[2], "a,,b");
  EXPECT_EQ(asked_of_ratings({"sgd", "--input"}).words.size(), 2u);
}

using bench::parameters;

TEST(input_axis, say_where_they_are_from) {
  const std::string file =
      std::filesystem::temp_directory_path() / ("input_axis_test." + std::to_string(getpid()));
  std::ofstream(file) << "foobar";
  const input_axis found = asked_of_ratings({"sgd", "--input", "rcv1-like/9,nowhere.dat," + file});
  std::filesystem::remove(file);
  ASSERT_EQ(found.sources.size(), 6u);
  EXPECT_EQ(found.sources[1], (parameters{{"generator", "rcv1-like"}, {"seed", 2019LL}}));
  EXPECT_EQ(found.sources[3], (parameters{{"generator", "rcv1-like/9"}, {"seed", 2019LL}}));
  EXPECT_EQ(found.sources[4], (parameters{{"file", "nowhere.dat"}}));
  // The published FNV-1a of "foobar".
  EXPECT_EQ(found.sources[5], (parameters{{"file", file}, {"file_fnv1a64", "85944171f73967e8"}}));
}

std::string value_of(const std::string& file, const std::string& content) {
  std::ofstream(file) << content;
  return input_in_files({{file, file}}).value;
}

TEST(input_axis, have_a_name_for_each_file_in_whichever_run) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / ("input_axis." + std::to_string(getpid()));
  fs::create_directories(folder / "d1");
  fs::create_directories(folder / "d2");
  const std::string one = value_of(folder / "d1/x.gr", "same");
  const std::string other = value_of(folder / "d2/x.gr", "same");
  const std::string changed = value_of(folder / "d2/x.gr", "changed");
  EXPECT_EQ((std::set{one, other, changed}.size()), 3u);
  EXPECT_EQ(value_of(folder / "d1/x.gr", "same"), one);
  EXPECT_EQ(value_of(folder / "d2/../d1/x.gr", "same"), one);
  fs::remove_all(folder);
}

TEST(input_axis, may_have_a_size) {
  const input_axis found = asked({"maxflow", "--input", "washington,mesh/8x4,some/Road.max"},
                                 inputs::known_networks(), inputs::names_network);
  EXPECT_EQ(found.words[2].substr(0, 25), "washington,mesh-8x4,road-");
  EXPECT_EQ(names(found.inputs.end() - 2, found.inputs.end()),
            (names{"mesh/8x4", "some/Road.max"}));
}

// Only the input of the last point is kept.

std::shared_ptr<const std::string> loaded(const std::string& name) {
  return last_input(name, [&] {
    if (name.empty()) throw std::invalid_argument("no name");
    return std::make_shared<const std::string>(name);
  });
}

TEST(last_input, is_kept_until_another_is_wanted) {
  const auto first = loaded("one");
  EXPECT_EQ(loaded("one"), first);
  EXPECT_EQ(*loaded("two"), "two");
  EXPECT_NE(loaded("one"), first);
  EXPECT_EQ(*loaded("one"), "one");
}

TEST(last_input, is_gone_before_another_is_loaded) {
  const std::weak_ptr<const std::string> first = loaded("one");
  EXPECT_FALSE(first.expired());
  loaded("two");
  EXPECT_TRUE(first.expired());
}

TEST(last_input, is_loaded_again_after_a_failure) {
  loaded("one");
  EXPECT_THROW(loaded(""), std::invalid_argument);
  EXPECT_EQ(*loaded("one"), "one");
  EXPECT_THROW(loaded(""), std::invalid_argument);
}

}  // namespace
}  // namespace finesync::workload
