// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "skeleton/registry.hpp"

namespace linkworth::skeleton {

/// The entry of a NAS program's table of classes that its only argument, a letter, names.
template <class Table>
const auto& class_of(std::string_view program, const Table& table, Arguments arguments) {
    std::string known;
    for (const auto& entry : table) {
        if (arguments.size() == 1 && arguments[0].size() == 1 && arguments[0][0] == entry.letter)
            return entry;
        if (!known.empty()) known += ", ";
        known += entry.letter;
    }
    std::string given;
    for (const std::string& argument : arguments) given += (given.empty() ? "" : " ") + argument;
    throw UsageError(std::string(program) + " takes one class, " + known + ", not '" + given + "'");
}

/// Throws the program's sentence, unless it is empty.
inline void refuse_if(const std::string& rank_problem) {
    if (!rank_problem.empty()) throw UsageError(rank_problem);
}

}  // namespace linkworth::skeleton
