// SPDX-License-Identifier: Apache-2.0
// What has run of the kernels that this process has launched, for the end of the report.
#pragma once

#include <ptx/module.hpp>

#include <string>

namespace cudart {

/// On the device's OS thread. \param name in the source.
void note_launched(const ptx::kernel& kernel, const std::string& name);

/// Reports it of all of them, once at the process's end.
void report_coverage();

}  // namespace cudart
