// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "profile/loops.hpp"

#include <algorithm>
#include <utility>

namespace linkworth::profile {
namespace {

constexpr std::uint64_t hash_base = 0x9E3779B97F4A7C15;  // 2^64 / golden ratio, odd
constexpr int most_tries = 16;

/// Finalizer of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
std::uint64_t mixed(std::uint64_t value) {
    value += hash_base;
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9;
    value = (value ^ (value >> 27)) * 0x94D049BB133111EB;
    return value ^ (value >> 31);
}

/// Adds the times of loops in `from` to those in `to`; both have the same symbols.
void merge(std::vector<LoopElement>& to, std::vector<LoopElement>& from) {
    for (std::size_t at = 0; at < to.size(); ++at) {
        if (to[at].loop != nullptr) {
            to[at].loop->times.add(from[at].loop->times);
            merge(to[at].loop->body, from[at].loop->body);
        }
        to[at].calls += from[at].calls;
    }
}

}  // namespace

void IterationTimes::add(double seconds) {
    least = count == 0 ? seconds : std::min(least, seconds);
    most = count == 0 ? seconds : std::max(most, seconds);
    ++count;
    sum += seconds;
    sum_of_squares += seconds * seconds;
}

void IterationTimes::add(const IterationTimes& other) {
    if (other.count == 0) {
        return;
    }
    least = count == 0 ? other.least : std::min(least, other.least);
    most = count == 0 ? other.most : std::max(most, other.most);
    count += other.count;
    sum += other.sum;
    sum_of_squares += other.sum_of_squares;
}

LoopFolder::LoopFolder(std::size_t most_elements) : most_elements_(most_elements), powers_{1} {}

bool LoopFolder::add_unexpected(std::uint32_t symbol, const Expected& call) {
    flush_expected();
    fold(symbol, call);
    expect_iteration();
    return elements_.size() < most_elements_;
}

/// After a loop without others in it one more iteration may come.
void LoopFolder::expect_iteration() {
    expected_count_ = 0;
    if (elements_.empty() || elements_.back().loop == nullptr || !elements_.back().loop->is_flat) {
        next_symbol_ = no_symbol;
        return;
    }
    std::vector<LoopElement>& body = elements_.back().loop->body;
    body_ = body.data();
    body_size_ = body.size();
    next_symbol_ = body.front().symbol;
    if (expected_.size() < body_size_) {
        expected_.resize(body_size_);
    }
}

void LoopFolder::end_iteration() {
    LoopElement& loop = elements_.back();
    for (std::size_t at = 0; at < body_size_; ++at) {
        body_[at].calls += expected_[at].calls;
        loop.calls += expected_[at].calls;
    }
    const double end = expected_[body_size_ - 1].end;
    loop.loop->times.add(end - loop.end);
    loop.end = end;
    expected_count_ = 0;
    next_symbol_ = body_->symbol;
}

void LoopFolder::flush_expected() {
    const std::size_t count = std::exchange(expected_count_, 0);
    if (count == 0) {
        return;
    }
    // Folding them may change the loop.
    std::vector<std::uint32_t> symbols;
    for (std::size_t at = 0; at < count; ++at) {
        symbols.push_back(body_[at].symbol);
    }
    for (std::size_t at = 0; at < count; ++at) {
        fold(symbols[at], expected_[at]);
    }
}

void LoopFolder::fold(std::uint32_t symbol, const Expected& call) {
    LoopElement element;
    element.symbol = symbol;
    element.name = call.name;
    element.start = call.start;
    element.end = call.end;
    element.calls = call.calls;
    push(std::move(element));
    while (extend_loop() || make_loop()) {
    }
}

std::vector<LoopElement> LoopFolder::take() && {
    flush_expected();
    return std::move(elements_);
}

void LoopFolder::push(LoopElement element) {
    const auto at = static_cast<std::int64_t>(elements_.size());
    if (element.symbol >= latest_.size()) {
        latest_.resize(std::size_t{element.symbol} + 1, -1);
    }
    if (powers_.size() <= elements_.size() + 1) {
        powers_.push_back(powers_.back() * hash_base);
    }
    Position position{};
    position.hash = (elements_.empty() ? 0 : positions_.back().hash) * hash_base + mixed(element.symbol);
    position.same_before = std::exchange(latest_[element.symbol], at);
    position.loop_before = elements_.empty()                  ? -1
                           : elements_.back().loop != nullptr ? at - 1
                                                              : positions_.back().loop_before;
    position.body_size = element.loop != nullptr ? element.loop->body.size() : 0;
    elements_.push_back(std::move(element));
    positions_.push_back(position);
}

LoopElement LoopFolder::pop() {
    LoopElement element = std::move(elements_.back());
    latest_[element.symbol] = positions_.back().same_before;
    elements_.pop_back();
    positions_.pop_back();
    return element;
}

std::uint64_t LoopFolder::hash_of(std::size_t from, std::size_t to) const {
    const std::uint64_t before = from == 0 ? 0 : positions_[from - 1].hash;
    return positions_[to - 1].hash - before * powers_[to - from];
}

std::uint32_t LoopFolder::loop_symbol(std::uint64_t body_hash) {
    return loop_symbols_.try_emplace(body_hash, static_cast<std::uint32_t>(2 * loop_symbols_.size() + 1))
        .first->second;
}

// The tail is one more iteration of a loop right before it.
bool LoopFolder::extend_loop() {
    const std::size_t size = elements_.size();
    std::int64_t at = positions_.back().loop_before;
    for (int tries = 0; at >= 0 && tries < most_tries; ++tries) {
        const auto place = static_cast<std::size_t>(at);
        const std::size_t length = positions_[place].body_size;
        const bool fits = place + 1 + length == size;
        const auto known = fits ? loop_symbols_.find(hash_of(place + 1, size)) : loop_symbols_.end();
        if (known != loop_symbols_.end() && known->second == elements_[place].symbol) {
            const double end = elements_.back().end;
            std::vector<LoopElement> body(length);
            std::uint64_t calls = 0;
            for (std::size_t item = length; item > 0; --item) {
                body[item - 1] = pop();
                calls += body[item - 1].calls;
            }
            LoopElement& loop = elements_[place];
            loop.loop->times.add(end - loop.end);
            loop.end = end;
            loop.calls += calls;
            merge(loop.loop->body, body);
            return true;
        }
        at = positions_[place].loop_before;
    }
    return false;
}

// The tail equals what is right before it.
bool LoopFolder::make_loop() {
    const std::size_t size = elements_.size();
    std::int64_t at = positions_.back().same_before;
    for (int tries = 0; at >= 0 && tries < most_tries; ++tries) {
        const std::size_t length = size - 1 - static_cast<std::size_t>(at);
        if (2 * length > size) {
            return false;
        }
        const std::uint64_t tail = hash_of(size - length, size);
        // A loop of one loop would be that loop.
        const bool is_loop = length == 1 && elements_.back().loop != nullptr;
        if (!is_loop && hash_of(size - 2 * length, size - length) == tail) {
            std::vector<LoopElement> second(length);
            std::vector<LoopElement> first(length);
            for (std::size_t item = length; item > 0; --item) {
                second[item - 1] = pop();
            }
            for (std::size_t item = length; item > 0; --item) {
                first[item - 1] = pop();
            }
            LoopElement loop;
            loop.symbol = loop_symbol(tail);
            loop.start = first.front().start;
            loop.end = second.back().end;
            loop.loop = std::make_unique<LoopNode>();
            loop.loop->times.add(first.back().end - loop.start);
            loop.loop->times.add(loop.end - first.back().end);
            for (std::size_t item = 0; item < length; ++item) {
                loop.calls += first[item].calls + second[item].calls;
            }
            merge(first, second);
            loop.loop->is_flat =
                std::ranges::all_of(first, [](const LoopElement& item) { return item.loop == nullptr; });
            loop.loop->body = std::move(first);
            push(std::move(loop));
            return true;
        }
        at = positions_[static_cast<std::size_t>(at)].same_before;
    }
    return false;
}

}  // namespace linkworth::profile
