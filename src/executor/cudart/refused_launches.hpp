// SPDX-License-Identifier: Apache-2.0
// Launches that are refused, as CUDA would. A program that does not look at the error goes on, and
// nothing of the kernel is checked: that is reported at its end.
#pragma once

#include <string>

namespace cudart {

/// \param from where the program launches it \param has_status the program got the error at once,
/// but perhaps did not look at it
void remember_refused(const std::string& kernel, const std::string& why, const void* from,
                      bool has_status);

/// At the end of the process.
void report_refused();

/// The program looks at the last error.
void forget_refused();
/// The kernel was launched: the program may have looked at the status, and tried again.
void forget_refused(const std::string& kernel);

}  // namespace cudart
