#include <inputs/input_error.hpp>
#include <inputs/text.hpp>

#include <array>

namespace finesync::inputs {
namespace {

struct beginning {
  std::string_view bytes;
  const char* program;
  std::size_t place = 0;
};

using namespace std::string_view_literals;

constexpr std::array<beginning, 18> packed{{{"\x1f\x8b", "gzip"},
                                            {"\x1f\x9d", "compress"},
                                            {"\x1f\xa0", "compress"},
                                            {"BZh", "bzip2"},
                                            {"\xfd\x37zXZ", "xz"},
                                            {"LZIP", "lzip"},
                                            {"\x28\xb5\x2f\xfd", "zstd"},
                                            {"\x04\x22\x4d\x18", "lz4"},
                                            {"\x02\x21\x4c\x18", "lz4"},
                                            {"\x89LZO", "lzop"},
                                            {"PK\x03\x04", "zip"},
                                            {"7z\xbc\xaf\x27\x1c", "7z"},
                                            {"\xff\x06\x00\x00sNaPpY"sv, "snappy"},
                                            {"Rar!\x1a\x07", "rar"},
                                            {"LRZI", "lrzip"},
                                            {"\x78\x9c", "zlib"},
                                            {"\xff\xff\xff\xff\xff\xff\xff\xff", "lzma", 5},
                                            {"ustar", "tar", 257}}};

}  // namespace

std::string_view text_in(std::string_view bytes, const std::string& file) {
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  if (bytes.starts_with(byte_order_mark)) bytes.remove_prefix(byte_order_mark.size());
  if (bytes.empty()) throw input_error(file, 1, "the file is empty");
  for (const beginning& each : packed)
    if (bytes.substr(std::min(each.place, bytes.size())).starts_with(each.bytes))
      throw input_error(file, 1,
                        fmt::format("it is compressed by {}: unpack it first", each.program));
  if (bytes.starts_with("\xff\xfe\x00\x00"sv) || bytes.starts_with("\x00\x00\xfe\xff"sv))
    throw input_error(file, 1, "it is in UTF-32: save it in UTF-8 first");
  if (bytes.starts_with("\xff\xfe") || bytes.starts_with("\xfe\xff"))
    throw input_error(file, 1, "it is in UTF-16: save it in UTF-8 first");
  return bytes;
}

}  // namespace finesync::inputs
