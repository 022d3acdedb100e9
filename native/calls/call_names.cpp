// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "calls/call_names.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "calls/names.hpp"

namespace linkworth::replay {
namespace {

using std::string_view_literals::operator""sv;

constexpr std::array buffered_names = {"MPI_Bsend"sv, "MPI_Ibsend"sv, "MPI_Bsend_init"sv};
constexpr std::array synchronous_names = {"MPI_Ssend"sv, "MPI_Issend"sv, "MPI_Ssend_init"sv};
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
        described[i].communicates = tracefile::communicates(name);
        described[i].input_output = name.starts_with("MPI_File_");
        described[i].collective = tracefile::is_collective(name);
    }
    return described;
}

}  // namespace linkworth::replay
