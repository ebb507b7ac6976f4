#include <inputs/input_error.hpp>
#include <inputs/line_cursor.hpp>
#include <inputs/sequences/fasta.hpp>
#include <inputs/sequences/scorings.hpp>
#include <inputs/text.hpp>

#include <algorithm>
#include <array>

namespace finesync::inputs {
namespace {

constexpr std::uint8_t blank = no_letter - 1;  // numbers up to here are letters

using numbers_of_characters = std::array<std::uint8_t, 256>;

numbers_of_characters letters_and_blanks(const scoring& by) {
  numbers_of_characters numbers = letter_numbers(by);
  numbers[' '] = numbers['\t'] = blank;
  return numbers;
}

std::uint8_t number_of(char c, const numbers_of_characters& numbers) {
  return numbers[static_cast<unsigned char>(c)];
}

// The next line without its end; removed from the text.
std::string_view take_line(std::string_view& text) {
  std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(line.size() + 1, text.size()));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

// The first word after '>'; empty if there is none.
std::string_view name_in(std::string_view header) {
  header.remove_prefix(std::min(header.find_first_not_of(" \t", 1), header.size()));
  return header.substr(0, header.find_first_of(" \t"));
}

bool prints(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c > ' ' && c <= '~'; });
}

// Appends the letters of a line. False if the line has other characters; the appended letters are
// then invalid.
bool append(std::string_view line, const numbers_of_characters& numbers,
            std::vector<std::uint8_t>& to) {
  const std::size_t before = to.size();
  to.resize(before + line.size());
  std::uint8_t* out = to.data() + before;
  std::uint8_t largest = 0;
  for (const char c : line) {
    *out = number_of(c, numbers);
    largest = std::max(largest, *out);
    out += *out != blank;
  }
  to.resize(static_cast<std::size_t>(out - to.data()));
  return largest != no_letter;
}

// Describes the error in a line that append() rejected.
std::string first_wrong(std::string_view line, const numbers_of_characters& numbers,
                        const scoring& by) {
  const auto wrong =
      std::ranges::find(line, no_letter, [&](char c) { return number_of(c, numbers); });
  const std::string found = *wrong > ' ' && *wrong <= '~'
                                ? fmt::format("'{}'", *wrong)
                                : fmt::format("byte 0x{:02x}", static_cast<unsigned char>(*wrong));
  return fmt::format("{} in column {} is no letter of {} ({})", found, wrong - line.begin() + 1,
                     by.name, by.alphabet);
}

}  // namespace

std::vector<sequence> parse_fasta(std::string_view bytes, const std::string& file,
                                  const scoring& by) {
  std::string_view text = text_in(bytes, file);
  const numbers_of_characters numbers = letters_and_blanks(by);
  std::vector<sequence> all;
  std::size_t header = 1;  // line of the last one
  const auto end_record = [&] {
    if (!all.empty() && all.back().letters.empty())
      throw input_error(file, header, fmt::format("'{}' has no letters", shown(all.back().name)));
  };
  for (std::size_t line = 1; !text.empty(); ++line) {
    const std::string_view now = take_line(text);
    if (now.starts_with('>')) {
      end_record();
      const std::string_view name = name_in(now);
      if (!prints(name))
        throw input_error(file, line, fmt::format("the name '{}' does not print", shown(name)));
      all.push_back({name.empty() ? std::to_string(all.size() + 1) : std::string(name), {}});
      header = line;
    } else if (all.empty()) {
      if (now.find_first_not_of(" \t") != std::string_view::npos)
        throw input_error(file, line,
                          fmt::format("expected '>' and a name, found '{}'", shown(now)));
    } else if (!append(now, numbers, all.back().letters)) {
      throw input_error(file, line, first_wrong(now, numbers, by));
    }
  }
  if (all.empty()) throw input_error(file, "there is no record, which '>' and a name begin");
  end_record();
  return all;
}

}  // namespace finesync::inputs
