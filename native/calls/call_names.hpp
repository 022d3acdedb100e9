// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Facts about calls that the replay needs beyond their class.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace linkworth::replay {

/// MPI's communication modes. A ready send is a standard one whose receive is known to be posted.
enum class SendMode : std::uint8_t { standard, buffered, synchronous };

struct CallName {
    SendMode mode = SendMode::standard;
    bool communicates = false;  ///< a call of class `local` that does communicate: it is not modelled
    bool collective = false;    ///< and all ranks of a communicator take part in it
    bool input_output = false;  ///< a call of class `local` that reads or writes files
};

std::vector<CallName> describe_names(const std::vector<std::string>& names);

}  // namespace linkworth::replay
