// The error message of a rejected input.
#pragma once

#include <inputs/input_error.hpp>

#include <string>

namespace finesync::inputs {

/// The text of the input_error that `read` throws; "no error" if it throws none.
template <class Read>
std::string error_of(Read&& read) {
  try {
    read();
  } catch (const input_error& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace finesync::inputs
