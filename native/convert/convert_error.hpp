// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// The error of a conversion that cannot go on.
#pragma once

#include <stdexcept>
#include <string>

namespace linkworth::convert {

/// A format cannot express what a trace contains, or the input is damaged. One sentence.
class ConvertError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// For a call that cannot be, with its reason.
inline ConvertError impossible_call(const std::logic_error& reason) {
    return ConvertError(std::string("the trace contains what no MPI program can do (") + reason.what() +
                        "); it is damaged: record the program again");
}

}  // namespace linkworth::convert
