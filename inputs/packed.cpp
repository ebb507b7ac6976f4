#include <inputs/input_error.hpp>
#include <inputs/packed.hpp>

#include <array>

namespace finesync::inputs {
namespace {

struct beginning {
  std::string_view bytes;
  const char* what;
};

constexpr std::array<beginning, 4> known{
    {{"\x1f\x8b", "it is compressed by gzip: unpack it first"},
     {"BZh", "it is compressed by bzip2: unpack it first"},
     {"\xfd\x37zXZ", "it is compressed by xz: unpack it first"},
     {"PK\x03\x04", "it is a zip archive: unpack it first"}}};

}  // namespace

void refuse_packed(std::string_view bytes, const std::string& file) {
  if (bytes.empty()) throw input_error(file, 1, "the file is empty");
  for (const beginning& each : known)
    if (bytes.starts_with(each.bytes)) throw input_error(file, 1, each.what);
}

}  // namespace finesync::inputs
