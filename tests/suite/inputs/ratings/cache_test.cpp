// A cache returns what was stored, or nothing.
#include <inputs/ratings/cache.hpp>
#include <inputs/ratings/generate.hpp>

#include <tests/suite/inputs/error_of.hpp>
#include <tests/suite/inputs/scratch_folder.hpp>

namespace finesync::inputs {
namespace {

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

}  // namespace
}  // namespace finesync::inputs
