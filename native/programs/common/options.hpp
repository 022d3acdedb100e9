// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace linkworth::npb {

/// A command line, a class or a rank count that cannot be run; the message is one sentence for the user.
class UsageError : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// An option of one program, as typed.
struct Setting {
    std::string name;  ///< "--iterations"
    std::string value;
    bool has_value;
};

struct Options {
    std::string program;   ///< lower case
    std::string argument;  ///< as typed: a class, a level, a number of points
    char letter = '?';     ///< the argument as a class, upper case, if it is one letter
    std::vector<std::string> words;
    std::vector<Setting> settings;
    bool json = false;
    bool timers = false;
    bool help = false;

    /// The last setting of that name; null if there is none. Throws UsageError if it has no value.
    const std::string* find(std::string_view name) const;
    /// A setting that is a whole number of at least `least`, written like 4000 or 4e3; `fallback` if it is
    /// not set. Throws UsageError.
    std::int64_t whole_number(std::string_view name, std::int64_t fallback, std::int64_t least) const;
    /// A setting in seconds, from 0 to 1e6; `fallback` if it is not set. Throws UsageError.
    double seconds(std::string_view name, double fallback) const;
};

/// Checks the form of the command line only. The registry checks what a program takes.
Options parse_options(int argc, const char* const* argv);

}  // namespace linkworth::npb
