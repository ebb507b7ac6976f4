// SPDX-License-Identifier: Apache-2.0
// The words for an access in reports.
#pragma once

#include <simt/operation.hpp>
#include <simt/source_position.hpp>

#include <string>

namespace simt {

/// "block", "cluster", "device", "system"
const char* adjective(scope reach);

/// "plain load", "exchange", ...; of an operation with an address
const char* to_string(op_kind kind);

/// "device-scope fetch_add of 4 bytes"; plain accesses have no scope
std::string access_text(op_kind kind, scope reach, std::size_t bytes);

/// " (kernel.cu:12)", or nothing if the place is unknown
std::string place_text(const code_place& site);

}  // namespace simt
