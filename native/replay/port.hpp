// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Queues at the sending side of NICs, by connection.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>

#include "calls/pool.hpp"

namespace linkworth::replay {

/// The connections that wait for the sending side of one rail of a NIC.
struct OutPort {
    std::uint32_t first = none;  ///< of those that wait for their turn
    std::uint32_t last = none;
    std::uint32_t served = none;  ///< the connection whose chunk is under way, if it has more
    bool idle() const { return first == none && served == none; }
};

/// The connections that wait at ports, in turn; each with its messages in order.
class WaitingConnections {
  public:
    /// `chunks` of a message queue at their connection's place. True if the port had nobody waiting.
    bool join(OutPort& port, std::uint32_t port_index, std::uint64_t connection, std::uint32_t message,
              std::uint32_t chunks) {
        const std::uint32_t piece = pieces_.take();
        pieces_[piece] = {message, chunks, none};
        const Key key{port_index, connection};
        const auto found = by_key_.find(key);
        if (found != by_key_.end()) {
            Line& line = lines_[found->second];
            pieces_[line.last_piece].next = piece;
            line.last_piece = piece;
            return false;
        }
        const std::uint32_t index = lines_.take();
        lines_[index] = {key, piece, piece, none};
        by_key_.emplace(key, index);
        const bool first = port.idle();
        append(port, index);
        return first;
    }

    /// Puts the connection served last to the end, and takes one chunk of the connection that is next.
    /// Returns its message.
    std::uint32_t take_chunk(OutPort& port) {
        if (port.served != none) append(port, std::exchange(port.served, none));
        const std::uint32_t index = port.first;
        Line& line = lines_[index];
        port.first = line.next;
        if (port.first == none) port.last = none;
        line.next = none;
        Piece& piece = pieces_[line.first_piece];
        const std::uint32_t message = piece.message;
        if (--piece.chunks == 0) {
            const std::uint32_t done = line.first_piece;
            line.first_piece = piece.next;
            pieces_.release(done);
        }
        if (line.first_piece == none) {
            by_key_.erase(line.key);
            lines_.release(index);
        } else {
            port.served = index;
        }
        return message;
    }

    /// The port soon takes a chunk.
    void prefetch_turn(const OutPort& port) const {
        if (port.first != none) lines_.prefetch(port.first);
    }

    bool waits(std::uint32_t port_index, std::uint64_t connection) const {
        return !by_key_.empty() && by_key_.contains(Key{port_index, connection});
    }

    /// Returns the last message of a connection that has chunks to send at a port, or `none`.
    std::uint32_t last_waiting(std::uint32_t port_index, std::uint64_t connection) const {
        const auto found = by_key_.find(Key{port_index, connection});
        return found == by_key_.end() ? none : pieces_[lines_[found->second].last_piece].message;
    }

  private:
    struct Key {
        std::uint32_t port;
        std::uint64_t connection;
        bool operator==(const Key&) const = default;
    };
    struct Hash {
        std::size_t operator()(const Key& key) const {
            return static_cast<std::size_t>((key.connection ^ (std::uint64_t{key.port} << 40U)) *
                                            0x9e3779b97f4a7c15U);
        }
    };
    struct Piece {
        std::uint32_t message = none;
        std::uint32_t chunks = 0;
        std::uint32_t next = none;
    };
    struct Line {
        Key key{};
        std::uint32_t first_piece = none;
        std::uint32_t last_piece = none;
        std::uint32_t next = none;
    };

    void append(OutPort& port, std::uint32_t index) {
        if (port.first == none)
            port.first = index;
        else
            lines_[port.last].next = index;
        port.last = index;
    }

    Pool<Piece> pieces_;
    Pool<Line> lines_;
    std::unordered_map<Key, std::uint32_t, Hash> by_key_;
};

}  // namespace linkworth::replay
