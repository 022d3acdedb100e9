// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// The nodes' NICs and memories as queues that competing messages share.
#pragma once

#include <cstdint>
#include <vector>

#include "replay/path.hpp"
#include "replay/stamp.hpp"

namespace linkworth::replay {

class Network {
  public:
    Network(const FabricCosts& fabric, std::uint32_t nodes);

    /// Takes the sender's NIC from `ready` on, first come first served. Returns when the first byte leaves;
    /// `done` is when the last one has left.
    Stamp inject(std::uint32_t node, std::uint64_t bytes, const Stamp& ready, Stamp& done);

    /// Takes the receiver's NIC from the arrival of the first byte on. Returns when the last byte is in
    /// memory: bytes flow through both NICs at once, so an undisturbed message pays for its bytes once.
    Stamp deliver(std::uint32_t node, std::uint64_t bytes, const Stamp& head);

    /// A message inside a node: the pair's own rate, and the node's ceiling shared by all of its messages.
    Stamp copy(std::uint32_t node, std::uint64_t bytes, const Stamp& ready);

  private:
    /// What one message takes of a NIC.
    struct Occupancy {
        Stamp start;          ///< its first byte
        Stamp free;           ///< the next message may start
        double wire_seconds;  ///< its bytes, on the rails that it uses
    };

    Occupancy occupy(std::vector<Stamp>& rails, std::uint32_t node, std::uint64_t bytes, const Stamp& ready);

    const FabricCosts& fabric_;
    double stripe_width_;
    std::vector<Stamp> out_;     ///< [node x rails + rail]: when it is free
    std::vector<Stamp> in_;      ///< likewise
    std::vector<Stamp> memory_;  ///< [node]
};

}  // namespace linkworth::replay
