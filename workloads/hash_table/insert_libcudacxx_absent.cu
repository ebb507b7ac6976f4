#include "inserter.hpp"

#include <stdexcept>

namespace finesync::hash_table {

std::unique_ptr<trial> make_libcudacxx(const setup&) {
  throw std::invalid_argument("libcu++ runs on GPUs only");
}

}  // namespace finesync::hash_table
