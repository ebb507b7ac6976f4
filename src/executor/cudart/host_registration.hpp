// SPDX-License-Identifier: Apache-2.0
// Memory of the program that it has registered.
#pragma once

namespace cudart {

/// Where kernels have memory of cudaHostRegister(); null if the address is of none. On the device's
/// OS thread.
void* device_pointer_of(const void* host);

}  // namespace cudart
