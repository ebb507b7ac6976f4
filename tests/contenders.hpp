// The contenders of a program as parameters of tests.
#pragma once

#include <workloads/common/contender.hpp>

#include <algorithm>
#include <cstddef>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace finesync::workload {

template <class Setup>
void PrintTo(const contender<Setup>& who, std::ostream* out) {
  *out << who.name;
}

/// Those that this machine can run, without one that a test says why it leaves out.
template <class Setup, std::size_t Size>
std::vector<contender<Setup>> runnable(const contender<Setup> (&all)[Size],
                                       std::string_view without = "") {
  std::vector<contender<Setup>> found;
  std::copy_if(std::begin(all), std::end(all), std::back_inserter(found), [&](const auto& each) {
    return each.make != &needs_a_gpu<Setup> && each.name != without;
  });
  return found;
}

/// The names of such tests.
inline constexpr auto name_of_contender = [](const auto& tested) {
  return std::string(tested.param.name);
};

}  // namespace finesync::workload
