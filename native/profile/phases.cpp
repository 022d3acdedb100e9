// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "profile/phases.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace linkworth::profile {
namespace {

constexpr std::uint64_t fewest_iterations = 3;
constexpr double smallest_share = 0.02;
constexpr double enough = 0.5;
/// Gain that a looser likeness needs for its loops to be preferred.
constexpr double better = 1.2;
constexpr double smallest_inner_share = 0.1;
/// A stretch this long against the loop around it interrupts the loop and does not end it.
constexpr double longest_interruption = 0.1;
constexpr std::size_t most_names = 12;

void collect_names(const std::vector<LoopElement>& body, std::vector<std::uint32_t>& names) {
    for (const LoopElement& element : body)
        if (element.loop != nullptr)
            collect_names(element.loop->body, names);
        else if (names.size() < most_names && std::ranges::find(names, element.name) == names.end())
            names.push_back(element.name);
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
    for (const LoopElement& inner : element.loop->body)
        if (inner.loop != nullptr) phase.inner.push_back(loop_phase(inner));
    return phase;
}

/// Adds the iterations of a loop with the same body, and thus with the same inner loops.
void add(Phase& to, const Phase& more) {
    to.seconds += more.seconds;
    to.calls += more.calls;
    to.iterations.add(more.iterations);
    for (std::size_t inner = 0; inner < to.inner.size(); ++inner) add(to.inner[inner], more.inner[inner]);
}

void drop_short_loops(Phase& phase) {
    std::erase_if(phase.inner, [&phase](const Phase& inner) {
        return inner.seconds < smallest_inner_share * phase.iterations.sum;
    });
    for (Phase& inner : phase.inner) drop_short_loops(inner);
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
            add(*before, loop);
            before->end = loop.end;
            before->seconds += between.seconds;
            before->calls += between.calls;
            before->interruptions += between.calls > 0 ? 1 : 0;
        } else {
            if (between.calls > 0) phases.push_back(between);
            phases.push_back(std::move(loop));
        }
        between = {};
        last_symbol = element.symbol;
    }
    if (between.calls > 0) phases.push_back(std::move(between));
    for (Phase& phase : phases) drop_short_loops(phase);
    return phases;
}

double looped_seconds(const Folded& folded) {
    double seconds = 0;
    for (const LoopElement& element : folded.elements)
        if (element.loop != nullptr && element.loop->times.count >= fewest_iterations)
            seconds += element.end - element.start;
    return seconds;
}

Folded walk(const tracefile::Trace& trace, std::uint32_t rank, Likeness likeness) {
    LoopWalk walk(trace, likeness);
    tracefile::RankCursor cursor = trace.cursor(rank);
    std::array<tracefile::EventRow, tracefile::rows_at_once> memory;
    for (auto rows = cursor.next_rows(memory); !rows.empty(); rows = cursor.next_rows(memory))
        if (!walk.take(cursor, rows)) break;
    return walk.finish();
}

}  // namespace

Phases find_phases(const tracefile::Trace& trace, LoopWalk* first) {
    Phases best;
    if (trace.ranks() == 0) return best;
    std::vector<std::uint32_t> ranks = {0};
    if (trace.ranks() > 1) ranks.push_back(trace.ranks() / 2);
    double longest = -1;
    for (const Likeness likeness : {Likeness::arguments, Likeness::peers, Likeness::names}) {
        for (const std::uint32_t rank : ranks) {
            LoopWalk* const done = std::exchange(first, nullptr);
            const Folded folded = done != nullptr ? done->finish() : walk(trace, rank, likeness);
            std::vector<Phase> phases = phases_of(folded);
            double loop = 0;
            for (const Phase& phase : phases) loop = std::max(loop, phase.is_loop ? phase.seconds : 0.0);
            if (longest < 0 || loop > better * longest) {
                longest = loop;
                best = {rank, likeness, folded.seconds, looped_seconds(folded), std::move(phases)};
            }
            if (longest > 0 && longest >= enough * best.seconds) return best;
        }
    }
    return best;
}

}  // namespace linkworth::profile
