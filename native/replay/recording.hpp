// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Records that a replay can keep for a timeline: calls, messages, and the load of each link and each rank.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "replay/settings.hpp"

namespace linkworth::replay {

/// Busy seconds of one link in equal stretches of time. The stretches double whenever the time outgrows them,
/// so that memory does not depend on the length of the run.
class LoadHistory {
  public:
    void add(double from, double to) {
        busy_seconds_ += to - from;
        while (to > width_ * static_cast<double>(bins)) widen();
        auto bin = static_cast<std::size_t>(from / width_);
        while (from < to) {
            const double end = std::min(to, static_cast<double>(bin + 1) * width_);
            if (bin < bins) busy_[bin] += end - from;
            from = end > from ? end : to;
            ++bin;
        }
    }

    double busy_seconds() const { return busy_seconds_; }
    /// Length of a stretch in seconds.
    double width_seconds() const { return width_; }
    /// Busy seconds of each.
    const std::vector<double>& busy() const { return busy_; }
    /// Doubles the stretches until they are at least this long.
    void widen_to(double seconds) {
        while (width_ < seconds) widen();
    }

  private:
    static constexpr std::size_t bins = 512;

    void widen() {
        for (std::size_t i = 0; i < bins / 2; ++i) busy_[i] = busy_[2 * i] + busy_[2 * i + 1];
        std::fill(busy_.begin() + bins / 2, busy_.end(), 0.0);
        width_ *= 2;
    }

    double busy_seconds_ = 0;
    double width_ = 1e-6;
    std::vector<double> busy_ = std::vector<double>(bins);
};

enum class LinkKind { nic_out, nic_in, switch_up, switch_down };

/// A link's history, by its place: node and rail of a NIC; group and link of a switch, with its level.
struct LinkLoad {
    LinkKind kind = LinkKind::nic_out;
    std::uint32_t level = 0;
    std::uint32_t place = 0;
    std::uint32_t number = 0;
    LoadHistory history;
};

struct RecordedCall {
    std::uint32_t rank = 0;
    std::uint32_t thread = 0;  ///< 0: the one that called MPI_Init, then in the order of their first calls
    std::uint32_t name = 0;    ///< index in the trace's table
    double start_seconds = 0;
    double end_seconds = 0;
};

struct RecordedMessage {
    std::uint32_t source = 0;  ///< world ranks
    std::uint32_t destination = 0;
    std::uint64_t bytes = 0;
    double sent_seconds = 0;
    double received_seconds = 0;
};

/// Calls and messages that begin within the limits.
struct Recording {
    RecordLimits limits;
    std::vector<RecordedCall> calls;
    std::vector<RecordedMessage> messages;
    std::vector<LinkLoad> loads;
    std::vector<LoadHistory> computation;  ///< [rank] the time in which it computed
    bool cut = false;                      ///< there were more

    void computed(std::uint32_t rank, double from, double to) {
        if (rank >= computation.size()) computation.resize(rank + 1);
        computation[rank].add(from, to);
    }
    void call(const RecordedCall& call) {
        if (call.start_seconds < limits.from_seconds || call.start_seconds >= limits.to_seconds) return;
        if (calls.size() < limits.most) {
            calls.push_back(call);
        } else {
            cut = true;
        }
    }
    void message(const RecordedMessage& message) {
        if (message.sent_seconds < limits.from_seconds || message.sent_seconds >= limits.to_seconds) return;
        if (messages.size() < limits.most) {
            messages.push_back(message);
        } else {
            cut = true;
        }
    }
};

}  // namespace linkworth::replay
