// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Messages of which one side was read and the other was not yet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace linkworth::profile {

inline constexpr std::uint32_t no_request = UINT32_MAX;

/// The send or the receive of a message.
struct Half {
    double posted = 0;  ///< start of the call that sends or receives, in seconds
    double end = 0;     ///< end of that call where it blocks
    std::uint32_t name = 0;
    std::int32_t tag = 0;
    std::uint32_t request = no_request;  ///< of a call that does not block
    std::uint8_t protocol = 0;           ///< of a send: `SendProtocol`
};

/// Halves of one kind in the order of their calls. MPI matches those of one tag in this order.
class Halves {
  public:
    void push(const Half& half) {
        // Field by field: a copy in one piece would wait for the fields that were just written.
        Half& to = items_.emplace_back();
        to.posted = half.posted;
        to.end = half.end;
        to.name = half.name;
        to.tag = half.tag;
        to.request = half.request;
        to.protocol = half.protocol;
    }

    /// Takes the first one with this tag; false where there is none.
    bool take(std::int32_t tag, Half& out) {
        for (std::size_t at = first_; at < items_.size(); ++at) {
            if (items_[at].tag == tag) {
                out = items_[at];
                remove(at);
                return true;
            }
        }
        return false;
    }

    void remove_request(std::uint32_t request) {
        for (std::size_t at = first_; at < items_.size(); ++at) {
            if (items_[at].request == request) {
                remove(at);
                return;
            }
        }
    }

    std::size_t size() const { return items_.size() - first_; }

  private:
    void remove(std::size_t at) {
        for (; at > first_; --at) {
            items_[at] = items_[at - 1];
        }
        ++first_;
        if (first_ == items_.size()) {
            items_.clear();
            first_ = 0;
        } else if (first_ >= 1024 && 2 * first_ >= items_.size()) {
            items_.erase(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(first_));
            first_ = 0;
        }
    }

    std::vector<Half> items_;
    std::size_t first_ = 0;
};

/// All messages from one rank to another in one communicator.
struct Channel {
    std::uint32_t source = 0;  ///< world ranks
    std::uint32_t destination = 0;
    Halves sends;
    Halves receives;
};

}  // namespace linkworth::profile
