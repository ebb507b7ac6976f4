// Loads sequences by name.
#pragma once

#include <inputs/sequences/scoring.hpp>
#include <inputs/sequences/sequence.hpp>

#include <string>

namespace finesync::inputs {

/// The two sequences of an input:
///|  A.fa,B.fa   the first records of two files
///|  A.fa        the first two records of a file
/// A file before or after a comma may be FILE#RECORD: the record of that name, which must be the
/// only one, or else of that number, from 1. An existing file whose whole name is given,
/// with commas and signs, takes precedence. Throws input_error as parse_fasta() and mapped_file do,
/// and if there is no such record or only one sequence.
sequence_pair load_pair(const std::string& input, const scoring& by);

/// The file of FILE or FILE#RECORD.
std::string file_of(const std::string& input);

}  // namespace finesync::inputs
