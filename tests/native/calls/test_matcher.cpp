// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// The matcher against the plain reading of MPI's rules: two lists, searched from the front.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <list>
#include <random>
#include <vector>

#include "calls/matcher.hpp"

namespace linkworth::replay {
namespace {

struct Item {
    Envelope envelope;
    std::uint32_t index;
};

class PlainMatcher {
  public:
    std::uint32_t arrive(const Envelope& envelope, std::uint32_t message) {
        return take(posted_, unexpected_, Item{envelope, message},
                    [&](const Item& item) { return item.envelope.accepts(envelope); });
    }
    std::uint32_t post(const Envelope& envelope, std::uint32_t receive) {
        return take(unexpected_, posted_, Item{envelope, receive},
                    [&](const Item& item) { return envelope.accepts(item.envelope); });
    }
    std::uint32_t peek(const Envelope& envelope) const {
        for (const Item& item : unexpected_)
            if (envelope.accepts(item.envelope)) return item.index;
        return none;
    }
    bool withdraw(std::uint32_t receive) {
        const auto found = std::find_if(posted_.begin(), posted_.end(),
                                        [&](const Item& item) { return item.index == receive; });
        if (found == posted_.end()) return false;
        posted_.erase(found);
        return true;
    }
    const std::list<Item>& posted() const { return posted_; }
    const std::list<Item>& unexpected() const { return unexpected_; }

  private:
    template <typename Fits>
    static std::uint32_t take(std::list<Item>& from, std::list<Item>& otherwise, const Item& item,
                              Fits fits) {
        const auto found = std::find_if(from.begin(), from.end(), fits);
        if (found == from.end()) {
            otherwise.push_back(item);
            return none;
        }
        const std::uint32_t index = found->index;
        from.erase(found);
        return index;
    }

    std::list<Item> posted_;
    std::list<Item> unexpected_;
};

/// Random calls. Where more than `most` wait, what waits longest is met.
void compare_with_plain_lists(std::size_t most) {
    for (std::uint32_t seed = 0; seed < 40; ++seed) {
        std::mt19937 random(seed);
        const auto below = [&](std::uint32_t limit) { return static_cast<std::int32_t>(random() % limit); };
        const std::uint32_t variety = 1 + seed % 5;
        Matcher matcher;
        PlainMatcher plain;
        for (std::uint32_t index = 0; index < 3000; ++index) {
            Envelope envelope{static_cast<std::uint32_t>(below(2)), below(variety * 4), below(variety)};
            ASSERT_EQ(matcher.unexpected(), plain.unexpected().size());
            while (plain.posted().size() + plain.unexpected().size() > most) {
                if (plain.unexpected().empty()) {
                    envelope = plain.posted().front().envelope;
                    envelope.source = std::max(envelope.source, 0);
                    envelope.tag = std::max(envelope.tag, 0);
                    ASSERT_EQ(matcher.arrive(envelope, index), plain.arrive(envelope, index));
                } else {
                    envelope = plain.unexpected().front().envelope;
                    ASSERT_EQ(matcher.post(envelope, index), plain.post(envelope, index));
                }
            }
            switch (below(10)) {
                case 0: EXPECT_EQ(matcher.peek(envelope), plain.peek(envelope)); break;
                case 1:
                    if (!plain.posted().empty()) {
                        const auto place = below(static_cast<std::uint32_t>(plain.posted().size()));
                        const Item item = *std::next(plain.posted().begin(), place);
                        EXPECT_TRUE(matcher.withdraw(item.envelope, item.index));
                        EXPECT_TRUE(plain.withdraw(item.index));
                        EXPECT_FALSE(matcher.withdraw(item.envelope, item.index));
                    }
                    break;
                case 2:
                case 3:
                case 4:
                case 5: ASSERT_EQ(matcher.arrive(envelope, index), plain.arrive(envelope, index)); break;
                default:
                    if (below(6) == 0) envelope.source = tracefile::any_source;
                    if (below(6) == 0) envelope.tag = tracefile::any_tag;
                    ASSERT_EQ(matcher.post(envelope, index), plain.post(envelope, index));
            }
        }
    }
}

TEST(Matcher, AgreesWithTwoPlainListsWhereMuchWaits) { compare_with_plain_lists(100'000); }

TEST(Matcher, AgreesWithTwoPlainListsWhereLittleWaits) { compare_with_plain_lists(12); }

}  // namespace
}  // namespace linkworth::replay
