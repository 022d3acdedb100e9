// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "programs/common/arguments.hpp"
#include "skeleton/registry.hpp"

namespace linkworth::skeleton {

/// Parses the words and options after the name of a program without classes.
template <class Parse>
auto parsed(const char* program, std::span<const npb::OptionText> known, Arguments arguments, Parse&& parse) {
    refuse_shorter(program, arguments);
    std::vector<const char*> words{"lw-npb", program};
    for (const std::string& argument : arguments.words) words.push_back(argument.c_str());
    try {
        const npb::Options options = npb::parse_options(static_cast<int>(words.size()), words.data());
        npb::check_options(known, options);
        if (options.words.size() != 2)
            throw UsageError(std::string(program) + " takes one argument, not " +
                             std::to_string(options.words.size() - 1));
        // They would add reductions and a broadcast to the calls.
        if (options.timers || options.find("--output"))
            throw UsageError(std::string(program) +
                             ": nothing is computed in a skeleton; leave --timers and --output out");
        return parse(options);
    } catch (const npb::UsageError& error) {
        throw UsageError(error.what());
    }
}

}  // namespace linkworth::skeleton
