// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Work on independent items by few threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace linkworth::tracefile {

/// Calls `work(item)` for 0 <= item < items on at most `threads` threads; throws the first exception after
/// all ended.
template <class Work>
void parallel_for(std::size_t items, std::size_t threads, const Work& work) {
    std::atomic<std::size_t> next{0};
    std::exception_ptr problem;
    std::mutex mutex;
    const auto loop = [&] {
        for (std::size_t item = next++; item < items; item = next++) {
            try {
                work(item);
            } catch (...) {
                const std::lock_guard lock(mutex);
                if (!problem) problem = std::current_exception();
                next = items;
            }
        }
    };
    std::vector<std::thread> helpers;
    for (std::size_t helper = 1; helper < std::min(threads, items); ++helper) helpers.emplace_back(loop);
    loop();
    for (std::thread& helper : helpers) helper.join();
    if (problem) std::rethrow_exception(problem);
}

}  // namespace linkworth::tracefile
