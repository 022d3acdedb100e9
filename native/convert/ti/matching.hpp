// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Agreement between the ranks' actions: tags, and that every message sent is received.
#pragma once

#include <cstdint>
#include <unordered_map>

namespace linkworth::convert {

/// Tags for time-independent traces. These have no communicators, so a tag represents both. Tags of
/// MPI_COMM_WORLD stay as they are. A tag of another communicator gets a number above them, the same in all
/// ranks.
class TiTags {
  public:
    /// `context` is 0 for messages of MPI_COMM_WORLD. Returns -1 if there are no numbers left.
    std::int32_t number(std::uint32_t context, std::int32_t tag) {
        if (context == 0 && tag < first_) return tag;
        const std::uint64_t key = std::uint64_t{context} << 32U | static_cast<std::uint32_t>(tag);
        const auto [found, fresh] = numbers_.try_emplace(key, next_);
        if (fresh && next_ < 0) return -1;
        if (fresh) next_ = next_ == last_ ? -1 : next_ + 1;
        return found->second;
    }

  private:
    static constexpr std::int32_t first_ = 1 << 30;
    static constexpr std::int32_t last_ = 0x7fffffff;
    std::unordered_map<std::uint64_t, std::int32_t> numbers_;
    std::int32_t next_ = first_;
};

/// Counts the messages that each pair of ranks sends and receives.
class TiBalance {
  public:
    void sent(std::uint32_t source, std::uint32_t destination, std::int32_t tag) {
        Pair& pair = pair_of(source, destination);
        ++pair.count;
        pair.tags += static_cast<std::uint32_t>(tag);
    }
    void received(std::uint32_t source, std::uint32_t destination, std::int32_t tag) {
        Pair& pair = pair_of(source, destination);
        --pair.count;
        pair.tags -= static_cast<std::uint32_t>(tag);
    }
    std::uint64_t unmatched() const {
        std::uint64_t pairs = 0;
        for (const auto& [ranks, pair] : pairs_)
            if (pair.count != 0 || pair.tags != 0) ++pairs;
        return pairs;
    }

  private:
    struct Pair {
        std::int64_t count = 0;
        std::uint64_t tags = 0;  ///< sum of those sent less sum of those received
    };
    Pair& pair_of(std::uint32_t source, std::uint32_t destination) {
        return pairs_[std::uint64_t{source} << 32U | destination];
    }
    std::unordered_map<std::uint64_t, Pair> pairs_;
};

}  // namespace linkworth::convert
