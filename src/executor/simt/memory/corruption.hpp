// SPDX-License-Identifier: Apache-2.0
// Memory that does some accesses wrongly, to see whether a program's verification notices: see
// scripts/dev/corrupt.py.
#pragma once

#include <simt/memory/memory_mode.hpp>

#include <memory>

namespace simt {

/// What the environment variable FINESYNC_CORRUPT asks for, in strong memory; null if nothing.
//|  list                   counts the accesses to global memory of each place in the code
//|  drop:OFFSET,OFFSET...  of the writes by these places every tenth is lost; one that also reads
//|                         finds the old value
//|  stale:OFFSETS          every tenth plain load finds what was there before the last write
//|  swap:OFFSETS           every tenth store and the one before it store each other's values
/// An offset, in hexadecimal, is that of a place in the program's file. When the program ends, it
/// says on stderr what it counted, or how many accesses went wrong.
std::unique_ptr<memory_mode> corrupted_memory();

}  // namespace simt
