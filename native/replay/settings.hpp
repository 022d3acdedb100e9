// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// A requested replay, by the names of `linkworth.model.settings`, which explains them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "calls/collectives/operation.hpp"
#include "replay/fabric.hpp"
#include "replay/fields.hpp"

namespace linkworth::replay {

struct ReplaySettings {
    std::optional<Progress> progress;
    std::map<std::int32_t, double> cpu_factor_at;
    double memory_demand_bytes_per_second = 0;
    std::optional<double> memory_bandwidth_bytes_per_second;
    std::optional<double> cores_per_node;
    double thread_gain = 1;
    double background_load = 0;
    bool contention = true;
    double noise = 0;
    std::uint64_t seed = 0;
    bool pass_unmodelled = false;

    static void fields(auto&& visit) {
        using enum Allowed;
        visit("progress", &ReplaySettings::progress, any);
        visit("cpu_factor_at", &ReplaySettings::cpu_factor_at, positive);
        visit("memory_demand_bytes_per_second", &ReplaySettings::memory_demand_bytes_per_second, amount);
        visit("memory_bandwidth_bytes_per_second", &ReplaySettings::memory_bandwidth_bytes_per_second, rate);
        visit("cores_per_node", &ReplaySettings::cores_per_node, count);
        visit("thread_gain", &ReplaySettings::thread_gain, positive);
        visit("background_load", &ReplaySettings::background_load, share);
        visit("contention", &ReplaySettings::contention, any);
        visit("noise", &ReplaySettings::noise, amount);
        visit("seed", &ReplaySettings::seed, any);
        visit("pass_unmodelled", &ReplaySettings::pass_unmodelled, any);
    }
};

struct RecordLimits {
    double from_seconds = 0;
    double to_seconds = no_limit;
    std::size_t most = 1'000'000;

    static void fields(auto&& visit) {
        using enum Allowed;
        visit("from_seconds", &RecordLimits::from_seconds, limit);
        visit("to_seconds", &RecordLimits::to_seconds, limit);
        visit("most", &RecordLimits::most, any);
    }
};

/// Results that a replay returns on request.
struct Details {
    std::optional<RecordLimits> record;
    std::optional<std::int32_t> counted_level;
    bool marks = false;

    static void fields(auto&& visit) {
        using enum Allowed;
        visit("record", &Details::record, any);
        visit("counted_level", &Details::counted_level, any);
        visit("marks", &Details::marks, any);
    }
};

struct ReplayRequest {
    Fabric fabric;
    std::vector<std::uint32_t> node_of_rank;
    ReplaySettings settings;
    double cpu_factor = 1;
    bool tolerate_cut = false;
    collectives::Rules collectives;
    Details details;

    static void fields(auto&& visit) {
        using enum Allowed;
        visit("fabric", &ReplayRequest::fabric, any);
        visit("node_of_rank", &ReplayRequest::node_of_rank, any);
        visit("settings", &ReplayRequest::settings, any);
        visit("cpu_factor", &ReplayRequest::cpu_factor, positive);
        visit("tolerate_cut", &ReplayRequest::tolerate_cut, any);
        visit("collectives", &ReplayRequest::collectives, any);
        visit("details", &ReplayRequest::details, any);
    }
};

}  // namespace linkworth::replay
