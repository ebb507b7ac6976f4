// Ratings by name, by file and by cache.
#include <inputs/ratings/cache.hpp>
#include <inputs/ratings/generate.hpp>
#include <inputs/ratings/load.hpp>

#include <tests/suite/inputs/error_of.hpp>
#include <tests/suite/inputs/scratch_folder.hpp>

namespace finesync::inputs {
namespace {

namespace fs = std::filesystem;

const std::string text = "1::2::3::4\n1::3::5::4\n";
const std::string cached = "it.dat.finesync-ratings";

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
  EXPECT_FALSE(fs::exists(scratch / cached));
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
  const std::string whole = text_of(scratch_ / cached);
  for (const std::string& damage :
       {whole.substr(0, 8), whole.substr(0, 70), text_of(scratch_ / cached).replace(60, 1, "?")}) {
    write_text(scratch_ / cached, damage);
    EXPECT_EQ(last_value(), 1);
    EXPECT_EQ(text_of(scratch_ / cached).size(), whole.size());
  }
}

TEST_F(cached_text, leaves_a_file_that_is_no_cache_as_it_is) {
  change_in_secret();
  for (const std::string& own : {std::string(), std::string("junk")}) {
    write_text(scratch_ / cached, own);
    EXPECT_EQ(last_value(), 1);
    EXPECT_EQ(text_of(scratch_ / cached), own);
  }
}

TEST_F(cached_text, can_have_its_cache_elsewhere) {
  fs::create_directory(scratch_ / "other");
  fs::remove(scratch_ / cached);
  options_.cache_folder = scratch_ / "other";
  EXPECT_EQ(last_value(), 5);
  EXPECT_FALSE(fs::exists(scratch_ / cached));
  EXPECT_TRUE(fs::exists(scratch_ / ("other/" + cached)));
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
  EXPECT_EQ(parse_cache(text_of(scratch_ / cached), "").source.bytes, text.size());
}

TEST_F(cached_text, may_be_gone) {
  fs::remove(scratch_ / "it.dat");
  EXPECT_EQ(load_ratings(scratch_ / cached).entries.size(), 2u);
  write_text(scratch_ / cached, text_of(scratch_ / cached).substr(0, 70));
  EXPECT_EQ(error_of([&] { load_ratings(scratch_ / cached); }),
            scratch_ / cached +
                ": the cache is cut short or too long: remove it, and the next run makes it again");
}

}  // namespace
}  // namespace finesync::inputs
