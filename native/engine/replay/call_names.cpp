// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "replay/call_names.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace linkworth::replay {
namespace {

using std::string_view_literals::operator""sv;

constexpr std::array buffered_names = {"MPI_Bsend"sv, "MPI_Ibsend"sv, "MPI_Bsend_init"sv};
constexpr std::array synchronous_names = {"MPI_Ssend"sv, "MPI_Issend"sv, "MPI_Ssend_init"sv};
constexpr std::array communicating_prefixes = {
    "MPI_Put"sv,        "MPI_Rput"sv,        "MPI_Get_accumulate"sv, "MPI_Rget"sv,
    "MPI_Accumulate"sv, "MPI_Raccumulate"sv, "MPI_Fetch_and_op"sv,   "MPI_Compare_and_swap"sv,
    "MPI_Win_"sv,       "MPI_File_"sv,       "MPI_Neighbor_"sv,      "MPI_Ineighbor_"sv,
    "MPI_Psend_init"sv, "MPI_Precv_init"sv,  "MPI_Pready"sv,         "MPI_Parrived"sv,
    "MPI_Comm_spawn"sv, "MPI_Comm_accept"sv, "MPI_Comm_connect"sv,   "MPI_Comm_disconnect"sv,
    "MPI_Comm_join"sv};
constexpr std::array harmless = {"MPI_Win_get_attr"sv, "MPI_Win_set_attr"sv,  "MPI_Win_get_name"sv,
                                 "MPI_Win_set_name"sv, "MPI_Win_get_group"sv, "MPI_Win_get_info"sv};

std::string_view without_large_count(std::string_view name) {
    return name.ends_with("_c") ? name.substr(0, name.size() - 2) : name;
}

template <typename Names>
bool is_one_of(std::string_view name, const Names& names) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

std::vector<CallName> describe_names(const std::vector<std::string>& names) {
    std::vector<CallName> described(names.size());
    for (std::size_t i = 0; i < names.size(); ++i) {
        const std::string_view name = without_large_count(names[i]);
        if (is_one_of(name, buffered_names)) described[i].mode = SendMode::buffered;
        if (is_one_of(name, synchronous_names)) described[i].mode = SendMode::synchronous;
        const bool communicating =
            name == "MPI_Get" ||
            std::any_of(communicating_prefixes.begin(), communicating_prefixes.end(),
                        [&](std::string_view prefix) { return name.starts_with(prefix); });
        described[i].communicates = communicating && !is_one_of(name, harmless);
    }
    return described;
}

}  // namespace linkworth::replay
