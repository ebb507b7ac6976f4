// SPDX-License-Identifier: Apache-2.0
// One point of a sweep: a primitive and a value for every axis.
#pragma once

#include <bench/axis.hpp>

#include <compare>
#include <string>
#include <string_view>
#include <vector>

namespace finesync::bench {

struct setting {
  std::string axis;
  long long value;
  std::vector<std::string> names = {};  ///< names of the axis's values from 0 on

  /// How users and results write the value.
  std::string text() const { return spelled(names, value); }
  auto operator<=>(const setting&) const = default;
};

/// Immutable; copies are independent.
class point {
 public:
  point(std::string primitive, std::vector<setting> settings);

  const std::string& primitive() const { return primitive_; }

  /// The value of the axis declared as `axis_name`.
  /// \throws std::out_of_range when there is no such axis.
  long long operator[](std::string_view axis_name) const;

  /// The same, or `otherwise` when the primitive has no such axis.
  long long value_or(std::string_view axis_name, long long otherwise) const;

  /// Every axis with its value, in the order of declaration.
  const std::vector<setting>& settings() const { return settings_; }

  /// \throws std::out_of_range when there is no such axis.
  const setting& setting_of(std::string_view axis_name) const;

  /// This point with another value for one axis.
  /// \throws std::out_of_range when there is no such axis.
  point with(std::string_view axis_name, long long value) const;

  /// "ht/primitive:spin/collision_factor:256/section:push", unique within a sweep of `program`.
  std::string name(std::string_view program) const;

 private:
  std::string primitive_;
  std::vector<setting> settings_;
};

/// Every combination of the values of the axes for a primitive; the last axis varies fastest.
std::vector<point> product(const std::string& primitive, const std::vector<axis>& axes);

}  // namespace finesync::bench
