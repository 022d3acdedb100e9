// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
// Holds IS's counting, which splits keys into parts and counts in single bytes, against plain loops. Exit
// code 0 if all agree.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <random>
#include <vector>

#include "kernels/is_packed_keys.hpp"
#include "kernels/is_partition.hpp"
#include "kernels/is_ranks.hpp"

namespace {

using namespace linkworth::npb::is;

int failures = 0;

void expect(bool holds, const char* what, std::int64_t values, std::size_t keys) {
    if (holds) return;
    std::printf("%s: wrong with %lld values and %zu keys\n", what, static_cast<long long>(values), keys);
    ++failures;
}

std::vector<int> random_keys(std::size_t count, std::int64_t lowest, std::int64_t values,
                             std::mt19937& generator) {
    // Every other key near the middle, where many fall on one value.
    std::uniform_int_distribution<std::int64_t> anywhere(0, values - 1),
        middle(values / 2, values / 2 + values / 16);
    std::vector<int> keys(count);
    for (std::size_t i = 0; i < count; ++i)
        keys[i] = static_cast<int>(lowest + (i % 2 ? anywhere(generator) : middle(generator)));
    return keys;
}

/// Two runs of equal range, and one behind them.
void check_counts(std::int64_t lowest, std::int64_t values, std::size_t count, std::mt19937& generator) {
    const std::int64_t behind = 100;
    const std::vector<int> first = random_keys(count, lowest, values, generator),
                           second = random_keys(count / 3, lowest, values, generator),
                           third = random_keys(17, lowest + values, behind, generator);
    const std::vector<KeyRun> runs{
        {first, lowest, values}, {third, lowest + values, behind}, {second, lowest, values}};
    const auto all = static_cast<std::size_t>(values + behind);
    std::vector<std::uint32_t> expected(all, 0), below(all, 1);
    for (const KeyRun& run : runs)
        for (const int key : run.keys) ++expected[static_cast<std::size_t>(key - lowest)];

    std::vector<std::uint8_t> counters(all, 7);
    std::vector<std::uint16_t> scratch(scratch_size());
    count_runs(runs, lowest, counters, scratch);
    bool same = true;
    std::uint32_t total = 0;
    for (std::size_t v = 0; v < all; ++v) {
        same &= counters[v] == static_cast<std::uint8_t>(expected[v]);
        total += counters[v];
    }
    expect(same, "count_runs", values, count);
    expect(sum_counters(counters, below) == total, "sum_counters", values, count);

    const bool wrapped = *std::max_element(expected.begin(), expected.end()) > 255;
    expect(wrapped == (total != first.size() + second.size() + third.size()), "the sum's shortness", values,
           count);
    const auto in_order = [&] {
        std::uint32_t keys = 0;
        for (std::size_t v = 0; v < all; keys += expected[v++])
            if (below[v] != keys) return false;
        return true;
    };
    if (!wrapped) expect(in_order(), "ranks from sum_counters", values, count);
    std::fill(below.begin(), below.end(), 1u);
    rank_exactly(runs, lowest, below);
    expect(in_order(), "rank_exactly", values, count);
}

void check_packed_keys(int key_bits, int low_bits, std::size_t count, std::mt19937& generator) {
    std::vector<int> keys = random_keys(count, 0, std::int64_t{1} << key_bits, generator);
    PackedKeys packed(count, low_bits);
    packed.pack(keys);
    // Neighbours of a key that changes must stay.
    for (const std::size_t changed : {std::size_t{0}, std::size_t{17}, count / 2 + 29, count - 1})
        packed.set(changed, keys[changed] = static_cast<int>((std::int64_t{1} << key_bits) - 1 -
                                                             static_cast<std::int64_t>(changed % 5)));
    std::vector<int> unpacked(count), single(count);
    for (std::size_t first = 0; first < count; first += PackedKeys::kBlock)
        packed.unpack(first, unpacked.data() + first);
    for (std::size_t i = 0; i < count; ++i) single[i] = packed[i];
    expect(unpacked == keys, "unpack", key_bits, count);
    expect(single == keys, "one packed key", key_bits, count);
}

void check_partition(int groups, std::size_t count, int low_bits, std::mt19937& generator) {
    constexpr int kShift = 11;
    constexpr std::size_t kBuckets = 64;
    const std::vector<int> keys = random_keys(count, 0, std::int64_t{kBuckets} << kShift, generator);
    PackedKeys packed(count, low_bits);
    packed.pack(keys);
    std::vector<int> sizes(kBuckets, -1), expected_sizes(kBuckets, 0), first, output(count, -1);
    for (const int key : keys) ++expected_sizes[static_cast<std::size_t>(key >> kShift)];
    count_buckets(keys, kShift, sizes);
    expect(sizes == expected_sizes, "count_buckets", kBuckets, count);
    std::fill(sizes.begin(), sizes.end(), -1);
    count_buckets(packed, kShift, sizes);
    expect(sizes == expected_sizes, "count_buckets of packed keys", kBuckets, count);

    for (int g = 0; g < groups; ++g) first.push_back(static_cast<int>(kBuckets) * g * g / (groups * groups));
    partition(packed, kShift, first, sizes, output.data());
    const auto group_of = [&](int key) {
        return std::upper_bound(first.begin(), first.end(), key >> kShift) - first.begin();
    };
    std::vector<int> expected = keys;
    std::stable_sort(expected.begin(), expected.end(),
                     [&](int a, int b) { return group_of(a) < group_of(b); });
    expect(output == expected, "partition", groups, count);
}

}  // namespace

int main() {
    std::mt19937 generator(1);
    for (const std::int64_t values : {1, 500, 65536, 65537, 131072, 200001, 327680, 524288, 524289, 2000000})
        for (const std::size_t count : {0, 1, 31, 1000, 65536, 200003})
            for (const std::int64_t lowest : {std::int64_t{0}, (std::int64_t{1} << 31) - values - 100})
                check_counts(lowest, values, count, generator);
    for (const int low_bits : {2, 6, 8, 11, 16})
        for (const std::size_t count : {64, 128, 4096, 65600})
            check_packed_keys(std::min(low_bits + 16, 31), low_bits, count, generator);
    for (const int groups : {1, 2, 3, 5, 8, 9, 20})
        for (const std::size_t count : {0, 64, 128, 4160})
            for (const int low_bits : {2, 8, 11}) check_partition(groups, count, low_bits, generator);
    return failures == 0 ? 0 : 1;
}
