#include "run_program.hpp"

#include <bench/aliases.hpp>
#include <bench/command_line.hpp>
#include <bench/usage_error.hpp>

#include <gtest/gtest.h>

namespace {

using namespace finesync::bench;
using texts = std::vector<std::string>;

const declaration zoo = {
    "zoo",
    "Animals.",
    {named_axis("mood", "of the animal", {"calm", "wild"}),
     {.name = "legs", .help = "number", .values = {4}, .names = {"auto"}},
     {.name = "feet", .help = "number", .values = {4}}},
    {{"cat", "purrs", nullptr, {}, {}, {}, {"puss", "dog"}}, {"dog", "barks", nullptr}},
    {.axes = {{"temper", "mood"}, {"feet", "legs"}, {"paws", "claws"}},
     .values = {{"mood", {{"tame", "calm"}, {"wild", "calm"}}}}}};

texts renamed(texts arguments, const texts& changes) {
  EXPECT_EQ(use_names_of_today(zoo, arguments), changes);
  return arguments;
}

TEST(aliases, former_names_become_todays_and_it_is_said) {
  EXPECT_EQ(renamed({"--temper", "tame,wild", "--primitive", "puss"},
                    {"--temper is now --mood", "--mood tame is now --mood calm",
                     "--primitive puss is now --primitive cat"}),
            (texts{"--mood", "calm,wild", "--primitive", "cat"}));
  EXPECT_EQ(renamed({"--temper=tame", "--primitive=dog,puss", "--tune"},
                    {"--temper is now --mood", "--mood tame is now --mood calm",
                     "--primitive puss is now --primitive cat"}),
            (texts{"--mood=calm", "--primitive=dog,cat", "--tune"}));
}

TEST(aliases, names_of_today_and_unknown_ones_stay) {
  for (const texts& arguments : std::vector<texts>{{"--feet", "2", "--mood", "wild"},
                                                   {"--primitive=dog,,cat"},
                                                   {"--paws", "2"},
                                                   {"--temperature=tame", "--legs", "puss,"},
                                                   {"tame"},
                                                   {"--", "--="},
                                                   {}})
    EXPECT_EQ(renamed(arguments, {}), arguments);
  texts unknown = {"--temperr", "calm"};
  use_names_of_today(zoo, unknown);
  EXPECT_THROW(parse_request(zoo, {}, unknown), usage_error);
}

TEST(aliases, a_program_takes_them) {
  const auto done = bench_test::run_fake({"--primitive", "excellent", "--number", "2"});
  EXPECT_EQ(done.exit_status, 0);
  EXPECT_EQ(done.err.rfind("fake: --primitive excellent is now --primitive good\n"
                           "fake: --number is now --n\n",
                           0),
            0U)
      << done.err;
  EXPECT_NE(done.out.find("primitive:good/n:2"), std::string::npos) << done.out;
  const auto picky = bench_test::run_fake({"--primitive", "picky", "--mood=angry"});
  EXPECT_EQ(picky.err.rfind("fake: --mood angry is now --mood wild\n", 0), 0U) << picky.err;
  EXPECT_EQ(bench_test::run_fake({"--primitive", "excelent"}).exit_status, 2);
  EXPECT_EQ(bench_test::run_fake({"--numbr", "2"}).exit_status, 2);
}

}  // namespace
