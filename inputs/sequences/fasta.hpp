// Reader of FASTA.
#pragma once

#include <inputs/sequences/scoring.hpp>
#include <inputs/sequences/sequence.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace finesync::inputs {

/// All records of a file, in their order: a line `>NAME description`, then lines of letters up to
/// the next such line or the end. A record without a name is named by its number, from 1. Lines end
/// in LF or CRLF, the last one also at the end of the text; they may be empty and of any length.
/// Blanks between letters are skipped. letter_numbers() defines the letters.
///
/// `file` is the name in errors. Errors are input_errors with their line: a character that is no
/// letter (the first one, with its column), letters before the first name, a record without
/// letters, a name that is not printable, no record at all, compressed data.
std::vector<sequence> parse_fasta(std::string_view bytes, const std::string& file,
                                  const scoring& by);

}  // namespace finesync::inputs
