// Ratings by name, by file and by cache.
#include <inputs/ratings/cache.hpp>
#include <inputs/ratings/generate.hpp>
#include <inputs/ratings/load.hpp>
#include <inputs/ratings/pairing.hpp>

#include <gtest/gtest.h>
#include <tests/suite/inputs/error_of.hpp>
#include <tests/suite/inputs/scratch_folder.hpp>

#include <algorithm>
#include <set>

namespace finesync::inputs {
namespace {

namespace fs = std::filesystem;

const std::string text = "1::2::3::4\n1::3::5::4\n";
const std::string cached_file = "it.dat.finesync-ratings";

TEST(load, generates_by_name) {
  const ratings made = load_ratings("movielens-10m-like/1000", {.seed = 7});
  EXPECT_EQ(made.entries, generate(shape_named("movielens-10m-like/1000"), 7).entries);
  EXPECT_EQ(made.name, "movielens-10m-like/1000");
}

TEST(load, reads_a_file_and_leaves_no_cache_of_a_small_one) {
  const scratch_folder scratch;
  write_text(scratch / "it.dat", text);
  const ratings read = load_ratings(scratch / "it.dat");
  EXPECT_EQ(read.name, "it.dat");
  EXPECT_EQ(read.entries.size(), 2u);
  EXPECT_FALSE(fs::exists(scratch / cached_file));
}

TEST(load, names_what_it_knows) {
  EXPECT_EQ(error_of([] { load_ratings("netflix"); }),
            "netflix: there is no such file, and no generator of that name (known: netflix-like, "
            "rcv1-like, movielens-10m-like, and parts of them as netflix-like/1000)");
}

class cached_text : public testing::Test {
 protected:
  cached_text() {
    write_text(scratch_ / "it.dat", text);
    load_ratings(scratch_ / "it.dat", options_);
  }

  // Another text of the same length with the old time, so that the cache seems to match.
  void change_in_secret() {
    const auto modified = fs::last_write_time(scratch_ / "it.dat");
    write_text(scratch_ / "it.dat", "1::2::3::4\n1::3::1::4\n");
    fs::last_write_time(scratch_ / "it.dat", modified);
  }

  float last_value() { return load_ratings(scratch_ / "it.dat", options_).entries.back().value; }

