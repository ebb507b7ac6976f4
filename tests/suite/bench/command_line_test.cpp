#include <bench/command_line.hpp>
#include <bench/program.hpp>
#include <bench/spelling.hpp>
#include <bench/usage_error.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <tests/refusal.hpp>

#include <algorithm>
#include <sstream>
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

sweep_request parse(const std::vector<std::string>& arguments) {
  return parse_request(ht, machine, arguments);
}

std::string refusal_of(const std::vector<std::string>& arguments) {
  try {
    parse(arguments);
  } catch (const usage_error& problem) {
    EXPECT_EQ(std::string(problem.what()).find('\n'), std::string::npos);
    return problem.what();
  }
  return "accepted";
}

TEST(command_line, nothing_said_means_all_primitives_and_default_values) {
  const sweep_request asked = parse({});
  EXPECT_EQ(asked.primitives, (std::vector<std::string>{"spin", "server"}));
  ASSERT_EQ(asked.axes.size(), 2U);
  EXPECT_EQ(asked.axes[0].values, (std::vector<long long>{256, 1024}));
  EXPECT_EQ(asked.axes[1].values, (std::vector<long long>{1}));
  EXPECT_EQ(asked.machine_settings, (std::vector<std::string>{"", ""}));
}

TEST(command_line, reads_every_kind_of_option_in_both_spellings) {
  const sweep_request asked =
      parse({"--primitive", "server,spin", "--tbs-per-sm=1,2,4", "--seed", "7"});
  EXPECT_EQ(asked.primitives, (std::vector<std::string>{"server", "spin"}));
  EXPECT_EQ(asked.axes[0].values, (std::vector<long long>{256, 1024}));
  EXPECT_EQ(asked.axes[1].values, (std::vector<long long>{1, 2, 4}));
  EXPECT_EQ(asked.machine_settings, (std::vector<std::string>{"", "7"}));
  EXPECT_EQ(parse({"--primitive", "all"}).primitives.size(), 2U);
}

TEST(command_line, unknown_primitives_are_refused_with_the_known_ones) {
  EXPECT_EQ(refusal_of({"--primitive", "spin,sever"}),
            "--primitive: there is no 'sever', did you mean 'server'? (known: spin, server)");
  EXPECT_EQ(refusal_of({"--primitive", "quantum"}),
            "--primitive: there is no 'quantum' (known: spin, server)");
  EXPECT_EQ(refusal_of({"--primitive", "spin,spin"}), "--primitive: 'spin' is given twice");
}

TEST(command_line, unknown_options_are_refused_with_the_nearest) {
  EXPECT_EQ(refusal_of({"--colision-factor", "2"}),
            "unknown option '--colision-factor', did you mean '--collision-factor'? (see --help)");
  EXPECT_EQ(refusal_of({"--tbs-per-s=2"}),
            "unknown option '--tbs-per-s', did you mean '--tbs-per-sm'? (see --help)");
  EXPECT_EQ(refusal_of({"--zzz"}), "unknown option '--zzz' (see --help)");
  EXPECT_EQ(refusal_of({"7"}), "unexpected argument '7'");
}

TEST(command_line, options_need_one_value_once) {
  EXPECT_NE(refusal_of({"--tbs-per-sm"}), "accepted");
  EXPECT_NE(refusal_of({"--tbs-per-sm", "1", "2"}), "accepted");
  EXPECT_NE(refusal_of({"--tbs-per-sm="}), "accepted");
  EXPECT_EQ(refusal_of({"--tbs-per-sm", "1", "--tbs-per-sm", "2"}),
            "--tbs-per-sm is given more than once");
}

TEST(command_line, bad_values_are_refused) {
  EXPECT_EQ(refusal_of({"--tbs-per-sm", "1,x"}), "--tbs-per-sm: 'x' is not a number");
  EXPECT_EQ(refusal_of({"--tbs-per-sm", "33"}),
            "--tbs-per-sm: 33 is out of range, allowed are 1 to 32");
  EXPECT_EQ(refusal_of({"--tbs-per-sm", "-1"}),
            "--tbs-per-sm: -1 is out of range, allowed are 1 to 32");
}

