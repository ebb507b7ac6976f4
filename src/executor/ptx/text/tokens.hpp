// SPDX-License-Identifier: Apache-2.0
// From the text of a PTX module to its tokens.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace ptx {

enum class token_kind : std::uint8_t {
  word,    ///< a name: of an opcode, a register, a label, a variable
  dotted,  ///< a directive or a modifier, with its dot: ".global", ".shared::cta"
  number,  ///< as it stands: 12, 0xFFU, 0f3F800000
  string,  ///< without its quotes
  symbol,  ///< one character
  end,
};

struct token {
  token_kind kind = token_kind::end;
  std::string_view text;
  std::uint32_t line = 0;

  bool is(std::string_view what) const { return kind != token_kind::string && text == what; }
};

/// Without comments. The last token is `end`. The tokens refer to the text. \throws error.
std::vector<token> tokens_of(std::string_view text);

}  // namespace ptx
