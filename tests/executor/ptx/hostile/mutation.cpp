#include <tests/executor/cudart/fat_binaries.hpp>
#include <tests/executor/ptx/hostile/mutation.hpp>

#include <algorithm>
#include <cctype>
#include <numeric>
#include <sstream>

namespace ptx_hostile {

namespace {

bool is_part_of_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '%' || c == '$';
}
bool is_blank(char c) {
  return std::isspace(static_cast<unsigned char>(c)) != 0;
}

/// At the ends of the widths that registers, offsets, sizes and lanes have.
const std::vector<std::string>& numbers() {
  static const std::vector<std::string> all{"0",
                                            "1",
                                            "3",
                                            "4",
                                            "7",
                                            "16",
                                            "31",
                                            "32",
                                            "33",
                                            "64",
                                            "127",
                                            "128",
                                            "255",
                                            "256",
                                            "1024",
                                            "4095",
                                            "65535",
                                            "65536",
                                            "1048575",
                                            "1048576",
                                            "16777215",
                                            "16777216",
                                            "0x7fffffff",
                                            "0x80000000",
                                            "0xffffffff",
                                            "0x100000000",
                                            "0x7fffffffffffffff",
                                            "0x8000000000000000",
                                            "0xfffffffffffffff0",
                                            "0xffffffffffffffff"};
  return all;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> all;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) all.push_back(line + '\n');
  return all;
}

std::string joined(const std::vector<std::string>& parts) {
  return std::accumulate(parts.begin(), parts.end(), std::string());
}

void change_bytes(std::string& text, dice& random) {
  const std::size_t at = random.below(text.size());
  const std::size_t length = std::min(1 + random.below(12), text.size() - at);
  switch (random.below(4)) {
    case 0:
      text.erase(at, length);
      break;
    case 1:
      text.insert(at, text.substr(random.below(text.size()), length));
      break;
    case 2:
      text[at] = static_cast<char>(random.bits());
      break;
    default:
      text[at] = "{}()[];,.:%0"[random.below(12)];
  }
}

enum class kind : std::uint8_t { reg, modifier, number, name, blank, other };

kind kind_of(const std::string& piece) {
  const char first = piece.front();
  if (first == '%') return kind::reg;
  if (first == '.') return kind::modifier;
  if (std::isdigit(static_cast<unsigned char>(first)) != 0) return kind::number;
  return is_part_of_word(first) ? kind::name : is_blank(first) ? kind::blank : kind::other;
}

/// A piece becomes another one of its kind: most of the texts are still read as a whole.
void replace_by_its_like(std::vector<std::string>& pieces, const std::vector<std::string>& others,
                         dice& random) {
  constexpr int tries = 64;
  std::string& piece = pieces[random.below(pieces.size())];
  const bool is_of_own = random.below(2) == 0;
  for (int i = 0; i < tries; ++i) {
    const std::string& other = random.one_of(is_of_own ? pieces : others);
    if (kind_of(other) != kind_of(piece) || other == piece) continue;
    piece = std::string(other);
    return;
  }
}

/// Some of the parts are removed, repeated, exchanged, or replaced by one of others.
void change_parts(std::vector<std::string>& parts, const std::vector<std::string>& others,
                  dice& random) {
  const auto at = [&] {
    return parts.begin() + static_cast<std::ptrdiff_t>(random.below(parts.size()));
  };
  switch (random.below(5)) {
    case 0:
      parts.erase(at());
      break;
    case 1:
      parts.insert(at(), std::string(*at()));
      break;
    case 2:
      std::iter_swap(at(), at());
      break;
    case 3:
      *at() = std::string(*at());
      break;
    default:
      *at() = random.one_of(others);
  }
}

void change_number(std::vector<std::string>& pieces, dice& random) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < pieces.size(); ++i)
    if (std::isdigit(static_cast<unsigned char>(pieces[i].front())) != 0) places.push_back(i);
  if (!places.empty()) pieces[random.one_of(places)] = random.one_of(numbers());
}

}  // namespace

std::vector<std::string> pieces_of(const std::string& text) {
  std::vector<std::string> all;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t past = at + 1;
    const bool is_word = is_part_of_word(text[at]) || text[at] == '.';
    while (past < text.size() && (is_word ? is_part_of_word(text[past]) || text[past] == ':'
                                          : is_blank(text[at]) && is_blank(text[past])))
      ++past;
    all.push_back(text.substr(at, past - at));
    at = past;
  }
  return all;
}

mutator::mutator(const std::vector<std::string>& from) {
  for (const std::string& text : from) {
    for (std::string& piece : pieces_of(text)) pieces_.push_back(std::move(piece));
    for (std::string& line : lines_of(text)) lines_.push_back(std::move(line));
  }
  for (auto* const all : {&pieces_, &lines_}) {
    std::sort(all->begin(), all->end());
    all->erase(std::unique(all->begin(), all->end()), all->end());
  }
}

std::string mutator::changed(const std::string& text, dice& random) const {
  std::string made = text;
  const std::size_t more = random.below(2) == 0 ? random.below(4) : 0;
  for (std::size_t changes = 1 + more; changes > 0; --changes) {
    const std::size_t which = random.below(16);
    if (which == 0) {
      change_bytes(made, random);
    } else if (which <= 3) {
      std::vector<std::string> lines = lines_of(made);
      change_parts(lines, lines_, random);
      made = joined(lines);
    } else {
      std::vector<std::string> pieces = pieces_of(made);
      if (which == 4)
        change_parts(pieces, pieces_, random);
      else if (which <= 8)
        change_number(pieces, random);
      else
        replace_by_its_like(pieces, pieces_, random);
      made = joined(pieces);
    }
    if (made.empty()) made = "x";
  }
  return made;
}

std::vector<std::byte> changed_fat_binary(const std::string& text, dice& random) {
  using namespace cudart_test;
  binary made = fat_binary(
      {entry(ptx_kind, 90, text), entry(machine_code_kind, 90, "code"), entry(ptx_kind, 75, text)});
  if (random.below(2) == 0) made.resize(random.below(made.size()));
  constexpr std::size_t header = 16 + 64;  // of the whole, and of an entry
  for (std::size_t changes = 1 + random.below(4); changes > 0 && !made.empty(); --changes) {
    const std::size_t range = random.below(2) == 0 ? std::min(header, made.size()) : made.size();
    made[random.below(range)] = static_cast<std::byte>(random.bits());
  }
  return made;
}

}  // namespace ptx_hostile
