// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace linkworth::netbench {

/// b_eff's three methods by which each rank of a ring gives one message to each of its two neighbours.
enum class Method { sendrecv, alltoallv, nonblocking };
inline constexpr std::array kMethods{Method::sendrecv, Method::alltoallv, Method::nonblocking};

/// Ranks that take part.
enum class Among { automatic, pair_in_node, pair_across_nodes, node, all };

/// Settings from the command line of `linkworth bench`, which checks their ranges
/// (linkworth.bench.settings).
struct Settings {
    std::string test;
    std::vector<std::int64_t> sizes;  ///< message sizes in bytes, in the order of the measurement
    double precision = 0.02;          ///< bound of the confidence half-width, relative to the mean
    double seconds = 1.0;             ///< after so long a size is given up, as precise as it is
    int window = 64;                  ///< messages under way at once in the bandwidth tests
    Among among = Among::automatic;
    bool asynchronous = false;  ///< receives are posted before the partner sends
    bool bidirectional = false;
    bool pairs = false;        ///< all ranks of a node with those of another
    std::int64_t longest = 0;  ///< b_eff's longest message; 0: by memory
    std::uint64_t seed = 1;    ///< of b_eff's random patterns
    std::vector<Method> methods{kMethods.begin(), kMethods.end()};  ///< of b_eff
};

/// A command line that cannot be used; what() is one sentence for the user.
struct UsageError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Throws UsageError.
Among among_named(std::string_view name);

/// Throws UsageError.
Settings parse_settings(int argc, const char* const* argv);

}  // namespace linkworth::netbench