TEST(command_line, help_names_everything) {
  const std::string text = help_text(ht, machine, help_of::all);
  for (const char* part :
       {"ht: Hash table.", "spin", "test and set", "server", "delegation", "--collision-factor",
        "threads per lock", "1 or more; default 256,1024", "1 to 32; default 1", "--device",
        "which GPU (default 0)", "--benchmark_out=FILE", "--benchmark_filter=REGEX",
        "ht --primitive spin,server --collision-factor 256,1024 --benchmark_out=ht.json"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\nis missing in\n" << text;
}

TEST(command_line, help_has_eighty_columns_and_keeps_the_second_one) {
  declaration wordy = ht;
  for (int i = 0; i < 30; ++i) {
    wordy.description += " A sentence.";
    wordy.axes.front().help += (i % 7 == 0 ? "\n" : " ") + std::string("and more");
  }
  wordy.axes.front().values = {100000000, 200000000, 300000000, 400000000};
  std::istringstream lines(help_text(wordy, machine, help_of::all));
  std::size_t aligned = 0;
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(line.size(), 80U) << line;
    if (line.find("and more") != std::string::npos)
      aligned += line.find_first_not_of(' ', 22) == 22;
  }
  EXPECT_GE(aligned, 4U);
  EXPECT_NE(lines.str().find("  ht --primitive spin,server \\\n    --collision-factor 1"),
            std::string::npos)
      << lines.str();
}

TEST(command_line, the_usual_help_fits_on_a_screen_and_leaves_out_what_is_aside) {
  declaration many = ht;
  const std::string words = "words of a sentence that is too long for one line, and goes on";
  many.axes.front().help = words + "; " + words;
  for (int i = 0; i < 60; ++i)
    many.primitives.push_back({fmt::format("p{}", i), words + words, nullptr});
  many.primitives[5].aside = many.primitives[6].aside = true;
  for (const std::size_t shown : {62U, 20U}) {
    many.primitives.resize(shown);
    const std::string text = help_text(many, machine, help_of::usual);
    EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 50) << text;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80U) << line;
    EXPECT_EQ(text.find("p3 "), std::string::npos) << text;
    EXPECT_NE(text.find("p5 "), std::string::npos) << text;
    EXPECT_NE(text.find("--help all has 2 primitives that are steps or as printed"),
              std::string::npos);
    EXPECT_NE(help_text(many, machine, help_of::all).find("\n  p3 "), std::string::npos);
  }
}

const declaration tunable = {
    "p",
    "",
    {{.name = "n", .values = {1, 2}},
     {.name = "blocks", .help = "residency", .values = {1}, .candidates = {2, 4}}},
    {{"fixed", "", nullptr}, {"free", "", nullptr, {"blocks"}}}};

TEST(command_line, tune_is_off_unless_asked_for_and_takes_no_value) {
  EXPECT_FALSE(parse({}).tune);
  EXPECT_TRUE(parse({"--tune", "--tbs-per-sm", "2"}).tune);
  EXPECT_NE(refusal_of({"--tune=false"}), "accepted");
  EXPECT_EQ(refusal_of({"--tune", "2"}), "unexpected argument '2'");
  EXPECT_EQ(refusal_of({"--tune", "--tune"}), "--tune is given more than once");
}

TEST(command_line, axes_that_the_user_gives_are_held) {
  EXPECT_TRUE(parse({"--tune"}).held.empty());
  EXPECT_EQ(parse({"--tune", "--tbs-per-sm", "2"}).held, (std::vector<std::string>{"tbs-per-sm"}));
}

TEST(command_line, help_says_what_tune_tries_and_for_whom) {
  const std::string some = help_text(tunable, {}, help_of::all);
  EXPECT_NE(some.find("residency (0 or more; default 1; --tune tries 1,2,4, only for free)"),
            std::string::npos)
      << some;
  EXPECT_NE(some.find("(0 or more; default 1,2)"), std::string::npos) << some;
  declaration every = tunable;
  every.primitives.erase(every.primitives.begin());
  EXPECT_NE(help_text(every, {}, help_of::all).find("--tune tries 1,2,4)"), std::string::npos);
  EXPECT_NE(help_text(ht, {}, help_of::all).find("\n  --tune "), std::string::npos);
}

std::string tunable_problem(const std::vector<std::string>& names) {
  declaration declared = tunable;
  declared.primitives.back().tunable = names;
  return finesync::test::refusal_of<std::invalid_argument>(
      [&] { check_axes_of_primitives(declared); });
}

TEST(command_line, tunable_axes_must_exist_and_have_candidates) {
  EXPECT_EQ(tunable_problem({"blocks"}), "");
  EXPECT_EQ(tunable_problem({"block"}), "primitive 'free': axis 'block' does not exist");
  EXPECT_EQ(tunable_problem({"n"}), "primitive 'free': axis 'n' has no candidates");
  EXPECT_EQ(tunable_problem({"blocks", "blocks"}),
            "primitive 'free': axis 'blocks' is named twice");
}

