// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "calls/names.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <utility>

namespace linkworth::tracefile {
namespace {

/// By Collective; `none` has no name.
constexpr std::array<std::string_view, 23> collectives = {
    "",
    "barrier",
    "bcast",
    "gather",
    "gatherv",
    "scatter",
    "scatterv",
    "allgather",
    "allgatherv",
    "alltoall",
    "alltoallv",
    "alltoallw",
    "reduce",
    "allreduce",
    "reduce_scatter",
    "reduce_scatter_block",
    "scan",
    "exscan",
    "neighbor_allgather",
    "neighbor_allgatherv",
    "neighbor_alltoall",
    "neighbor_alltoallv",
    "neighbor_alltoallw",
};

constexpr std::array<std::string_view, 34> classes = {
    "local",           "send",           "isend",     "recv",         "irecv",    "sendrecv",   "send_init",
    "recv_init",       "start",          "complete",  "request_free", "probe",    "collective", "icollective",
    "collective_init", "comm_new",       "icomm_new", "comm_free",    "init",     "finalize",   "abort",
    "pcontrol",        "request_cancel", "win_new",   "win_free",     "rma",      "irma",       "win_sync",
    "psend_init",      "precv_init",     "pready",    "pready_list",  "parrived", "isendrecv",
};

constexpr std::size_t zeros_at_once = 256;

// Lower case, without the prefix and without the suffixes of large counts and persistence.
std::string stem(std::string_view name) {
    if (name.starts_with("P")) name.remove_prefix(1);
    if (!name.starts_with("MPI_")) return {};
    name.remove_prefix(4);
    for (const std::string_view suffix : {std::string_view("_c"), std::string_view("_init")})
        if (name.ends_with(suffix)) name.remove_suffix(suffix.size());
    std::string lower(name);
    std::ranges::transform(lower, lower.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return lower;
}

// MPI-4.1, chapters 3 and 4 (messages), 11 (process creation), 12 (one-sided). Calls that only test for a
// message do not wait. File calls are left out, because they wait for a disk and not for another rank.
constexpr std::array<std::string_view, 9> communicating_prefixes = {
    "win_", "rput", "rget", "raccumulate", "comm_spawn", "comm_accept", "comm_connect", "comm_join", "pready",
};
constexpr std::array<std::string_view, 32> communicating_names = {
    "put",          "get",
    "accumulate",   "get_accumulate",
    "fetch_and_op", "compare_and_swap",
    "psend",        "precv",
    "parrived",     "comm_disconnect",
    "isendrecv",    "isendrecv_replace",
    "send",         "bsend",
    "ssend",        "rsend",
    "isend",        "ibsend",
    "issend",       "irsend",
    "recv",         "irecv",
    "mrecv",        "imrecv",
    "probe",        "mprobe",
    "sendrecv",     "sendrecv_replace",
    "wait",         "waitall",
    "waitany",      "waitsome",
};
// Local calls among them (attributes, names, error handlers, inquiries).
constexpr std::array<std::string_view, 16> quiet_prefixes = {
    "win_get_",        "win_set_",        "win_create_keyval",   "win_create_errhandler",
    "win_free_keyval", "win_delete_attr", "win_call_errhandler", "win_test",
    "win_sync",        "win_attach",      "win_detach",          "win_shared_query",
    "win_c2f",         "win_f2c",         "win_toint",           "win_fromint",
};

}  // namespace

Collective collective_by_name(std::string_view name) {
    const std::string lower = stem(name);
    std::string_view key = lower;
    if (key.starts_with("i")) key.remove_prefix(1);
    const auto* const found = std::ranges::find(collectives, key);
    return found == collectives.end() ? Collective::none
                                      : static_cast<Collective>(found - collectives.begin());
}

std::string_view collective_name(Collective collective) {
    return collectives.at(static_cast<std::size_t>(collective));
}

bool communicates(std::string_view name) {
    const std::string lower = stem(name);
    const auto starts = [&lower](std::string_view prefix) { return lower.starts_with(prefix); };
    if (std::ranges::any_of(quiet_prefixes, starts)) return false;
    if (std::ranges::find(communicating_names, std::string_view(lower)) != communicating_names.end())
        return true;
    return std::ranges::any_of(communicating_prefixes, starts) ||
           collective_by_name(name) != Collective::none;
}

bool is_collective(std::string_view name) { return collective_by_name(name) != Collective::none; }

std::string_view class_name(CallClass call_class) { return classes.at(static_cast<std::size_t>(call_class)); }

bool class_by_name(std::string_view name, CallClass& call_class) {
    const auto* const found = std::ranges::find(classes, name);
    if (found == classes.end()) return false;
    call_class = static_cast<CallClass>(found - classes.begin());
    return true;
}

NamedSite at_site(std::string_view entry) {
    const std::size_t mark = entry.find('@');
    if (mark == std::string_view::npos) return {entry, {}};
    return {entry.substr(0, mark), entry.substr(mark + 1)};
}

std::vector<std::string> split_names(std::span<const std::uint8_t> table) {
    // Most of a part's table is room for more.
    const auto ends_with_zeros = [&table](std::size_t count) {
        const auto last = table.last(count);
        return last.front() == 0 && std::memcmp(last.data(), last.data() + 1, count - 1) == 0;
    };
    while (table.size() >= zeros_at_once && ends_with_zeros(zeros_at_once))
        table = table.first(table.size() - zeros_at_once + 1);
    std::vector<std::string> names;
    std::string name;
    for (const std::uint8_t byte : table) {
        if (byte != 0) {
            name.push_back(static_cast<char>(byte));
            continue;
        }
        names.push_back(std::move(name));
        name.clear();
    }
    while (!names.empty() && names.back().empty()) names.pop_back();
    return names;
}

}  // namespace linkworth::tracefile
