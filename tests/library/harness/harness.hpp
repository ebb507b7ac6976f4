// What tests of the library share: runs of kernels, searches over schedules, and lists of types.
#pragma once

#include "run.hpp"
#include "search.hpp"

#include <simt/launch.hpp>

#include <gtest/gtest.h>
#include <tests/tested_types.hpp>

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <tuple>
#include <type_traits>
#include <utility>
