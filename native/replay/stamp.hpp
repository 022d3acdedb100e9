// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// A moment of the simulated run, with the parts of the path that led to it.
#pragma once

namespace linkworth::replay {

/// `seconds` is the sum of the parts and of the time in calls to files. That time has no field: one more
/// would make a stamp two cache lines long. Taking the later of two stamps keeps the parts of the later one,
/// so that the stamp at the end of the run contains the parts of the critical path. "Elsewhere" means not on
/// a link between a node and its switch: in a node's memory, or between switches.
struct alignas(64) Stamp {
    double seconds = 0;
    double compute = 0;  ///< scaled by the CPU factor
    double overhead = 0;
    double link_latencies = 0;  ///< number of them, so that it is known even if the latency is 0
    double link_bandwidth = 0;
    double elsewhere_latency = 0;
    double elsewhere_bandwidth = 0;
    double wait = 0;

    void add_compute(double amount) {
        seconds += amount;
        compute += amount;
    }
    /// Exactly to a moment that is not before it.
    void compute_until(double moment) {
        compute += moment - seconds;
        seconds = moment;
    }
    void wait_until(double moment) {
        wait += moment - seconds;
        seconds = moment;
    }
    void add_overhead(double amount) {
        seconds += amount;
        overhead += amount;
    }
    void add_wait(double amount) {
        seconds += amount;
        wait += amount;
    }
    void add_input_output(double amount) { seconds += amount; }
    void add_link_latency(double latency) {
        seconds += latency;
        link_latencies += 1;
    }
    void add_latency_elsewhere(double amount) {
        seconds += amount;
        elsewhere_latency += amount;
    }
    void add_bandwidth(double amount, bool elsewhere) {
        seconds += amount;
        (elsewhere ? elsewhere_bandwidth : link_bandwidth) += amount;
    }
    /// Returns the seconds spent in calls to files, given the latency of a link. Without such calls this is a
    /// rounding error.
    double input_output(double latency) const {
        return seconds - compute - overhead - link_latencies * latency - link_bandwidth - elsewhere_latency -
               elsewhere_bandwidth - wait;
    }
    void raise_to(const Stamp& other) {
        if (other.seconds > seconds) *this = other;
    }
};

inline Stamp later(const Stamp& a, const Stamp& b) { return b.seconds > a.seconds ? b : a; }

}  // namespace linkworth::replay