TEST(command_line, an_axis_that_only_others_have_is_not_tuned) {
  declaration declared = tunable;
  declared.primitives.front().axes = {"blocks"};
  const std::vector<std::string> asked = {"blocks"};
  for (primitive& each : declared.primitives) each.tunable = asked;
  check_axes_of_primitives(declared);
  EXPECT_EQ(tunable_axes(declared, declared.primitives.front()), asked);
  EXPECT_TRUE(tunable_axes(declared, declared.primitives.back()).empty());
}

const declaration with_own_axes = {
    "p",
    "",
    {{.name = "n", .values = {1}},
     {.name = "ring", .help = "slots", .values = {4}, .candidates = {8}},
     {.name = "cluster", .help = "blocks", .values = {2}}},
    {{"lock", "", nullptr},
     {"server", "", nullptr, {}, {}, {"ring"}},
     {"cohort", "", nullptr, {}, {}, {"ring", "cluster"}}}};

std::vector<std::string> names_of_axes(const primitive& which) {
  std::vector<std::string> names;
  for (const axis& each : axes_of(with_own_axes, which, with_own_axes.axes))
    names.push_back(each.name);
  return names;
}

TEST(command_line, an_axis_of_some_primitives_is_none_of_the_others) {
  using names = std::vector<std::string>;
  EXPECT_EQ(names_of_axes(with_own_axes.primitives[0]), (names{"n"}));
  EXPECT_EQ(names_of_axes(with_own_axes.primitives[1]), (names{"n", "ring"}));
  EXPECT_EQ(names_of_axes(with_own_axes.primitives[2]), (names{"n", "ring", "cluster"}));
  EXPECT_EQ(tunable_axes(with_own_axes, with_own_axes.primitives[2]), (names{"ring"}));
  const primitive in_order = {"", "", nullptr, {"ring", "n"}, {}, {"cluster", "ring"}};
  EXPECT_EQ(tunable_axes(with_own_axes, in_order), (names{"ring", "n"}));
  const std::string text = help_text(with_own_axes, {}, help_of::all);
  EXPECT_NE(text.find("slots (0 or more; default 4; not for lock; --tune tries 4,8)"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("blocks (0 or more; default 2; only for cohort)"), std::string::npos) << text;
}

TEST(command_line, an_axis_that_no_primitive_asked_for_has_is_refused) {
  const auto parse_own = [](const std::string& primitives) {
    return parse_request(with_own_axes, {}, {"--primitive", primitives, "--ring", "8"});
  };
  EXPECT_NO_THROW(parse_own("lock,server"));
  const std::string problem = finesync::test::refusal_of<usage_error>([&] { parse_own("lock"); });
  EXPECT_EQ(problem, "--ring: only server, cohort have it");
}

TEST(spelling, nearest_is_close_or_nothing) {
  EXPECT_EQ(nearest("sipn", {"spin", "server"}), "");
  EXPECT_EQ(nearest("spn", {"spin", "server"}), "spin");
  EXPECT_EQ(nearest("servers", {"spin", "server"}), "server");
  EXPECT_EQ(nearest("barrier", {"spin", "server"}), "");
  EXPECT_EQ(nearest("x", {}), "");
}

TEST(program, refuses_declarations_that_clash) {
  program clashing("p", "", machine_interface{});
  clashing.axis({.name = "n", .values = {1}}).primitive({"a", "", nullptr});
  EXPECT_THROW(clashing.axis({.name = "n", .values = {1}}), std::invalid_argument);
  EXPECT_THROW(clashing.axis({.name = "tune", .values = {1}}), std::invalid_argument);
  EXPECT_THROW(clashing.axis({.name = "primitive", .values = {1}}), std::invalid_argument);
  EXPECT_THROW(clashing.primitive({"a", "", nullptr}), std::invalid_argument);
  EXPECT_THROW(clashing.primitive({"all", "", nullptr}), std::invalid_argument);
  EXPECT_THROW(clashing.primitive({"a,b", "", nullptr}), std::invalid_argument);
}

TEST(program, refuses_to_run_with_a_tunable_axis_that_is_not_there) {
  program wrong("p", "", machine_interface{});
  wrong.axis({.name = "n", .values = {1}}).primitive({"a", "", nullptr, {"m"}});
  std::string name = "p";
  char* argv[] = {name.data(), nullptr};
  testing::internal::CaptureStderr();
  EXPECT_EQ(wrong.run(1, argv), 2);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "p: error: primitive 'a': axis 'm' does not exist\n");
}

}  // namespace
