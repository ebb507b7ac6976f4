#include "competition.hpp"

#include <stdexcept>

namespace finesync::mutex {

std::unique_ptr<trial> make_libcudacxx(const setup&) {
  throw std::invalid_argument("libcu++ runs on GPUs only");
}

}  // namespace finesync::mutex
