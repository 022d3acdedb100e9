// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>

namespace linkworth::npb {

struct Options {
    std::string program;
    char letter = '?';  ///< class, upper case
    bool json = false;
    bool timers = false;
    bool help = false;
};

/// A command line, a class or a rank count that cannot be run; the message is one sentence for the user.
class UsageError : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Checks the form of the command line only; whether program and class exist is the registry's matter.
Options parse_options(int argc, const char* const* argv);

}  // namespace linkworth::npb
