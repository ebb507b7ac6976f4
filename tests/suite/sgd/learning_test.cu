// The check of the learned vectors: one thread takes all ratings in order, with one mistake.
#include "small.hpp"

#include <finesync/host/launch.cuh>
#include <workloads/sgd/latin_square/tiles.hpp>
#include <workloads/sgd/learning_experiment.cuh>
#include <workloads/sgd/step.cuh>

#include <tests/primitives.hpp>

#include <type_traits>

namespace finesync::sgd {
namespace {

enum class mistake {
  none,
  takes_one_twice,
  forgets_one,
  forgets_a_movie,
  loses_a_feature,
  loses_a_float,        // in the kernel that is timed, not in the one that counts
  loses_a_float_later,  // the same, from the third run on
  miscounts,
  learns_in_leaps,
  learns_the_contrary,
  learns_by_heart,
  learns_in_the_padding,
};

/// The rating with the mistake.
constexpr std::uint32_t victim = 7;

template <class Model>
__global__ void learn(ratings_ref all, Model vectors, mistake what) {
  using feature = typename Model::feature;
  constexpr unsigned fours = Model::features / 4;
  if (blockIdx.x != 0 || threadIdx.x != 0) return;
  for (std::uint32_t i = 0; i < all.number; ++i) {
    if (i == victim && what == mistake::forgets_one) continue;
    const rating r = all[i];
    four<feature> user[fours];
    four<feature> movie[fours];
    for (unsigned k = 0; k < fours; ++k) {
      user[k] = vectors.users[r.user][k];
      movie[k] = vectors.movies[r.movie][k];
    }
    const float value = all.values[r.kind];
    constexpr bool learns = std::is_same_v<feature, float>;
    if (i == victim && what == (learns ? mistake::loses_a_float : mistake::miscounts)) continue;
    const float scale = what == mistake::learns_in_leaps       ? 1e6f
                        : what == mistake::learns_the_contrary ? -20.0f
                                                               : 1.0f;
    const unsigned times = what == mistake::learns_by_heart ? 50 : 1;
    for (unsigned time = 0; time < times; ++time) step(user, movie, scale * value, r.kind);
    if (i == victim && what == mistake::takes_one_twice) step(user, movie, value, r.kind);
    if constexpr (learns) {
      if (i == victim && what == mistake::learns_in_the_padding) movie[fours - 1].of[3] = 1e-4f;
    }
    for (unsigned k = 0; k < fours; ++k) {
      if (i == victim && what == mistake::loses_a_feature && k == 1) continue;
      vectors.users[r.user][k] = user[k];
      if (i == victim && what == mistake::forgets_a_movie) continue;
      vectors.movies[r.movie][k] = movie[k];
    }
  }
}

class learner final : public learning_experiment<16> {
 public:
  explicit learner(mistake what, unsigned features = 16,
                   update_guarantee given = update_guarantee::every_update)
      : learning_experiment(with(features), {.blocks = 1, .threads_per_block = 1}, given),
        what_(what) {}

 protected:
  void begin() override { ++runs_; }
  void start(const model_ref<float, 16>& vectors) override { start_with(vectors); }
  void start(const model_ref<std::uint32_t, 16>& vectors) override { start_with(vectors); }

 private:
  static run_config with(unsigned features) {
    run_config few = small();
    few.problem.features = features;
    return few;
  }
  template <class Model>
  void start_with(const Model& vectors) {
    const bool late = what_ == mistake::loses_a_float_later;
    const mistake now = !late ? what_ : runs_ > 5 ? mistake::loses_a_float : mistake::none;
    launch_independent(learn<Model>, shape(), ratings(), vectors, now);
  }

