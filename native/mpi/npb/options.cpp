// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "options.hpp"

#include <cctype>
#include <string_view>
#include <vector>

namespace linkworth::npb {

Options parse_options(int argc, const char* const* argv) {
    Options options;
    std::vector<std::string_view> words;
    for (int i = 1; i < argc; ++i) {
        const std::string_view word = argv[i];
        if (word == "--json")
            options.json = true;
        else if (word == "--timers")
            options.timers = true;
        else if (word == "--help" || word == "-h")
            options.help = true;
        else if (word.starts_with("-"))
            throw UsageError("unknown option '" + std::string(word) +
                             "'; the options are --json, --timers and --help");
        else
            words.push_back(word);
    }
    if (options.help) return options;
    if (words.size() != 2)
        throw UsageError("give a program and a class, as in 'lw-npb ft A', not " +
                         std::to_string(words.size()) + " words; 'lw-npb --help' lists them");
    for (const char c : words[0])
        options.program += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (words[1].size() != 1) throw UsageError("a class is one letter, not '" + std::string(words[1]) + "'");
    options.letter = static_cast<char>(std::toupper(static_cast<unsigned char>(words[1][0])));
    return options;
}

}  // namespace linkworth::npb
