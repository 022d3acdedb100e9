// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Folds the calls of one rank into loops while they are read.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "profile/loops.hpp"
#include "trace/trace.hpp"

namespace linkworth::profile {

/// Properties that two calls must have in common to count as the same.
enum class Likeness : std::uint8_t { arguments, peers, names };

struct Folded {
    std::vector<LoopElement> elements;  ///< none if the calls do not repeat
    double seconds = 0;                 ///< from the end of MPI_Init to the start of MPI_Finalize
};

class LoopWalk {
  public:
    LoopWalk(const tracefile::Trace& trace, Likeness likeness);

    /// Takes the next rows of a rank's cursor, from its first one on. Returns false if its calls do not
    /// repeat and too many of them were kept; it takes no more then.
    bool take(const tracefile::RankCursor& cursor, std::span<const tracefile::EventRow> rows);
    /// Ends the walk.
    Folded finish();

  private:
    struct Call {
        std::uint32_t symbol = 0;
        std::uint32_t name = 0;
    };

    Call call_of(const tracefile::Shape& shape);
    std::uint32_t number_of(std::uint64_t hash);

    const tracefile::Trace& trace_;
    Likeness likeness_;
    LoopFolder folder_;
    std::vector<Call> calls_;  ///< by number of the shape in the block
    std::unordered_map<std::uint64_t, std::uint32_t> numbers_;
    std::uint64_t block_ = 0;
    Moment now_;
    bool folds_ = true;
};

}  // namespace linkworth::profile