  mistake what_;
  unsigned runs_ = 0;  ///< the first two times three, as they also shrink and once count
};

bench::outcome ending_of(mistake what, unsigned features = 16) {
  learner one(what, features);
  one.reset();
  one.launch();
  return one.verify();
}

TEST(learner, without_a_mistake_is_right_to_the_last_bit) {
  for (const unsigned features : {16u, 15u, 11u, 1u}) {
    learner one(mistake::none, features);
    one.reset();
    one.launch();
    const bench::outcome ended = one.verify();
    EXPECT_TRUE(ended.ok()) << ended.reason;
    const bench::counters measured = one.measure();
    EXPECT_NEAR(measured.at("rmse"), measured.at("sequential_rmse"), 1e-6) << features;
  }
}

TEST(learner, starts_alike_whatever_the_padding) {
  const auto data = data_set_of(small().problem);
  model<16> one(data, 11);
  model<64> other(data, 11);
  one.begin_learning();
  other.begin_learning();
  EXPECT_EQ(one.rmse(), other.rmse());
  EXPECT_EQ(other.padded_otherwise(), 0u);
}

TEST(learner, whose_padding_is_not_zero_is_found_out) {
  const bench::outcome ended = ending_of(mistake::learns_in_the_padding, 11);
  EXPECT_EQ(ended.what, bench::status::wrong);
  EXPECT_EQ(ended.reason, "1 vectors have learned in their padding after 1 epochs");
}

TEST(learner, with_one_is_found_out) {
  const std::string taken = " vectors have not taken every step of learning once";
  EXPECT_EQ(ending_of(mistake::takes_one_twice).reason, "2" + taken);
  EXPECT_EQ(ending_of(mistake::forgets_one).reason, "2" + taken);
  EXPECT_EQ(ending_of(mistake::forgets_a_movie).reason, "1" + taken);
  EXPECT_EQ(ending_of(mistake::loses_a_feature).reason, "2" + taken);
  EXPECT_EQ(ending_of(mistake::loses_a_float).reason, "2" + taken);
  EXPECT_EQ(ending_of(mistake::miscounts).reason, "2 vectors have not counted every rating once");
  learner loses(mistake::takes_one_twice, 16, update_guarantee::nothing);
  EXPECT_EQ(workload::ending(loses).reason, "a vector has counted more than its ratings");
}

TEST(learner, with_one_in_later_runs_is_found_out) {
  learner one(mistake::loses_a_float_later);
  EXPECT_NE(one.unverified(), "");
  EXPECT_TRUE(workload::ending(one).ok());
  EXPECT_TRUE(workload::ending(one).ok());
  EXPECT_FALSE(workload::ending(one).ok());
}

TEST(learner, that_learns_too_little_or_too_well_is_wrong) {
  for (const mistake what : {mistake::learns_the_contrary, mistake::learns_by_heart}) {
    const bench::outcome ended = ending_of(what);
    EXPECT_EQ(ended.what, bench::status::wrong);
    EXPECT_EQ(ended.reason.substr(0, 12), "an error of ");
  }
}

TEST(learner, that_diverges_is_an_error_and_no_number) {
  const bench::outcome ended = ending_of(mistake::learns_in_leaps);
  EXPECT_EQ(ended.what, bench::status::error);
  EXPECT_EQ(ended.reason, "learning has diverged after 1 epochs");
}

/// Notes the section work of its epochs.
class noting_learner final : public learning_experiment<16> {
 public:
  explicit noting_learner(const run_config& config)
      : learning_experiment(config, {.blocks = 1, .threads_per_block = 1}) {}

  std::vector<std::uint32_t> seen;

 protected:
  void start(const model_ref<float, 16>& vectors) override {
    seen.push_back(section_work());
    launch_independent(learn<model_ref<float, 16>>, shape(), ratings(), vectors, mistake::none);
  }
  void start(const model_ref<std::uint32_t, 16>& vectors) override {
    launch_independent(learn<model_ref<std::uint32_t, 16>>, shape(), ratings(), vectors,
                       mistake::none);
  }
};

TEST(learner, has_short_loops_in_its_sections_while_it_only_verifies) {
  run_config longer = small();
  for (const std::uint32_t units : {0u, 1u, 5u}) {
    longer.section_work = units;
    noting_learner one(longer);
    EXPECT_TRUE(workload::ending(one).ok());
    EXPECT_EQ(one.seen, (std::vector<std::uint32_t>{units, std::min(units, 1u)}));
  }
}

TEST(ratings, are_packed_into_a_word) {
  const rating r = unpacked(packed({0xabcdef1, 0x9876543, 0xfe}));
  EXPECT_EQ(r.user, 0xabcdef1u);
  EXPECT_EQ(r.movie, 0x9876543u);
  EXPECT_EQ(r.kind, 0xfeu);
}

TEST(run_lengths, are_a_third_and_a_twelfth_of_the_hottest) {
  EXPECT_EQ(run_lengths::of(264).most_of_long, 96u);
  EXPECT_EQ(run_lengths::of(264).least_long, 22u);
  EXPECT_EQ(run_lengths::of(10).most_of_long, 64u);  // no more pieces than are worth a warp
  EXPECT_EQ(run_lengths::of(10).least_long, 8u);
  for (std::uint32_t hottest = 193; hottest < 9216; ++hottest) {
    const run_lengths lengths = run_lengths::of(hottest);
    EXPECT_EQ(lengths.most_of_long % 16, 0u);
    EXPECT_EQ((hottest + lengths.most_of_long - 1) / lengths.most_of_long, 3u) << hottest;
  }
}

TEST(group_assignment, gives_every_one_a_place_of_its_own_and_finds_it_again) {
  for (const std::uint32_t groups : {2u, 3u, 4u, 132u, 396u}) {
    const group_assignment all{fast_divisor::of(groups)};
    for (std::uint32_t id = 0; id < 3 * groups + 1; ++id) {
      const auto placement = all.placement_of(id);
      EXPECT_LT(placement.group, groups);
      EXPECT_LT(placement.place, all.size(3 * groups + 1));
      EXPECT_EQ(all.id_of(placement.group, placement.place), id);
    }
  }
}

TEST(fast_divisor, is_exact_as_far_as_it_says) {
  for (const std::uint32_t by : {2u, 3u, 7u, 132u, 396u, 65535u}) {
    const fast_divisor exact = fast_divisor::of(by);
    const std::uint32_t end = 0xffffffffu / by;
    for (const std::uint32_t n : {0u, 1u, by - 1, by, end / by * by - 1, end / by * by, end})
      EXPECT_EQ(exact.quotient(n), n / by) << n << " / " << by;
  }
}

}  // namespace
}  // namespace finesync::sgd
