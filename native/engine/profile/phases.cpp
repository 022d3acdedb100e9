// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "profile/phases.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "tracefile/names.hpp"

namespace linkworth::profile {
namespace {

using tracefile::CallClass;
using tracefile::CompleteMode;
using tracefile::Event;
using tracefile::Shape;

constexpr std::size_t most_elements = 1 << 16;
constexpr std::uint64_t fewest_iterations = 3;
constexpr double smallest_share = 0.02;
constexpr double enough = 0.5;
/// What a looser likeness must gain for its loops to be preferred.
constexpr double better = 1.2;
constexpr double smallest_inner_share = 0.1;
/// A stretch this long against the loop around it interrupts the loop and does not end it.
constexpr double longest_interruption = 0.1;
constexpr std::size_t most_names = 12;

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
    // How many requests a test or a waitsome finds done is chance.
    const bool by_chance = shape.call_class == CallClass::complete && shape.mode != CompleteMode::wait &&
                           shape.mode != CompleteMode::waitall;
    if (likeness == Likeness::names || by_chance) {
        return hasher.value();
    }
    hasher.take(shape.peer);
    hasher.take(shape.recv_peer);
    if (likeness == Likeness::peers) {
        return hasher.value();
    }
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

/// Calls whose number depends on how often a program looks, and those that ask MPI for nothing but a figure.
bool is_noise(const Shape& shape, const tracefile::Trace& trace) {
    switch (shape.call_class) {
        case CallClass::complete:
            return shape.completions.empty();
        case CallClass::probe:
            return !shape.found;
        case CallClass::local:
            return !tracefile::communicates(trace.names()[shape.name]);
        default:
            return false;
    }
}

struct Folded {
    std::vector<LoopElement> elements;
    double seconds = 0;
    double looped = 0;
};

class Walk {
  public:
    Walk(const tracefile::Trace& trace, Likeness likeness)
        : trace_(trace), likeness_(likeness), folder_(most_elements) {}

    Folded run(std::uint32_t rank) {
        tracefile::RankCursor cursor = trace_.cursor(rank);
        Event event;
        std::uint64_t block = 0;
        std::uint64_t skipped = 0;
        double now = 0;
        double last = 0;
        bool folds = true;
        while (folds && cursor.next(event)) {
            if (cursor.blocks() != block) {
                block = cursor.blocks();
                symbols_.clear();
            }
            if (event.shape->call_class == CallClass::init) {
                continue;
            }
            now += event.gap_seconds + event.duration_seconds;
            ++skipped;
            const std::uint32_t symbol = symbol_of(event);
            if (symbol != noise) {
                folds = folder_.add(symbol, event.shape->name, last, now, std::exchange(skipped, 0));
                last = now;
            }
        }
        Folded result;
        if (folds) {
            result.seconds = now;
            result.elements = std::move(folder_).take();
            for (const LoopElement& element : result.elements) {
                if (element.loop != nullptr && element.loop->times.count >= fewest_iterations) {
                    result.looped += element.end - element.start;
                }
            }
        }
        return result;
    }

  private:
    static constexpr std::uint32_t unknown = UINT32_MAX;
    static constexpr std::uint32_t noise = UINT32_MAX - 1;

    std::uint32_t symbol_of(const Event& event) {
        while (event.shape_number >= symbols_.size()) {
            symbols_.push_back(unknown);
        }
        std::uint32_t& symbol = symbols_[event.shape_number];
        if (symbol == unknown) {
            symbol = is_noise(*event.shape, trace_)
                         ? noise
                         : numbers_
                               .try_emplace(hash_of(*event.shape, likeness_),
                                            static_cast<std::uint32_t>(numbers_.size()))
                               .first->second;
        }
        return symbol;
    }

    const tracefile::Trace& trace_;
    Likeness likeness_;
    LoopFolder folder_;
    std::vector<std::uint32_t> symbols_;  ///< by number of the shape in the block
    std::unordered_map<std::uint64_t, std::uint32_t> numbers_;
};

void collect_names(const std::vector<LoopElement>& body, std::vector<std::uint32_t>& names) {
    for (const LoopElement& element : body) {
        if (element.loop != nullptr) {
            collect_names(element.loop->body, names);
        } else if (names.size() < most_names && std::ranges::find(names, element.name) == names.end()) {
            names.push_back(element.name);
        }
    }
}

Phase loop_phase(const LoopElement& element) {
    Phase phase;
    phase.is_loop = true;
    phase.start = element.start;
    phase.end = element.end;
    phase.iterations = element.loop->times;
    phase.seconds = phase.iterations.sum;
    phase.calls = element.calls;
    collect_names(element.loop->body, phase.names);
    for (const LoopElement& inner : element.loop->body) {
        if (inner.loop != nullptr && inner.loop->times.sum >= smallest_inner_share * phase.seconds) {
            phase.inner.push_back(loop_phase(inner));
        }
    }
    return phase;
}

std::vector<Phase> phases_of(const Folded& folded) {
    std::vector<Phase> phases;
    Phase between;
    std::uint32_t last_symbol = 0;
    for (const LoopElement& element : folded.elements) {
        const bool counts = element.loop != nullptr && element.loop->times.count >= fewest_iterations &&
                            element.end - element.start >= smallest_share * folded.seconds;
        if (!counts) {
            between.start = between.calls == 0 ? element.start : between.start;
            between.end = element.end;
            between.seconds = between.end - between.start;
            between.calls += element.calls;
            continue;
        }
        Phase loop = loop_phase(element);
        Phase* const before = !phases.empty() && phases.back().is_loop ? &phases.back() : nullptr;
        if (before != nullptr && last_symbol == element.symbol &&
            between.seconds <= longest_interruption * (before->seconds + loop.seconds)) {
            before->end = loop.end;
            before->seconds += between.seconds + loop.seconds;
            before->calls += between.calls + loop.calls;
            before->iterations.add(loop.iterations);
            before->interruptions += between.calls > 0 ? 1 : 0;
            for (std::size_t inner = 0; inner < std::min(before->inner.size(), loop.inner.size()); ++inner) {
                before->inner[inner].iterations.add(loop.inner[inner].iterations);
                before->inner[inner].seconds += loop.inner[inner].seconds;
                before->inner[inner].calls += loop.inner[inner].calls;
            }
        } else {
            if (between.calls > 0) {
                phases.push_back(between);
            }
            phases.push_back(std::move(loop));
        }
        between = {};
        last_symbol = element.symbol;
    }
    if (between.calls > 0) {
        phases.push_back(std::move(between));
    }
    return phases;
}

}  // namespace

Phases find_phases(const tracefile::Trace& trace) {
    Phases best;
    if (trace.ranks() == 0) {
        return best;
    }
    std::vector<std::uint32_t> ranks = {0};
    if (trace.ranks() > 1) {
        ranks.push_back(trace.ranks() / 2);
    }
    double longest = -1;
    for (const Likeness likeness : {Likeness::arguments, Likeness::peers, Likeness::names}) {
        for (const std::uint32_t rank : ranks) {
            const Folded folded = Walk(trace, likeness).run(rank);
            std::vector<Phase> phases = phases_of(folded);
            double loop = 0;
            for (const Phase& phase : phases) {
                loop = std::max(loop, phase.is_loop ? phase.seconds : 0.0);
            }
            if (longest < 0 || loop > better * longest) {
                longest = loop;
                best = {rank, likeness, folded.seconds, folded.looped, std::move(phases)};
            }
            if (longest > 0 && longest >= enough * best.seconds) {
                return best;
            }
        }
    }
    return best;
}

}  // namespace linkworth::profile
