#include "latin_square_experiment.cuh"

#include <memory>

namespace finesync::sgd {

namespace {

template <unsigned Features>
using sound_timetable = bipartite_experiment<Features, sound_means>;

}  // namespace

std::unique_ptr<bench::experiment> make_bipartite_timetable(const setup& how) {
  return by_features<sound_timetable>(how);
}

}  // namespace finesync::sgd
