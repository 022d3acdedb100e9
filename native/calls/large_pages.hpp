// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Memory for arrays that grow with the ranks. They are accessed in the order of simulated time, not of their
/// places. In small pages most accesses would also miss the processor's table of pages.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <memory_resource>
#include <new>
#include <vector>

#include "calls/event.hpp"

namespace linkworth::replay {

/// Takes large pages if an array fills one and the system has any (Linux, transparent huge pages). Arrays
/// begin with a line of the cache.
template <typename T>
class LargePageAllocator {
  public:
    using value_type = T;

    LargePageAllocator() = default;
    template <typename Other>
    explicit LargePageAllocator(const LargePageAllocator<Other>& /*other*/) {}

    T* allocate(std::size_t count) {
        const std::size_t bytes = count * sizeof(T);
        void* const memory = ::operator new(bytes, alignment(count));
#ifdef MADV_HUGEPAGE
        // Refused, it is memory all the same.
        if (bytes >= page_bytes) madvise(memory, bytes, MADV_HUGEPAGE);
#endif
        return static_cast<T*>(memory);
    }
    void deallocate(T* memory, std::size_t count) { ::operator delete(memory, alignment(count)); }

    template <typename Other>
    bool operator==(const LargePageAllocator<Other>& /*other*/) const {
        return true;
    }

  private:
    /// Large page size of x86-64, and of AArch64 with pages of 4 KiB.
    static constexpr std::size_t page_bytes = std::size_t{2} << 20U;

    static std::align_val_t alignment(std::size_t count) {
        const std::size_t least = std::max(alignof(T), tracefile::cache_line_bytes);
        return std::align_val_t{count * sizeof(T) >= page_bytes ? page_bytes : least};
    }
};

template <typename T>
using LargeVector = std::vector<T, LargePageAllocator<T>>;

/// Large pages for an arena of objects that are of different kinds.
class LargePageResource final : public std::pmr::memory_resource {
    void* do_allocate(std::size_t bytes, std::size_t /*alignment*/) override {
        return LargePageAllocator<Line>().allocate(lines(bytes));
    }
    void do_deallocate(void* memory, std::size_t bytes, std::size_t /*alignment*/) override {
        LargePageAllocator<Line>().deallocate(static_cast<Line*>(memory), lines(bytes));
    }
    bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
        return this == &other;
    }

    /// Unit with the largest alignment used here.
    struct alignas(tracefile::cache_line_bytes) Line {
        std::byte bytes[tracefile::cache_line_bytes];
    };
    static std::size_t lines(std::size_t bytes) { return (bytes + sizeof(Line) - 1) / sizeof(Line); }
};

}  // namespace linkworth::replay
