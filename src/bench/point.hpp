// One point of a sweep: a primitive and a value for every axis.
#pragma once

#include <bench/axis.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace finesync::bench {

/// Immutable; copies are independent.
class point {
 public:
  point(std::string primitive, std::vector<std::pair<std::string, long long>> axes);

  const std::string& primitive() const { return primitive_; }

  /// The value of the axis declared as `axis_name`.
  /// \throws std::out_of_range when there is no such axis.
  long long operator[](std::string_view axis_name) const;

  /// Every axis with its value, in the order of declaration.
  const std::vector<std::pair<std::string, long long>>& axes() const { return axes_; }

  /// This point with another value for one axis.
  /// \throws std::out_of_range when there is no such axis.
  point with(std::string_view axis_name, long long value) const;

  /// "ht/primitive:spin/collision_factor:256", unique within a sweep of `program`.
  std::string name(std::string_view program) const;

 private:
  std::string primitive_;
  std::vector<std::pair<std::string, long long>> axes_;
};

/// Every combination of the primitives with the values of the axes; the last axis moves fastest.
std::vector<point> product(const std::vector<std::string>& primitives,
                           const std::vector<axis>& axes);

}  // namespace finesync::bench
