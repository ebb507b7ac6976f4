// Lists of types for typed tests, with a name for each. The types determine most of such a test's
// compile time, so a build may have only some of them:
//|  -DFINESYNC_TESTED_TYPES='"mcs cohort"'
// scripts/dev/mutate.py uses it to build a test of one type for a fault in that type.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>

namespace finesync::test {

/// Whether this build has the type of that name: all of them, unless
/// FINESYNC_TESTED_TYPES is defined.
constexpr bool is_tested([[maybe_unused]] std::string_view name) {
#ifdef FINESYNC_TESTED_TYPES
  std::string_view rest = FINESYNC_TESTED_TYPES;
  while (!rest.empty()) {
    const std::size_t end = rest.find(' ');
    if (rest.substr(0, end) == name) return true;
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  return false;
#else
  return true;
#endif
}

/// The third parameter of TYPED_TEST_SUITE for lists that are, or begin like, the one whose names
/// are Names::all.
template <class Names>
struct names_of_tested {
  template <class Type>
  static std::string GetName(int index) {
    for (const char* name : Names::all)
      if (is_tested(name) && index-- == 0) return name;
    return Names::all[0];
  }
};

namespace detail {

template <class... Types>
struct type_list {
  using tests = ::testing::Types<Types...>;
};

template <class Tested, class Names, std::size_t Next, class... Types>
struct narrowed {
  using type = Tested;
};
template <class... Tested, class Names, std::size_t Next, class First, class... Rest>
struct narrowed<type_list<Tested...>, Names, Next, First, Rest...>
    : narrowed<std::conditional_t<is_tested(Names::all[Next]), type_list<Tested..., First>,
                                  type_list<Tested...>>,
               Names, Next + 1, Rest...> {};

/// GoogleTest has no empty lists.
template <class Tested, class First>
struct not_empty {
  using type = typename Tested::tests;
};
template <class First>
struct not_empty<type_list<>, First> {
  using type = ::testing::Types<First>;
};

}  // namespace detail

/// ::testing::Types of those that are tested; if none is, of the first.
template <class Names, class First, class... Rest>
using tested_types = typename detail::not_empty<
    typename detail::narrowed<detail::type_list<>, Names, 0, First, Rest...>::type, First>::type;

}  // namespace finesync::test
