#include <workloads/nw/reference/alignment.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace finesync::nw {
namespace {

std::size_t count(const std::string& text, char wanted) {
  return static_cast<std::size_t>(std::ranges::count(text, wanted));
}

char sign_of(std::uint8_t one, std::uint8_t other, std::int32_t similarity) {
  if (one == other) return '|';
  return similarity > 0 ? ':' : '.';
}

// One of the sequences, printed block by block.
class printed_sequence {
 public:
  printed_sequence(const std::string& name, const std::string& text) : name_(name), text_(text) {}

  std::string line(std::size_t first, std::size_t columns) {
    const std::string part = text_.substr(first, columns);
    const std::size_t before = letters_;
    letters_ += part.size() - count(part, '-');
    return fmt::format("{:<{}.{}} {:>{}} {} {}\n", name_, name_width, name_width,
                       std::min(before + 1, letters_), number_width, part, letters_);
  }

  static constexpr std::size_t name_width = 16;
  static constexpr std::size_t number_width = 8;

 private:
  const std::string& name_;
  const std::string& text_;
  std::size_t letters_ = 0;  // printed so far
};

}  // namespace

std::size_t alignment::identities() const {
  return count(middle, '|');
}
std::size_t alignment::similarities() const {
  return identities() + count(middle, ':');
}
std::size_t alignment::gaps() const {
  return count(middle, ' ');
}

alignment trace_back(letters down, letters across, const inputs::scoring& by, std::int32_t gap,
                     const score_at& at) {
  std::size_t i = down.size();
  std::size_t j = across.size();
  std::int32_t score = at(i, j);
  alignment made{{}, {}, {}, score};
  const auto add = [&](char one, char sign, char other) {
    made.down += one;
    made.middle += sign;
    made.across += other;
  };
  const auto letter = [&](std::uint8_t number) { return by.alphabet[number]; };
  while (i != 0 || j != 0) {
    if (i != 0 && j != 0) {
      const std::uint8_t one = down[i - 1];
      const std::uint8_t other = across[j - 1];
      const std::int32_t similarity = by.similarity[one][other];
      if (at(i - 1, j - 1) + similarity == score) {
        add(letter(one), sign_of(one, other, similarity), letter(other));
        --i, --j;
        score -= similarity;
        continue;
      }
    }
    if (i != 0 && at(i - 1, j) - gap == score) {
      add(letter(down[--i]), ' ', '-');
    } else if (j != 0 && at(i, j - 1) - gap == score) {
      add('-', ' ', letter(across[--j]));
    } else {
      throw std::runtime_error(fmt::format(
          "the score {} of row {}, column {} follows from none of its neighbours", score, i, j));
    }
    score += gap;
  }
  if (score != 0) throw std::runtime_error(fmt::format("row 0, column 0 has the score {}", score));
  for (std::string* const each : {&made.down, &made.middle, &made.across})
    std::ranges::reverse(*each);
  return made;
}

std::string summary_of(const alignment& aligned) {
  const auto part = [&](std::size_t number) {
    const double percent = 100.0 * static_cast<double>(number);
    const auto all = static_cast<double>(std::max<std::size_t>(aligned.length(), 1));
    return fmt::format("{} ({:.1f} %)", number, percent / all);
  };
  return fmt::format("length {}, identities {}, similarities {}, gaps {}, score {}\n",
                     aligned.length(), part(aligned.identities()), part(aligned.similarities()),
                     part(aligned.gaps()), aligned.score);
}

std::string printed(const alignment& aligned, const std::string& down_name,
                    const std::string& across_name) {
  constexpr std::size_t columns = 60;
  constexpr std::size_t indent =
      printed_sequence::name_width + 1 + printed_sequence::number_width + 1;
  printed_sequence down(down_name, aligned.down);
  printed_sequence across(across_name, aligned.across);
  std::string text;
  for (std::size_t first = 0; first < aligned.length(); first += columns) {
    if (first != 0) text += '\n';
    text += down.line(first, columns);
    text += fmt::format("{:{}}{}\n", "", indent, aligned.middle.substr(first, columns));
    text += across.line(first, columns);
  }
  return text;
}

}  // namespace finesync::nw
