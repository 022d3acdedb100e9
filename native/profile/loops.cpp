// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "profile/loops.hpp"

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

namespace linkworth::profile {
namespace {

constexpr std::uint64_t hash_base = 0x9E3779B97F4A7C15;  // 2^64 / golden ratio, odd
constexpr std::uint32_t most_tries = 16;
constexpr std::size_t first_pairs = 256;

/// Finalizer of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
std::uint64_t mixed(std::uint64_t value) {
    value += hash_base;
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9;
    value = (value ^ (value >> 27)) * 0x94D049BB133111EB;
    return value ^ (value >> 31);
}

/// Adds the times of the loops in `from` to those in `to`; both have the same symbols.
void merge(std::span<LoopElement> to, std::span<const LoopElement> from) {
    for (std::size_t at = 0; at < to.size(); ++at) {
        if (to[at].loop != nullptr) {
            to[at].loop->times.add(from[at].loop->times);
            to[at].calls += from[at].calls;
            merge(to[at].loop->body, from[at].loop->body);
        }
    }
}

}  // namespace

void IterationTimes::add(const IterationTimes& other) {
    if (other.count == 0) return;
    least = count == 0 ? other.least : std::min(least, other.least);
    most = count == 0 ? other.most : std::max(most, other.most);
    count += other.count;
    sum += other.sum;
    sum_of_squares += other.sum_of_squares;
}

LoopFolder::LoopFolder(std::size_t most_elements)
    : most_elements_(most_elements), pairs_(first_pairs), powers_{1} {}

bool LoopFolder::add_unexpected(std::uint32_t symbol, std::uint32_t name, Moment end) {
    flush_expected();
    fold(symbol, name, end);
    expect_iteration();
    return elements_.size() < most_elements_;
}

/// After a loop without others in it one more iteration may come.
void LoopFolder::expect_iteration() {
    expected_count_ = 0;
    next_symbol_ = no_symbol;
    if (elements_.empty() || elements_.back().loop == nullptr) return;
    const std::vector<std::uint32_t>& symbols = elements_.back().loop->flat_symbols;
    if (symbols.empty()) return;
    body_symbols_ = symbols.data();
    body_size_ = symbols.size();
    next_symbol_ = symbols.front();
    if (expected_.size() < body_size_) expected_.resize(body_size_);
}

void LoopFolder::flush_expected() {
    const std::size_t count = std::exchange(expected_count_, 0);
    if (count == 0) return;
    // Folding them may end the loop's life.
    std::vector<std::pair<std::uint32_t, std::uint32_t>> calls;
    for (std::size_t at = 0; at < count; ++at) {
        const LoopElement& call = elements_.back().loop->body[at];
        calls.emplace_back(call.symbol, call.name);
    }
    for (std::size_t at = 0; at < count; ++at) fold(calls[at].first, calls[at].second, expected_[at]);
}

void LoopFolder::fold(std::uint32_t symbol, std::uint32_t name, Moment end) {
    push_position(symbol);
    LoopElement& element = elements_.emplace_back();
    element.symbol = symbol;
    element.name = name;
    element.start = folded_.seconds;
    element.end = end.seconds;
    element.calls = end.calls - folded_.calls;
    folded_ = end;
    while (extend_loop() || make_loop()) {
    }
}

std::vector<LoopElement> LoopFolder::take() && {
    flush_expected();
    return std::move(elements_);
}

/// Returns the place of a pair in `pairs_`, which is made if it is new.
std::uint32_t LoopFolder::pair_of(std::uint32_t first, std::uint32_t second) {
    const std::uint64_t symbols = std::uint64_t{first} << 32 | second;
    const std::size_t mask = pairs_.size() - 1;
    std::size_t at = (symbols * hash_base >> 32) & mask;
    while (pairs_[at].symbols != symbols) {
        if (pairs_[at].symbols == UINT64_MAX) {
            if (2 * ++pair_count_ > pairs_.size()) {
                grow_pairs();
                return pair_of(first, second);
            }
            pairs_[at].symbols = symbols;
            break;
        }
        at = (at + 1) & mask;
    }
    return static_cast<std::uint32_t>(at);
}

/// Computes the pairs of all positions again, and drops those that occur nowhere.
void LoopFolder::grow_pairs() {
    pair_count_ = 0;
    pairs_.assign(2 * pairs_.size(), {});
    for (std::size_t at = 1; at < positions_.size(); ++at) {
        Position& position = positions_[at];
        position.pair = pair_of(positions_[at - 1].symbol, position.symbol);
        pairs_[position.pair].latest = static_cast<std::int32_t>(at);
    }
}

LoopFolder::Position& LoopFolder::push_position(std::uint32_t symbol) {
    const std::size_t at = positions_.size();
    if (symbol >= latest_.size()) latest_.resize(std::size_t{symbol} + 1, -1);
    if (powers_.size() <= at + 1) powers_.push_back(powers_.back() * hash_base);
    if (due_.size() <= at) due_.resize(at + 1, -1);
    const std::uint32_t pair = at == 0 ? 0 : pair_of(positions_.back().symbol, symbol);
    Position& position = positions_.emplace_back();
    position.symbol = symbol;
    position.hash = mixed(symbol);
    position.same_before = std::exchange(latest_[symbol], static_cast<std::int32_t>(at));
    if (position.same_before >= 0)
        position.occurrence = positions_[static_cast<std::size_t>(position.same_before)].occurrence + 1;
    if (at > 0) {
        const Position& before = positions_[at - 1];
        position.hash += before.hash * hash_base;
        position.loops_before = before.loops_before + (before.body_size > 0 ? 1 : 0);
        position.pair = pair;
        position.pair_before = std::exchange(pairs_[pair].latest, static_cast<std::int32_t>(at));
    }
    return position;
}

void LoopFolder::drop_positions(std::size_t from) {
    while (positions_.size() > from) {
        const Position& last = positions_.back();
        latest_[last.symbol] = last.same_before;
        if (positions_.size() > 1) pairs_[last.pair].latest = last.pair_before;
        if (last.body_size > 0) due_[positions_.size() - 1 + last.body_size] = last.due_before;
        positions_.pop_back();
    }
}

std::uint64_t LoopFolder::hash_of(std::size_t from, std::size_t to) const {
    const std::uint64_t before = from == 0 ? 0 : positions_[from - 1].hash;
    return positions_[to - 1].hash - before * powers_[to - from];
}

std::uint32_t LoopFolder::loop_symbol(std::uint64_t body_hash) {
    return loop_symbols_.try_emplace(body_hash, static_cast<std::uint32_t>(2 * loop_symbols_.size() + 1))
        .first->second;
}

std::unique_ptr<LoopNode> LoopFolder::new_node() {
    if (spare_.empty()) return std::make_unique<LoopNode>();
    std::unique_ptr<LoopNode> node = std::move(spare_.back());
    spare_.pop_back();
    return node;
}

/// Keeps the memory of their loops for others.
void LoopFolder::recycle(std::span<LoopElement> elements) {
    for (LoopElement& element : elements) {
        if (element.loop != nullptr) {
            recycle(element.loop->body);
            element.loop->times = {};
            element.loop->flat_symbols.clear();
            element.loop->body.clear();
            spare_.push_back(std::move(element.loop));
        }
    }
}

// The tail is one more iteration of one of the nearest loops, right behind it.
bool LoopFolder::extend_loop() {
    const std::size_t size = elements_.size();
    const std::uint32_t loops = positions_.back().loops_before;
    for (std::int32_t at = due_[size - 1]; at >= 0;) {
        const auto place = static_cast<std::size_t>(at);
        const Position& position = positions_[place];
        if (loops - position.loops_before > most_tries) return false;
        if (hash_of(place + 1, size) == position.body_hash) {
            const auto iteration = std::span(elements_).subspan(place + 1);
            LoopElement& loop = elements_[place];
            loop.loop->times.add(iteration.back().end - loop.end);
            loop.end = iteration.back().end;
            for (const LoopElement& element : iteration) loop.calls += element.calls;
            merge(loop.loop->body, iteration);
            recycle(iteration);
            drop_positions(place + 1);
            elements_.resize(place + 1);
            return true;
        }
        at = position.due_before;
    }
    return false;
}

bool LoopFolder::repeats(std::size_t length) const {
    const std::size_t size = positions_.size();
    return hash_of(size - 2 * length, size - length) == hash_of(size - length, size);
}

// Makes a loop if the tail equals the elements right before it.
bool LoopFolder::make_loop() {
    const std::size_t size = elements_.size();
    const Position& last = positions_.back();
    if (last.same_before < 0) return false;
    // A loop of one loop would be that loop.
    if (static_cast<std::size_t>(last.same_before) + 2 == size && last.body_size == 0) {
        fold_last(1);
        return true;
    }
    for (std::int32_t at = last.pair_before; at >= 0;) {
        const Position& position = positions_[static_cast<std::size_t>(at)];
        const std::size_t length = size - 1 - static_cast<std::size_t>(at);
        if (2 * length > size || last.occurrence - position.occurrence > most_tries) return false;
        if (length > 1 && repeats(length)) {
            fold_last(length);
            return true;
        }
        at = position.pair_before;
    }
    return false;
}

/// Makes a loop of the last `length` elements and the same number before them.
void LoopFolder::fold_last(std::size_t length) {
    const std::size_t size = elements_.size();
    const std::size_t place = size - 2 * length;
    const std::uint64_t body_hash = hash_of(size - length, size);
    const auto first = std::span(elements_).subspan(place, length);
    const auto second = std::span(elements_).last(length);
    LoopElement loop;
    loop.symbol = loop_symbol(body_hash);
    loop.start = first.front().start;
    loop.end = second.back().end;
    loop.loop = new_node();
    loop.loop->times.add(first.back().end - loop.start);
    loop.loop->times.add(loop.end - first.back().end);
    for (std::size_t item = 0; item < length; ++item) loop.calls += first[item].calls + second[item].calls;
    merge(first, second);
    recycle(second);
    if (std::ranges::all_of(first, [](const LoopElement& item) { return item.loop == nullptr; }))
        for (const LoopElement& item : first) loop.loop->flat_symbols.push_back(item.symbol);
    loop.loop->body.assign(std::make_move_iterator(first.begin()), std::make_move_iterator(first.end()));
    drop_positions(place);
    elements_.resize(place);
    Position& position = push_position(loop.symbol);
    position.body_hash = body_hash;
    position.body_size = static_cast<std::uint32_t>(length);
    if (due_.size() <= place + length) due_.resize(place + length + 1, -1);
    position.due_before = std::exchange(due_[place + length], static_cast<std::int32_t>(place));
    elements_.push_back(std::move(loop));
}

}  // namespace linkworth::profile
