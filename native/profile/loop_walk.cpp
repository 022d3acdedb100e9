// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "profile/loop_walk.hpp"

#include <utility>

#include "calls/names.hpp"

namespace linkworth::profile {
namespace {

using tracefile::CallClass;
using tracefile::CompleteMode;
using tracefile::Shape;

constexpr std::size_t most_elements = 1 << 16;
/// Symbols of calls that are not folded: not looked at yet, noise, and MPI_Init, before which nothing counts.
constexpr std::uint32_t unknown = UINT32_MAX;
constexpr std::uint32_t noise = UINT32_MAX - 1;
constexpr std::uint32_t outside = UINT32_MAX - 2;
/// Symbol of MPI_Finalize, whose time is initialisation as that of MPI_Init.
constexpr std::uint32_t ending = UINT32_MAX - 3;

class Hasher {
  public:
    void take(std::uint64_t value) {
        hash_ = (hash_ ^ value) * 0x9E3779B97F4A7C15;  // 2^64 / golden ratio
        hash_ ^= hash_ >> 29;
    }
    void take(std::int32_t value) { take(static_cast<std::uint64_t>(static_cast<std::uint32_t>(value))); }
    std::uint64_t value() const { return hash_; }

  private:
    std::uint64_t hash_ = 1;
};

std::uint64_t hash_of(const Shape& shape, Likeness likeness) {
    Hasher hasher;
    hasher.take(std::uint64_t{shape.name});
    // The number of requests that a test or a waitsome finds done is random.
    const bool by_chance = shape.call_class == CallClass::complete && shape.mode != CompleteMode::wait &&
                           shape.mode != CompleteMode::waitall;
    if (likeness == Likeness::names || by_chance) return hasher.value();
    hasher.take(shape.peer);
    hasher.take(shape.recv_peer);
    if (likeness == Likeness::peers) return hasher.value();
    hasher.take(shape.comm);
    hasher.take(shape.tag);
    hasher.take(shape.recv_tag);
    hasher.take(shape.bytes);
    hasher.take(shape.recv_bytes);
    hasher.take(std::uint64_t{shape.completions.size()});
    hasher.take(std::uint64_t{shape.references.size()});
    for (const std::uint64_t bytes : shape.send_counts) hasher.take(bytes);
    for (const std::uint64_t bytes : shape.recv_counts) hasher.take(bytes);
    return hasher.value();
}

/// Returns true for calls whose number depends on how often a program polls, and for calls that only query a
/// value.
bool is_noise(const Shape& shape, const tracefile::Trace& trace) {
    if (shape.call_class == CallClass::local) return !tracefile::communicates(trace.names()[shape.name]);
    return tracefile::found_nothing(shape);
}

}  // namespace

LoopWalk::LoopWalk(const tracefile::Trace& trace, Likeness likeness)
    : trace_(trace), likeness_(likeness), folder_(most_elements) {}

LoopWalk::Call LoopWalk::call_of(const Shape& shape) {
    if (shape.call_class == CallClass::init) return {outside, shape.name};
    if (shape.call_class == CallClass::finalize) return {ending, shape.name};
    if (is_noise(shape, trace_)) return {noise, shape.name};
    return {number_of(hash_of(shape, likeness_)), shape.name};
}

std::uint32_t LoopWalk::number_of(std::uint64_t hash) {
    return numbers_.try_emplace(hash, static_cast<std::uint32_t>(numbers_.size())).first->second;
}

bool LoopWalk::take(const tracefile::RankCursor& cursor, std::span<const tracefile::EventRow> rows) {
    if (cursor.blocks() != block_) {
        block_ = cursor.blocks();
        calls_.clear();
    }
    if (calls_.size() < cursor.shapes()) calls_.resize(cursor.shapes(), {unknown, 0});
    Moment now = now_;  // a copy, because what is written here could lie in `*this`
    for (std::size_t place = 0; place < rows.size(); ++place) {
        const tracefile::EventRow& row = rows[place];
        Call& call = calls_[row.shape];
        if (call.symbol >= ending || row.has_arguments) [[unlikely]] {
            if (call.symbol == unknown || row.has_arguments) call = call_of(cursor.shape_of(rows, place));
            if (call.symbol == outside) {
                if (numbers_.empty()) now = {};
                continue;
            }
        }
        const bool ends = call.symbol == ending;
        now.seconds += row.gap_seconds + (ends ? 0 : row.duration_seconds);
        ++now.calls;
        if (call.symbol != noise && !folder_.add(ends ? number_of(0) : call.symbol, call.name, now)) {
            folds_ = false;
            break;
        }
    }
    now_ = now;
    return folds_;
}

Folded LoopWalk::finish() {
    if (!folds_) return {};
    return {std::move(folder_).take(), now_.seconds};
}

}  // namespace linkworth::profile
