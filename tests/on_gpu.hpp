// Settings of the host executor for tests on another GPU than the usual one.
#pragma once

#include <simt/settings.hpp>

#include <string_view>

namespace finesync::test {

/// The default settings, on this GPU model.
inline simt::settings on_gpu(std::string_view name) {
  simt::settings s;
  s.gpu = simt::find_gpu_model(name);
  return s;
}

}  // namespace finesync::test
