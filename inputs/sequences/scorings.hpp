// The scorings known by name.
#pragma once

#include <inputs/sequences/scoring.hpp>

#include <array>
#include <cstdint>
#include <string>

namespace finesync::inputs {

/// Amino acids: BLOSUM62 in half bits, with B, Z, X and * as NCBI has it (and Rodinia).
extern const scoring blosum62;

/// Nucleotides and their ambiguity codes: NCBI's NUC.4.4, EMBOSS's EDNAFULL.
extern const scoring nuc44;

/// The scoring of this name; throws input_error, which lists the known names.
const scoring& scoring_named(const std::string& name);

/// The value in letter_numbers() for a character that is no letter.
inline constexpr std::uint8_t no_letter = 255;

/// The number of each character. Small letters count as capitals. U, which nuc44 lacks, is read as
/// T. U, O and J, which blosum62 lacks (selenocysteine, pyrrolysine, leucine or isoleucine), are
/// read as X. Gaps are no letters.
std::array<std::uint8_t, 256> letter_numbers(const scoring& by);

}  // namespace finesync::inputs
