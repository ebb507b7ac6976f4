#include <bench/command_line.hpp>
#include <bench/program.hpp>
#include <bench/spelling.hpp>
#include <bench/usage_error.hpp>

#include <gtest/gtest.h>

#include <stdexcept>

namespace {

using namespace finesync::bench;

const declaration ht = {
    "ht",
    "Hash table.",
    {{.name = "collision-factor", .help = "threads per lock", .values = {256, 1024}, .min = 1},
     {.name = "tbs-per-sm", .help = "residency", .values = {1}, .min = 1, .max = 32}},
    {{"spin", "test and set", nullptr}, {"server", "delegation", nullptr}}};
const std::vector<finesync::machine_option> machine = {{"device", "which GPU", "0", nullptr},
                                                       {"seed", "of the schedule", "1", nullptr}};

request parse(const std::vector<std::string>& arguments) {
  return parse_request(ht, machine, arguments);
}

std::string refusal(const std::vector<std::string>& arguments) {
  try {
    parse(arguments);
  } catch (const usage_error& problem) {
    EXPECT_EQ(std::string(problem.what()).find('\n'), std::string::npos);
    return problem.what();
  }
  return "accepted";
}

TEST(command_line, nothing_said_means_all_primitives_and_default_values) {
  const request asked = parse({});
  EXPECT_EQ(asked.primitives, (std::vector<std::string>{"spin", "server"}));
  ASSERT_EQ(asked.axes.size(), 2U);
  EXPECT_EQ(asked.axes[0].values, (std::vector<long long>{256, 1024}));
  EXPECT_EQ(asked.axes[1].values, (std::vector<long long>{1}));
  EXPECT_EQ(asked.machine_settings, (std::vector<std::string>{"", ""}));
}

TEST(command_line, reads_every_kind_of_option_in_both_spellings) {
  const request asked = parse({"--primitive", "server,spin", "--tbs-per-sm=1,2,4", "--seed", "7"});
  EXPECT_EQ(asked.primitives, (std::vector<std::string>{"server", "spin"}));
  EXPECT_EQ(asked.axes[0].values, (std::vector<long long>{256, 1024}));
  EXPECT_EQ(asked.axes[1].values, (std::vector<long long>{1, 2, 4}));
  EXPECT_EQ(asked.machine_settings, (std::vector<std::string>{"", "7"}));
  EXPECT_EQ(parse({"--primitive", "all"}).primitives.size(), 2U);
}

TEST(command_line, unknown_primitives_are_refused_with_the_known_ones) {
  EXPECT_EQ(refusal({"--primitive", "spin,sever"}),
            "--primitive: there is no 'sever', did you mean 'server'? (known: spin, server)");
  EXPECT_EQ(refusal({"--primitive", "quantum"}),
            "--primitive: there is no 'quantum' (known: spin, server)");
  EXPECT_EQ(refusal({"--primitive", "spin,spin"}), "--primitive: 'spin' is given twice");
}

TEST(command_line, unknown_options_are_refused_with_the_nearest) {
  EXPECT_EQ(refusal({"--colision-factor", "2"}),
            "unknown option '--colision-factor', did you mean '--collision-factor'? (see --help)");
  EXPECT_EQ(refusal({"--tbs-per-s=2"}),
            "unknown option '--tbs-per-s', did you mean '--tbs-per-sm'? (see --help)");
  EXPECT_EQ(refusal({"--zzz"}), "unknown option '--zzz' (see --help)");
  EXPECT_EQ(refusal({"7"}), "unexpected argument '7'");
}

TEST(command_line, options_need_one_value_once) {
  EXPECT_NE(refusal({"--tbs-per-sm"}), "accepted");
  EXPECT_NE(refusal({"--tbs-per-sm", "1", "2"}), "accepted");
  EXPECT_NE(refusal({"--tbs-per-sm="}), "accepted");
  EXPECT_EQ(refusal({"--tbs-per-sm", "1", "--tbs-per-sm", "2"}),
            "--tbs-per-sm is given more than once");
}

TEST(command_line, bad_values_are_refused) {
  EXPECT_EQ(refusal({"--tbs-per-sm", "1,x"}), "--tbs-per-sm: 'x' is not a number");
  EXPECT_EQ(refusal({"--tbs-per-sm", "33"}),
            "--tbs-per-sm: 33 is out of range, allowed are 1 to 32");
  EXPECT_EQ(refusal({"--tbs-per-sm", "-1"}),
            "--tbs-per-sm: -1 is out of range, allowed are 1 to 32");
}

TEST(command_line, help_names_everything) {
  const std::string text = help_text(ht, machine);
  for (const char* part :
       {"ht: Hash table.", "spin", "test and set", "server", "delegation", "--collision-factor",
        "threads per lock", "1 or more; default 256,1024", "1 to 32; default 1", "--device",
        "which GPU (default 0)", "--benchmark_out=FILE", "--benchmark_filter=REGEX",
        "ht --primitive spin,server --collision-factor 256,1024 --benchmark_out=ht.json"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\nis missing in\n" << text;
}

TEST(spelling, nearest_is_close_or_nothing) {
  EXPECT_EQ(nearest("sipn", {"spin", "server"}), "");
  EXPECT_EQ(nearest("spn", {"spin", "server"}), "spin");
  EXPECT_EQ(nearest("servers", {"spin", "server"}), "server");
  EXPECT_EQ(nearest("barrier", {"spin", "server"}), "");
  EXPECT_EQ(nearest("x", {}), "");
}

TEST(program, refuses_declarations_that_clash) {
  program clashing("p", "", machine_access{});
  clashing.axis({.name = "n", .values = {1}}).primitive({"a", "", nullptr});
  EXPECT_THROW(clashing.axis({.name = "n", .values = {1}}), std::invalid_argument);
  EXPECT_THROW(clashing.axis({.name = "primitive", .values = {1}}), std::invalid_argument);
  EXPECT_THROW(clashing.primitive({"a", "", nullptr}), std::invalid_argument);
  EXPECT_THROW(clashing.primitive({"all", "", nullptr}), std::invalid_argument);
  EXPECT_THROW(clashing.primitive({"a,b", "", nullptr}), std::invalid_argument);
}

}  // namespace
