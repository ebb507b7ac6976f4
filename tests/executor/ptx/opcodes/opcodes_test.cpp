// Each instruction computes what a GPU has computed: bit by bit, but for what the PTX manual leaves
// open (tolerance). record_opcodes.cpp makes the recordings.
#include <ptx/decode/decoder.hpp>

#include <fmt/format.h>
#include <tests/executor/ptx/launching.hpp>
#include <tests/executor/ptx/opcodes/domains.hpp>
#include <tests/executor/ptx/opcodes/recording.hpp>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

namespace ptx_opcodes {

namespace {

rows computed_by_interpreter(const opcode_case& one) {
  const ptx_test::program p(kernel_text(one));
  const std::size_t threads = one.tuples.size();
  ptx_test::words<values> in(threads), out(threads);
  ptx_test::words<std::uint64_t> scratch(8 * threads);
  std::copy(one.tuples.begin(), one.tuples.end(), in.data());
  const simt::grid_shape shape =
      ptx_test::grid(one.cluster_blocks, static_cast<std::uint32_t>(threads / one.cluster_blocks),
                     one.cluster_blocks);
  p.run("k", shape, in.data(), out.data(), scratch.data());
  return out.all();
}

std::vector<recording> recordings() {
  std::vector<recording> all;
  for (const auto& file : std::filesystem::directory_iterator(RECORDINGS_FOLDER)) {
    std::ifstream text(file.path());
    all.push_back(read(text));
  }
  if (all.empty()) throw std::runtime_error("no recording of a GPU");
  return all;
}

/// One result of one row with a bit that matters in any format: a number becomes one that is far
/// away, none becomes a number.
void spoil(const opcode_case& of, values& row) {
  const bool is_real = of.open.format != real_format::none;
  row[0] ^= is_real ? std::uint64_t{1} << (static_cast<unsigned>(of.results[0]) - 2) : 1;
}

/// What fails, case by case.
std::string failures_of(const std::vector<opcode_case>& cases) {
  const auto recorded = recordings();
  std::string all;
  for (const opcode_case& one : cases) {
    rows computed;
    try {
      computed = computed_by_interpreter(one);
    } catch (const std::exception& problem) {
      all += fmt::format("{}: {}\n", one.name, problem.what());
      continue;
    }
    if (!one.expected.empty()) all += difference(one, computed, one.expected);
    for (const recording& gpu : recorded) {
      const auto found = gpu.entries.find(one.name);
      if (found == gpu.entries.end() || found->second.fingerprint != fingerprint(one)) {
        all += fmt::format("{}: not recorded as it stands; run record_opcodes\n", one.name);
        continue;
      }
      rows expected = rows_of(one, found->second.digits);
      all += difference(one, computed, expected);
      spoil(one, expected[computed.size() / 2]);
      if (difference(one, computed, expected).empty())
        all += fmt::format("{}: a wrong row is not noticed\n", one.name);
    }
  }
  return all;
}

}  // namespace

TEST(ptx_opcodes, integers) {
  EXPECT_EQ(failures_of(integer_cases()), "");
}
TEST(ptx_opcodes, bits) {
  EXPECT_EQ(failures_of(bit_cases()), "");
}
TEST(ptx_opcodes, reals) {
  EXPECT_EQ(failures_of(real_cases()), "");
}
TEST(ptx_opcodes, approximations) {
  EXPECT_EQ(failures_of(approximate_cases()), "");
}
TEST(ptx_opcodes, comparisons) {
  EXPECT_EQ(failures_of(comparison_cases()), "");
}
TEST(ptx_opcodes, conversions) {
  EXPECT_EQ(failures_of(conversion_cases()), "");
}
TEST(ptx_opcodes, memory) {
  EXPECT_EQ(failures_of(memory_cases()), "");
}
TEST(ptx_opcodes, atomics) {
  EXPECT_EQ(failures_of(atomic_cases()), "");
}
TEST(ptx_opcodes, warps) {
  EXPECT_EQ(failures_of(warp_cases()), "");
}
TEST(ptx_opcodes, control) {
  EXPECT_EQ(failures_of(control_cases()), "");
}

TEST(ptx_opcodes, matrices) {
  EXPECT_EQ(failures_of(matrix_cases()), "");
}
TEST(ptx_opcodes, wmma) {
  EXPECT_EQ(failures_of(wmma_cases()), "");
}

TEST(ptx_opcodes, a_sum_with_a_product_of_halves_is_rounded_once) {
  // The product lies between two values of the format; what is added decides.
  const auto one = [](std::uint64_t value) { return only(width::bits16, {value}); };
  const opcode_case below =
      computation("fma.rn.bf16", width::bits16, {one(0x3f81), one(0x3fc0), one(0x8001)});
  EXPECT_EQ(computed_by_interpreter(below).front()[0], 0x3fc1u);
}

TEST(ptx_opcodes, names_are_unique) {
  std::set<std::string> names;
  for (const opcode_case& one : all_cases()) EXPECT_TRUE(names.insert(one.name).second) << one.name;
}

TEST(ptx_opcodes, each_opcode_has_a_case) {
  // What computes nothing, and what other tests check by behaviour.
  const std::map<std::string_view, std::string_view> without = {
      {"membar", "orders other accesses: synchronization_test"},
      {"fence", "orders other accesses: synchronization_test"},
      {"mbarrier", "phases of a barrier: asynchronous_test"},
      {"activemask", "the manual leaves open which lanes are there: synchronization_test"},
      {"nanosleep", "takes time"},
      {"trap", "ends the launch: refusal_test"},
      {"brkpt", "ends the launch, as trap"},
      {"pmevent", "tells a profiler"},
      {"setmaxnreg", "gives registers to other warps"},
      {"griddepcontrol", "orders launches"},
      {"prefetch", "a hint"},
      {"prefetchu", "a hint"},
      {"applypriority", "a hint"},
      {"discard", "a hint"},
      {"createpolicy", "makes a hint"},
  };
  std::set<std::string, std::less<>> of_reals, of_others;
  for (const auto& cases : {real_cases(), approximate_cases()})
    for (const opcode_case& one : cases) of_reals.emplace(one.opcode());
  for (const opcode_case& one : all_cases()) of_others.emplace(one.opcode());
  for (const ptx::opcode_row& row : ptx::real_rows())
    EXPECT_TRUE(of_reals.contains(row.opcode)) << row.opcode << " of real numbers";
  for (const auto rows_of_family :
       {ptx::integer_rows(), ptx::bit_rows(), ptx::comparison_rows(), ptx::conversion_rows(),
        ptx::memory_rows(), ptx::atomic_rows(), ptx::control_rows(), ptx::collective_rows(),
        ptx::asynchronous_rows(), ptx::matrix_movement_rows(), ptx::matrix_product_rows()}) {
    for (const ptx::opcode_row& row : rows_of_family)
      EXPECT_NE(of_others.contains(row.opcode), without.contains(row.opcode)) << row.opcode;
  }
}

TEST(ptx_opcodes, recordings_are_read_as_written) {
  recording made;
  made.provenance = {{"gpu", "none"}, {"date", "2000-01-01"}};
  for (const opcode_case& one : control_cases()) {
    rows results(one.tuples.size(), values{1});
    results.back()[0] = 0;
    made.entries[one.name] = {fingerprint(one), digits_of(one, results)};
    EXPECT_EQ(rows_of(one, made.entries[one.name].digits), results);
  }
  std::stringstream text;
  write(text, made, control_cases());
  const recording same = read(text);
  EXPECT_EQ(same.provenance, made.provenance);
  ASSERT_EQ(same.entries.size(), made.entries.size());
  for (const auto& [name, entry] : made.entries) {
    EXPECT_EQ(same.entries.at(name).digits, entry.digits) << name;
    EXPECT_EQ(same.entries.at(name).fingerprint, entry.fingerprint) << name;
  }
  for (const char* wrong : {"bra", "bra 1", "bra x 1", "bra 1 =none", "bra 1 0\nbra 1 0"}) {
    std::istringstream malformed(wrong);
    EXPECT_THROW(read(malformed), std::runtime_error) << wrong;
  }
  const opcode_case one = control_cases().front();
  EXPECT_THROW(rows_of(one, "00"), std::runtime_error);
  EXPECT_THROW(rows_of(one, std::string(17, '0')), std::runtime_error);
}

}  // namespace ptx_opcodes
