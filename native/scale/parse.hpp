// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// A sequence read with the loops of another one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>

#include "scale/grammar.hpp"

namespace linkworth::scale {

struct Item;
/// A sequence, or an iteration: what each place of the grammar became.
using Items = std::vector<Item>;

struct Item {
    bool is_loop;
    std::size_t position;           ///< of a call in the sequence
    std::vector<Items> iterations;  ///< of a loop
};

/// Reads a sequence with a grammar whose loops may run any number of times. `optional`: by loop, whether it
/// may run zero times. Returns the first position that differs if the grammar does not describe the sequence.
std::variant<Items, std::size_t> parse(const Grammar& grammar, const std::vector<bool>& optional,
                                       const std::vector<std::int64_t>& symbols);

}  // namespace linkworth::scale
