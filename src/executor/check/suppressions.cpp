// SPDX-License-Identifier: Apache-2.0
#include <check/suppressions.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <string_view>

namespace check {

namespace {

/// "kernels/sum.cu:12" ends with "sum.cu:12", but not with "um.cu:12".
bool is_at(const std::string& place, const std::string& wanted) {
  return place == wanted || place.ends_with("/" + wanted);
}

bool concerns(const suppression& one, const cudart::finding& what) {
  const std::vector<std::string>& places = what.places;
  return std::all_of(one.places.begin(), one.places.end(), [&](const std::string& wanted) {
    return std::any_of(places.begin(), places.end(),
                       [&](const std::string& place) { return is_at(place, wanted); });
  });
}

/// As findings have it.
std::string normal(const std::string& place, const std::string& root) {
  std::filesystem::path path = place;
  if (place.starts_with('.')) path = std::filesystem::current_path() / path;
  const std::string whole = path.lexically_normal().string();
  const bool is_below = !root.empty() && whole.starts_with(root + "/");
  return is_below ? whole.substr(root.size() + 1) : whole;
}

}  // namespace

std::vector<suppression> read_suppressions(const std::string& file, const std::string& root) {
  std::ifstream in(file);
  if (!in) throw std::runtime_error(fmt::format("cannot read {}", file));
  static const std::regex place(R"([^\s:]+:[0-9]{1,9})");
  std::vector<suppression> all;
  unsigned number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    const std::string_view mark = "\xef\xbb\xbf";  // that a text is UTF-8
    if (number == 1 && line.starts_with(mark)) line.erase(0, mark.size());
    std::istringstream words(line.substr(0, line.find('#')));
    suppression one{.places = {}, .line = line};
    for (std::string word; words >> word;) {
      if (!std::regex_match(word, place))
        throw std::runtime_error(fmt::format("{}:{}: '{}' is not FILE:LINE", file, number, word));
      one.places.push_back(normal(word, root));
    }
    if (one.places.size() > 2)
      throw std::runtime_error(fmt::format("{}:{}: a finding has two places", file, number));
    if (!one.places.empty()) all.push_back(std::move(one));
  }
  return all;
}

bool is_suppressed(const std::vector<suppression>& all, const cudart::finding& what) {
  return std::any_of(all.begin(), all.end(),
                     [&](const suppression& one) { return concerns(one, what); });
}

void apply(std::vector<suppression>& all, joined_report& report) {
  for (joined_finding& finding : report.findings) {
    for (suppression& one : all) {
      if (!concerns(one, finding.what)) continue;
      one.is_used = true;
      finding.suppressed_by = one.line;
    }
  }
}

}  // namespace check
