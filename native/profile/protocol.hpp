// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Detection of the sends that wait for their receive. The trace does not contain the MPI library's eager
/// limit, so it is learned from the times.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace linkworth::profile {

/// Behaviour of sends, by size (to a power of two) for standard sends, else by mode.
class SendProtocols {
  public:
    static constexpr std::uint8_t synchronous = 65;
    static constexpr std::uint8_t buffered = 66;
    static constexpr std::size_t count = 67;

    static std::uint8_t of(std::string_view call, std::uint64_t bytes) {
        if (call.find("ssend") != std::string_view::npos || call.find("Ssend") != std::string_view::npos)
            return synchronous;
        if (call.find("bsend") != std::string_view::npos || call.find("Bsend") != std::string_view::npos)
            return buffered;
        return static_cast<std::uint8_t>(std::bit_width(bytes));
    }

    /// A send ended before its receive was there.
    void ended_before(std::uint8_t protocol) { ++before_[protocol]; }
    /// The receive came while the send was in its call.
    void met_inside(std::uint8_t protocol) { ++inside_[protocol]; }

    /// If a tenth of the sends did not wait, none of them wait: those that met their receive took long for
    /// another reason.
    bool waits(std::uint8_t protocol) const {
        return protocol == synchronous ||
               (protocol != buffered && 10 * before_[protocol] < inside_[protocol]);
    }

  private:
    std::array<std::uint64_t, count> before_{};
    std::array<std::uint64_t, count> inside_{};
};

/// Receivers that a call may wait for: the latest one of each of so many protocols. Earlier ones seldom
/// matter.
inline constexpr std::size_t most_late_protocols = 3;

/// Condition under which a call waited for one of its partners. Whether it holds is known after all calls.
struct WaitCondition {
    static constexpr std::uint8_t none = UINT8_MAX;

    /// The receivers that came after this partner: their sends do not wait.
    std::array<std::uint8_t, most_late_protocols> not_waiting{none, none, none};
    std::uint8_t waiting = none;  ///< the partner receives, and its send does wait

    auto operator<=>(const WaitCondition&) const = default;
    bool holds(const SendProtocols& protocols) const {
        for (const std::uint8_t later : not_waiting)
            if (later != none && protocols.waits(later)) return false;
        return waiting == none || protocols.waits(waiting);
    }
};

}  // namespace linkworth::profile
