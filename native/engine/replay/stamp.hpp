// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// A moment of the simulated run, with the parts of the path that led to it.
#pragma once

namespace linkworth::replay {

/// `seconds` is the sum of the parts. Taking the later of two stamps keeps the parts of the later one, so
/// that the stamp at the end of the run holds the parts of the critical path.
struct alignas(64) Stamp {
    double seconds = 0;
    double compute = 0;
    double overhead = 0;
    double link_latency = 0;
    double link_bandwidth = 0;
    double local_latency = 0;
    double local_bandwidth = 0;
    double wait = 0;

    void add_compute(double amount) {
        seconds += amount;
        compute += amount;
    }
    void add_overhead(double amount) {
        seconds += amount;
        overhead += amount;
    }
    void add_wait(double amount) {
        seconds += amount;
        wait += amount;
    }
    void add_latency(double amount, bool local) {
        seconds += amount;
        (local ? local_latency : link_latency) += amount;
    }
    void add_bandwidth(double amount, bool local) {
        seconds += amount;
        (local ? local_bandwidth : link_bandwidth) += amount;
    }
    void raise_to(const Stamp& other) {
        if (other.seconds > seconds) *this = other;
    }
};

inline Stamp later(const Stamp& a, const Stamp& b) { return b.seconds > a.seconds ? b : a; }

}  // namespace linkworth::replay
