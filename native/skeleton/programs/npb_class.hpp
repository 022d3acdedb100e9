// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "skeleton/registry.hpp"

namespace linkworth::skeleton {

/// The entry of a NAS program's table of classes that its only argument, a letter, names, with the iterations
/// that are recorded.
template <class Table>
auto class_of(std::string_view program, const Table& table, Arguments arguments) {
    const auto words = arguments.words;
    std::string known;
    for (auto entry : table) {
        if (words.size() == 1 && words[0].size() == 1 && words[0][0] == entry.letter) {
            if constexpr (requires { entry.iterations; })
                entry.iterations = arguments.iterations.value_or(entry.iterations);
            else
                refuse_shorter(program, arguments);
            return entry;
        }
        if (!known.empty()) known += ", ";
        known += entry.letter;
    }
    std::string given;
    for (const std::string& argument : words) given += (given.empty() ? "" : " ") + argument;
    throw UsageError(std::string(program) + " takes one class, " + known + ", not '" + given + "'");
}

/// Throws the program's sentence, unless it is empty.
inline void refuse_if(const std::string& rank_problem) {
    if (!rank_problem.empty()) throw UsageError(rank_problem);
}

}  // namespace linkworth::skeleton
