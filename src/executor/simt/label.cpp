// SPDX-License-Identifier: Apache-2.0
#include <simt/label.hpp>

#include <fmt/format.h>

#include <cstdlib>
#include <memory>
#include <regex>

#include <cxxabi.h>

namespace simt {

namespace {

/// The type as its source spells it, without the namespaces.
std::string name_of(const std::type_info& type) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> spelled(
      abi::__cxa_demangle(type.name(), nullptr, nullptr, &status), &std::free);
  static const std::regex qualifier(R"((\w+|\(anonymous namespace\))::)");
  return std::regex_replace(status == 0 ? spelled.get() : type.name(), qualifier, "");
}

std::string contents_of(const label& what, std::size_t bytes) {
  if (what.type == nullptr) return fmt::format("({} bytes)", bytes);
  return fmt::format("({} x {})", bytes / what.element_bytes, name_of(*what.type));
}

}  // namespace

std::string short_text(const label& what, std::size_t number, std::size_t bytes) {
  return what.name.empty() ? full_text(what, number, bytes) : fmt::format("buffer '{}'", what.name);
}

std::string full_text(const label& what, std::size_t number, std::size_t bytes) {
  if (!what.called.empty()) return fmt::format("{} {}", what.called, contents_of(what, bytes));
  const std::string which =
      what.name.empty() ? fmt::format("{}", number) : fmt::format("'{}'", what.name);
  return fmt::format("buffer {} {}", which, contents_of(what, bytes));
}

std::string place_text(const label& what, std::size_t number, std::size_t bytes,
                       std::size_t offset) {
  if (what.object)
    if (std::string object = what.object(offset); !object.empty()) return object;
  if (!what.called.empty()) return fmt::format("{}, byte {} of {}", what.called, offset, bytes);
  const std::string place = fmt::format("{} + {:#x}", short_text(what, number, bytes), offset);
  if (what.type == nullptr) return place;
  return fmt::format("{} (element {})", place, offset / what.element_bytes);
}

}  // namespace simt
