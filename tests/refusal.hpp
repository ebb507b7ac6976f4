// What a call refuses to do.
#pragma once

#include <string>

namespace finesync::test {

/// The message of the error with which a call ends, or nothing. \tparam Error of the refusal.
template <class Error, class Call>
std::string refusal_of(const Call& call) {
  try {
    call();
  } catch (const Error& refused) {
    return refused.what();
  }
  return "";
}

}  // namespace finesync::test
