// SPDX-License-Identifier: Apache-2.0
// Functions that every module may call: printf, assert, malloc and free.
#pragma once

#include <cstdint>

namespace ptx {

class thread_state;
struct instruction;

// passed: addresses of the result, where there is one, and of the parameters.

/// vprintf(format, arguments): the text goes to launch_options::print.
void print_formatted(thread_state& t, const instruction& i, const std::uint64_t* passed);
/// __assertfail(message, file, line, function, bytes of a character)
[[noreturn]] void fail_assertion(thread_state& t, const instruction& i,
                                 const std::uint64_t* passed);
void allocate_memory(thread_state& t, const instruction& i, const std::uint64_t* passed);
void release_memory(thread_state& t, const instruction& i, const std::uint64_t* passed);

}  // namespace ptx
