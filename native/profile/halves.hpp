// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Messages with one side read and the other not yet.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace linkworth::profile {

inline constexpr std::uint32_t no_request = UINT32_MAX;

/// The send or the receive of a message.
struct Half {
    double posted = 0;  ///< start of the call that sends or receives, in seconds
    double end = 0;     ///< end of that call if it blocks
    std::uint32_t name = 0;
    std::int32_t tag = 0;
    std::uint32_t request = no_request;  ///< of a call that does not block
    std::uint8_t protocol = 0;           ///< of a send: `SendProtocol`
};

/// Halves of one kind in the order of their calls. MPI matches those of one tag in this order.
class Halves {
  public:
    void push(Half half) {
        if (end_ - first_ == ring_.size()) [[unlikely]] {
            grow();
        }
        // Field by field: a copy in one piece would wait for the fields that were just written.
        Half& to = at(end_++);
        to.posted = half.posted;
        to.end = half.end;
        to.name = half.name;
        to.tag = half.tag;
        to.request = half.request;
        to.protocol = half.protocol;
    }

    /// Calls `take` with the first one with this tag and removes it. Returns false if there is none.
    template <class Take>
    bool take(std::int32_t tag, Take take) {
        if (first_ == end_) {
            return false;
        }
        if (const Half& first = at(first_); first.tag == tag) [[likely]] {
            take(first);
            remove_first();
            return true;
        }
        for (std::size_t number = first_ + 1; number != end_; ++number) {
            if (at(number).tag == tag) {
                take(std::as_const(at(number)));
                remove(number);
                return true;
            }
        }
        return false;
    }

    void remove_request(std::uint32_t request) {
        for (std::size_t number = first_; number != end_; ++number) {
            if (at(number).request == request) {
                remove(number);
                return;
            }
        }
    }

    std::size_t size() const { return end_ - first_; }

  private:
    Half& at(std::size_t number) { return ring_[number & mask_]; }

    void remove(std::size_t number) {
        for (; number > first_; --number) {
            at(number) = at(number - 1);
        }
        remove_first();
    }

    void remove_first() {
        if (++first_ == end_) {
            first_ = end_ = 0;  // to where the cache has it
        }
    }

    void grow() {
        std::vector<Half> larger(std::max(least, 2 * ring_.size()));
        for (std::size_t number = first_; number != end_; ++number) {
            larger[number - first_] = at(number);
        }
        ring_ = std::move(larger);
        mask_ = ring_.size() - 1;
        end_ -= first_;
        first_ = 0;
    }

    // Most channels keep one side only, and with many ranks most have little to keep.
    static constexpr std::size_t least = 2;
    std::vector<Half> ring_;  ///< number n is at n modulo the size, a power of two
    std::size_t mask_ = 0;    ///< the size less one
    std::size_t first_ = 0;
    std::size_t end_ = 0;
};

/// All messages from one rank to another in one communicator.
struct Channel {
    std::uint32_t source = 0;  ///< world ranks
    std::uint32_t destination = 0;
    Halves sends;
    Halves receives;
};

}  // namespace linkworth::profile
