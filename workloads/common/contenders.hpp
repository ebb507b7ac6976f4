// Contenders, as the harness knows primitives.
#pragma once

#include <bench/program.hpp>
#include <workloads/common/contender.hpp>

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace finesync::workload {

/// Adds contenders to a program. \param setup_of makes a Setup of a point, with the contender whose
/// defaults count. \param tunable, inputs see bench::primitive.
template <class Setup, class SetupOf>
void add(bench::program& program, std::span<const contender<Setup>> contenders, SetupOf setup_of,
         const std::vector<std::string>& tunable = {}, const bench::facts& inputs = {}) {
  for (const contender<Setup>& each : contenders) {
    program.primitive(
        {each.name, each.help,
         [each, setup_of](const bench::point& at) { return each.make(setup_of(at, each)); },
         tunable, inputs, each.axes, each.aliases});
  }
}

/// The value of an axis; where it is 0, which leaves it open, or the contender has no such axis,
/// the contender's default or the program's.
template <class Setup>
unsigned value_or_default(const bench::point& at, const contender<Setup>& who,
                          const std::string& axis, unsigned otherwise = 0) {
  if (const long long given = at.value_or(axis, 0); given != 0) return static_cast<unsigned>(given);
  const auto own = who.defaults.find(axis);
  return own == who.defaults.end() ? otherwise : own->second;
}

}  // namespace finesync::workload