  const scratch_folder scratch_;
  load_options options_{.least_cached_bytes = 0};
};

TEST_F(cached_text, is_not_parsed_again) {
  change_in_secret();
  EXPECT_EQ(last_value(), 5);
  EXPECT_EQ(load_ratings(scratch_ / "it.dat", options_).name, "it.dat");
}

TEST_F(cached_text, is_parsed_again_when_it_has_changed) {
  write_text(scratch_ / "it.dat", "1::2::3::4\n1::3::0.5::4\n");
  EXPECT_EQ(last_value(), 0.5f);
  change_in_secret();
  fs::last_write_time(scratch_ / "it.dat", fs::file_time_type::clock::now());
  EXPECT_EQ(last_value(), 1);
}

TEST_F(cached_text, is_parsed_again_when_the_cache_is_damaged) {
  change_in_secret();
  const std::string whole = text_of(scratch_ / cached_file);
  for (const std::string& damage : {whole.substr(0, 8), whole.substr(0, 70),
                                    text_of(scratch_ / cached_file).replace(60, 1, "?")}) {
    write_text(scratch_ / cached_file, damage);
    EXPECT_EQ(last_value(), 1);
    EXPECT_EQ(text_of(scratch_ / cached_file).size(), whole.size());
  }
}

TEST_F(cached_text, leaves_a_file_that_is_no_cache_as_it_is) {
  change_in_secret();
  for (const std::string& own : {std::string(), std::string("junk")}) {
    write_text(scratch_ / cached_file, own);
    EXPECT_EQ(last_value(), 1);
    EXPECT_EQ(text_of(scratch_ / cached_file), own);
  }
}

TEST_F(cached_text, can_have_its_cache_elsewhere) {
  fs::create_directory(scratch_ / "other");
  fs::remove(scratch_ / cached_file);
  options_.cache_folder = scratch_ / "other";
  EXPECT_EQ(last_value(), 5);
  EXPECT_FALSE(fs::exists(scratch_ / cached_file));
  EXPECT_TRUE(fs::exists(scratch_ / ("other/" + cached_file)));
}

TEST_F(cached_text, is_read_where_no_cache_can_be_written) {
  options_.cache_folder = "/nowhere";
  EXPECT_EQ(last_value(), 5);
}

TEST_F(cached_text, is_never_half_cached) {
  write_text(scratch_ / "it.dat", text + "1::");
  EXPECT_EQ(
      error_of([&] { load_ratings(scratch_ / "it.dat", options_); }),
      scratch_ / "it.dat:3: expected an item from 0 to 4294967294, found the end of the line");
  EXPECT_EQ(parse_cache(text_of(scratch_ / cached_file), "").source.bytes, text.size());
}

TEST_F(cached_text, may_be_gone) {
  fs::remove(scratch_ / "it.dat");
  EXPECT_EQ(load_ratings(scratch_ / cached_file).entries.size(), 2u);
  write_text(scratch_ / cached_file, text_of(scratch_ / cached_file).substr(0, 70));
  EXPECT_EQ(error_of([&] { load_ratings(scratch_ / cached_file); }),
            scratch_ / cached_file +
                ": the cache is cut short or too long: remove it, and the next run makes it again");
}

// A cache returns what was stored, or nothing.

constexpr source_stamp stamp{12'345, -678};

std::string made_cache(const scratch_folder& scratch) {
  write_cache(generate(shape_named("movielens-10m-like/10000"), 1), stamp, scratch / "cache");
  return text_of(scratch / "cache");
}

std::string refusal(const std::string& bytes) {
  return error_of([&] { parse_cache(bytes, "cache"); });
}

TEST(cache, gives_back_what_was_put_in) {
  const scratch_folder scratch;
  const ratings put = generate(shape_named("movielens-10m-like/10000"), 1);
  const std::string bytes = made_cache(scratch);
  EXPECT_TRUE(is_cache(ratings_cache, bytes));
  const cached<ratings> got = parse_cache(bytes, "cache");
  EXPECT_EQ(got.source, stamp);
  EXPECT_EQ(got.value.lefts, put.lefts);
  EXPECT_EQ(got.value.rights, put.rights);
  EXPECT_EQ(got.value.entries, put.entries);
}

TEST(cache, leaves_no_partial_file) {
  const scratch_folder scratch;
  made_cache(scratch);
  std::size_t files = 0;
  for ([[maybe_unused]] const auto& each : std::filesystem::directory_iterator(scratch / ""))
    ++files;
  EXPECT_EQ(files, 1u);
}

TEST(cache, every_changed_bit_is_noticed) {
  const scratch_folder scratch;
  std::string bytes = made_cache(scratch);
  for (std::size_t at = 0; at < bytes.size(); at += at < 64 ? 1 : 97) {
    for (int bit = 0; bit < 8; ++bit) {
      bytes[at] = static_cast<char>(bytes[at] ^ 1 << bit);
      ASSERT_NE(refusal(bytes), "no error") << "byte " << at << ", bit " << bit;
      bytes[at] = static_cast<char>(bytes[at] ^ 1 << bit);
    }
  }
  EXPECT_EQ(refusal(bytes), "no error");
}

TEST(cache, says_what_is_wrong) {
  const scratch_folder scratch;
  const std::string bytes = made_cache(scratch);
  const auto cache_that = [](const std::string& how) {
    return "cache: the cache " + how + ": remove it, and the next run makes it again";
  };
  EXPECT_EQ(refusal("1::2::3::4\n"), "cache: it is no cache of ratings");
  EXPECT_EQ(refusal(bytes.substr(0, 20)), cache_that("is cut short"));
  EXPECT_EQ(refusal(bytes.substr(0, bytes.size() - 1)), cache_that("is cut short or too long"));
  EXPECT_EQ(refusal(bytes.substr(0, bytes.size() - 12)), cache_that("is cut short or too long"));
  EXPECT_EQ(refusal(bytes + "123456789012"), cache_that("is cut short or too long"));
  std::string changed = bytes;
  changed.back() = '?';
  EXPECT_EQ(refusal(changed), cache_that("is damaged"));
  changed = bytes;
  changed[8] = 1;
  EXPECT_EQ(refusal(changed), cache_that("has another version"));
}

TEST(cache, exchanged_entries_are_noticed) {
  const scratch_folder scratch;
  std::string bytes = made_cache(scratch);
  // Two at a time, which are whole words of the checksum.
  std::swap_ranges(bytes.end() - 48, bytes.end() - 24, bytes.end() - 24);
  EXPECT_NE(refusal(bytes), "no error");
}

TEST(cache, what_cannot_be_written_is_said) {
  EXPECT_EQ(error_of([] { write_cache({}, {}, "/nowhere/cache"); }),
            "/nowhere/cache: cannot write it: No such file or directory");
}

// Pairs have the specified degrees, and no pair occurs twice.

// Every left needs the first right, which plain dealing would give to the last ones several times.
const sides all_need_one{std::vector<std::uint32_t>(60, 5), [] {
                           std::vector<std::uint32_t> rights(41, 6);
                           rights.front() = 60;
                           return rights;
                         }()};

TEST(pairing, nobody_meets_the_same_twice_and_all_meet_as_often_as_they_should) {
  for (std::uint32_t seed = 0; seed < 50; ++seed) {
    const auto paired = pair_up(all_need_one, false, seed, "it");
    ASSERT_EQ(paired.size(), 300u);
    for (auto own = paired.begin(); own != paired.end(); own += 5)
      EXPECT_EQ(std::set(own, own + 5).size(), 5u) << "seed " << seed;
    for (std::uint32_t right = 0; right < 41; ++right)
      EXPECT_EQ(std::ranges::count(paired, right), all_need_one.rights[right]);
  }
}

TEST(pairing, repeats_stay_where_they_may) {
  const auto paired = pair_up(all_need_one, true, 1, "it");
  EXPECT_EQ(std::ranges::count(paired, 0u), 60);
  bool repeats = false;
  for (auto own = paired.begin(); own != paired.end(); own += 5)
    repeats |= std::set(own, own + 5).size() != 5;
  EXPECT_TRUE(repeats);
}

TEST(pairing, what_cannot_be_is_refused) {
  // 61 pairs of one right with 60 lefts.
  sides impossible = all_need_one;
  impossible.rights.front() = 61;
  impossible.rights.back() = 5;
  EXPECT_EQ(error_of([&] { pair_up(impossible, false, 1, "it"); }),
            "it: found no pairing without repeats that has these degrees");
}

}  // namespace
}  // namespace finesync::inputs
