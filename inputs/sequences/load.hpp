// Sequences by what a user calls them.
#pragma once

#include <inputs/sequences/scoring.hpp>
#include <inputs/sequences/sequence.hpp>

#include <string>

namespace finesync::inputs {

/// The two sequences that are meant by
///|  A.fa,B.fa   the first records of two files
///|  A.fa        the first two records of a file
/// where a file before or behind a comma may be FILE#RECORD: the record of that name (the first, if
/// several have it), or else of that number, from 1. A file whose whole name is given, commas,
/// signs and all, is that file. Throws input_error as parse_fasta() and mapped_file do, and where
/// there is no such record or only one sequence.
sequence_pair load_pair(const std::string& input, const scoring& by);

}  // namespace finesync::inputs
