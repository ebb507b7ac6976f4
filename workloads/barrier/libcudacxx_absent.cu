// Stands in for libcudacxx.cu where kernels are not compiled by nvcc.
#include "synchronizer.hpp"

#include <stdexcept>

namespace finesync::rendezvous {

std::unique_ptr<trial> make_libcudacxx(const setup&) {
  throw std::invalid_argument("libcu++ needs CUDA, and this program runs on the host executor");
}

}  // namespace finesync::rendezvous
