// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// The communicators of a trace as OTF2 counts them: one number for all ranks.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>

#include "calls/communicators.hpp"
#include "calls/event.hpp"
#include "convert/otf2/library.hpp"

namespace linkworth::convert {

class Otf2Communicators {
  public:
    static constexpr std::uint32_t world = 0;
    static constexpr std::uint32_t self = 1;

    explicit Otf2Communicators(std::uint32_t ranks) : ranks_(ranks), known_(ranks) {}

    /// Returns LW_OTF2_UNDEFINED if the trace lost its creation.
    std::uint32_t ref(std::uint32_t rank, std::int32_t number) const;
    const replay::Membership* find(std::uint32_t rank, std::int32_t number) const;
    /// Returns the new one's number.
    std::uint32_t define(std::uint32_t rank, const tracefile::Shape& shape);
    void forget(std::uint32_t rank, std::int32_t number) { known_.forget(rank, number); }
    /// Writes all definitions.
    void write(const lw_otf2_interface& library, lw_otf2_writer* writer) const;

  private:
    struct Definition {
        const replay::Communicator* communicator;
        std::uint32_t parent;
    };

    std::uint32_t ranks_;
    mutable replay::Communicators known_;
    std::unordered_map<std::uint32_t, std::uint32_t> by_context_;
    std::map<std::uint32_t, Definition> archive_;
};

}  // namespace linkworth::convert
