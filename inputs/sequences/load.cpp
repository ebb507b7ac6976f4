#include <inputs/input_error.hpp>
#include <inputs/mapped_file.hpp>
#include <inputs/sequences/fasta.hpp>
#include <inputs/sequences/load.hpp>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>
#include <utility>

namespace finesync::inputs {
namespace {

// Location of a sequence.
struct place {
  std::string file;
  std::optional<std::string> record;
};

bool is_there(const std::string& file) {
  std::error_code problem;
  return std::filesystem::exists(file, problem);
}

place place_of(const std::string& input) {
  const std::size_t sign = is_there(input) ? std::string::npos : input.rfind('#');
  if (sign == std::string::npos) return {input, std::nullopt};
  return {input.substr(0, sign), input.substr(sign + 1)};
}

std::vector<sequence> read(const std::string& file, const scoring& by) {
  const mapped_file mapped(file);
  return parse_fasta(mapped.bytes(), file, by);
}

// The number, from 0, of a record given as text; larger than any if it is no number.
std::size_t number_in(const std::string& record) {
  std::size_t number = 0;
  const char* const end = record.data() + record.size();
  const auto [stop, problem] = std::from_chars(record.data(), end, number);
  return problem == std::errc() && stop == end ? number - 1 : std::string::npos;
}

sequence read_one(const place& from, const scoring& by) {
  std::vector<sequence> all = read(from.file, by);
  if (!from.record) return std::move(all.front());
  const auto named = std::ranges::find(all, *from.record, &sequence::name);
  if (named != all.end()) {
    const auto next = std::ranges::find(named + 1, all.end(), *from.record, &sequence::name);
    if (next != all.end())
      throw input_error(from.file,
                        fmt::format("two records are named '{}': choose one by number, "
                                    "#{} or #{}",
                                    *from.record, named - all.begin() + 1, next - all.begin() + 1));
    return std::move(*named);
  }
  const std::size_t number = number_in(*from.record);
  if (number < all.size()) return std::move(all[number]);
  throw input_error(from.file, fmt::format("there is no record '{}', neither by name nor by number "
                                           "from 1 to {}",
                                           *from.record, all.size()));
}

}  // namespace

std::string file_of(const std::string& input) {
  return place_of(input).file;
}

sequence_pair load_pair(const std::string& input, const scoring& by) {
  const std::size_t comma = is_there(input) ? std::string::npos : input.find(',');
  if (comma != std::string::npos && comma != 0 && comma + 1 != input.size())
    return {read_one(place_of(input.substr(0, comma)), by),
            read_one(place_of(input.substr(comma + 1)), by)};
  const place from = place_of(input);
  std::vector<sequence> all = read(from.file, by);
  if (from.record || all.size() < 2)
    throw input_error(input, "that is one sequence, and it takes two: FILE,FILE or FILE#1,FILE#2");
  return {std::move(all[0]), std::move(all[1])};
}

}  // namespace finesync::inputs
