// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Symbols are read event by event, the times of four events at once by AVX2.
#include "trace/row_batch.hpp"

#if defined(__x86_64__)
#include <immintrin.h>

#include <bit>
#include <type_traits>

#include "trace/column_layout.hpp"
#include "trace/time_symbols.hpp"
#include "trace/wire.hpp"

#define LINKWORTH_AVX2 __attribute__((target("avx2,bmi2"), always_inline)) inline

namespace linkworth::tracefile {
namespace {

/// Events whose times are computed at once.
constexpr std::size_t lanes = 4;

using Bytes = std::uint8_t[batch_rows];
using Words = std::uint64_t[batch_rows];

static_assert(batch_rows == sizeof(__m256i));

LINKWORTH_AVX2 __m256i load_vector(const std::uint8_t* at) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at));
}

LINKWORTH_AVX2 void store_vector(std::uint8_t* at, __m256i value) {
    _mm256_store_si256(reinterpret_cast<__m256i*>(at), value);
}

/// Returns the number of bits after each symbol, as in `symbol_table`.
LINKWORTH_AVX2 __m256i bits_of(__m256i symbols) {
    const __m256i groups = _mm256_and_si256(_mm256_srli_epi16(symbols, symbol_bits), _mm256_set1_epi8(0x3f));
    return _mm256_subs_epu8(groups, _mm256_set1_epi8(1));
}

/// Returns the value of each symbol, without the bits that follow it.
LINKWORTH_AVX2 __m256i tops_of(__m256i symbols) {
    const __m256i four = _mm256_set1_epi8(4);
    const __m256i is_value = _mm256_cmpeq_epi8(_mm256_min_epu8(symbols, four), symbols);
    const __m256i top = _mm256_or_si256(four, _mm256_and_si256(symbols, _mm256_set1_epi8(3)));
    return _mm256_blendv_epi8(top, symbols, is_value);
}

/// Four of the bytes, each as a word.
LINKWORTH_AVX2 __m256i widen(const std::uint8_t* at) {
    return _mm256_cvtepu8_epi64(_mm_cvtsi32_si128(load<std::int32_t>(at)));
}

/// Eight heads, each as a mask: all ones where the event has CPU time.
LINKWORTH_AVX2 __m256i eight_cpu_masks(const std::uint32_t* heads) {
    const __m256i eight = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(heads));
    return _mm256_srai_epi32(_mm256_slli_epi32(eight, 31), 31);
}

/// The same for all heads of a batch, in a byte each.
LINKWORTH_AVX2 __m256i cpu_masks(const std::uint32_t* heads) {
    const __m256i first = _mm256_packs_epi32(eight_cpu_masks(heads), eight_cpu_masks(heads + 8));
    const __m256i second = _mm256_packs_epi32(eight_cpu_masks(heads + 16), eight_cpu_masks(heads + 24));
    // Packing joins the lower halves of both, and then the upper ones.
    const __m256i in_order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    return _mm256_permutevar8x32_epi32(_mm256_packs_epi16(first, second), in_order);
}

/// The shapes of four heads, each as a word.
LINKWORTH_AVX2 __m256i shapes_of(const std::uint32_t* heads) {
    const __m128i four = _mm_loadu_si128(reinterpret_cast<const __m128i*>(heads));
    return _mm256_cvtepu32_epi64(_mm_srli_epi32(four, 1));
}

/// Takes the next `count` bits from `words` and puts them below `tops`.
LINKWORTH_AVX2 __m256i take_value(__m256i& words, const std::uint8_t* tops, const std::uint8_t* bits) {
    const __m256i count = widen(bits);
    const __m256i higher = _mm256_srlv_epi64(words, count);
    const __m256i lowest = _mm256_xor_si256(words, _mm256_sllv_epi64(higher, count));
    words = higher;
    return _mm256_or_si256(_mm256_sllv_epi64(widen(tops), count), lowest);
}

/// Whole numbers below 2^52, put into the low bits of 2^52.
LINKWORTH_AVX2 __m256d exact_doubles(__m256i values) {
    const __m256d exact = _mm256_set1_pd(static_cast<double>(exact_ticks));
    return _mm256_sub_pd(_mm256_castsi256_pd(_mm256_or_si256(values, _mm256_castpd_si256(exact))), exact);
}

struct Times {
    __m256i gap;
    __m256i ran;
    __m256i duration;
};

/// Meaning of the symbols of the batch's events.
struct Symbols {
    alignas(batch_rows) Bytes gap_tops, gap_bits;
    alignas(batch_rows) Bytes cpu_tops, cpu_bits, cpu_masks;
    alignas(batch_rows) Bytes duration_tops, duration_bits;
    alignas(batch_rows) Words words;  ///< in which the bits of each event begin
};

LINKWORTH_AVX2 Times times_of(const Symbols& of, std::size_t at, unsigned cpu_shift) {
    Times times;
    __m256i words = _mm256_load_si256(reinterpret_cast<const __m256i*>(of.words + at));
    times.gap = take_value(words, of.gap_tops + at, of.gap_bits + at);
    const __m256i code = take_value(words, of.cpu_tops + at, of.cpu_bits + at);
    // The highest bits of a word belong to events behind this one.
    const __m256i count = widen(of.duration_bits + at);
    const __m256i none = _mm256_setzero_si256();
    const __m256i mask =
        _mm256_sub_epi64(_mm256_sllv_epi64(_mm256_set1_epi64x(1), count), _mm256_set1_epi64x(1));
    times.duration = _mm256_or_si256(_mm256_sllv_epi64(widen(of.duration_tops + at), count),
                                     _mm256_and_si256(words, mask));
    const __m256i is_negative = _mm256_sub_epi64(none, _mm256_and_si256(code, _mm256_set1_epi64x(1)));
    const __m256i less = _mm256_xor_si256(_mm256_srli_epi64(code, 1), is_negative);
    times.ran =
        _mm256_sll_epi64(_mm256_sub_epi64(times.gap, less), _mm_cvtsi32_si128(static_cast<int>(cpu_shift)));
    return times;
}

/// Writes four rows; each has the gap, the CPU time, the duration and the shape one after another.
LINKWORTH_AVX2 void store_rows(EventRow* rows, __m256d gap, __m256d cpu, __m256d duration, __m256d shape) {
    static_assert(sizeof(EventRow) == sizeof(__m256d) && std::is_trivially_copyable_v<EventRow>);
    const __m256d even_times = _mm256_unpacklo_pd(gap, cpu);
    const __m256d odd_times = _mm256_unpackhi_pd(gap, cpu);
    const __m256d even_rest = _mm256_unpacklo_pd(duration, shape);
    const __m256d odd_rest = _mm256_unpackhi_pd(duration, shape);
    auto* const to = reinterpret_cast<double*>(rows);
    constexpr std::size_t row = sizeof(EventRow) / sizeof(double);
    constexpr int low_halves = 0x20;
    constexpr int high_halves = 0x31;
    _mm256_storeu_pd(to, _mm256_permute2f128_pd(even_times, even_rest, low_halves));
    _mm256_storeu_pd(to + row, _mm256_permute2f128_pd(odd_times, odd_rest, low_halves));
    _mm256_storeu_pd(to + 2 * row, _mm256_permute2f128_pd(even_times, even_rest, high_halves));
    _mm256_storeu_pd(to + 3 * row, _mm256_permute2f128_pd(odd_times, odd_rest, high_halves));
}

/// Returns false if a time is too long to be exact in a double.
LINKWORTH_AVX2 bool write_rows(const Symbols& of, const RowBatch& batch,
                               std::span<EventRow, batch_rows> rows) {
    const __m256d seconds_per_tick = _mm256_set1_pd(batch.seconds_per_tick);
    __m256i seen = _mm256_setzero_si256();
    for (std::size_t at = 0; at < batch_rows; at += lanes) {
        const Times times = times_of(of, at, batch.cpu_shift);
        const __m256i mask = _mm256_cvtepi8_epi64(_mm_cvtsi32_si128(load<std::int32_t>(of.cpu_masks + at)));
        seen = _mm256_or_si256(seen, _mm256_or_si256(_mm256_or_si256(times.gap, times.duration),
                                                     _mm256_and_si256(times.ran, mask)));
        const __m256d cpu_seconds = _mm256_blendv_pd(
            _mm256_set1_pd(-1.0), _mm256_mul_pd(exact_doubles(times.ran), _mm256_set1_pd(1e-9)),
            _mm256_castsi256_pd(mask));
        store_rows(&rows[at], _mm256_mul_pd(exact_doubles(times.gap), seconds_per_tick), cpu_seconds,
                   _mm256_mul_pd(exact_doubles(times.duration), seconds_per_tick),
                   _mm256_castsi256_pd(shapes_of(&batch.heads[at])));
    }
    const __m256i too_long = _mm256_srli_epi64(seen, std::countr_zero(exact_ticks));
    return _mm256_testz_si256(too_long, too_long) != 0;
}

/// Moves the columns of gaps and durations back to where they were before the batch.
void give_back(RowBatch& batch) {
    for (std::size_t at = 0; at < batch_rows; ++at) {
        const ShapeColumns& of = batch.columns[batch.heads[at] >> 1];
        --batch.symbols[of.gap];
        --batch.symbols[of.duration];
    }
}

}  // namespace

bool has_batches() {
    static const bool has = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("bmi2") != 0;
    return has;
}

__attribute__((target("avx2,bmi2"))) bool read_batch(RowBatch& batch, std::span<EventRow, batch_rows> rows) {
    alignas(batch_rows) Bytes gap_symbols;
    alignas(batch_rows) Bytes cpu_symbols;
    alignas(batch_rows) Bytes duration_symbols;
    const ShapeColumns* const columns = batch.columns.data();
    const std::uint8_t** const symbols = batch.symbols.data();
    const std::uint8_t* cpu = symbols[cpu_column];
#pragma GCC unroll 4
    for (std::size_t at = 0; at < batch_rows; ++at) {
        const std::uint32_t head = batch.heads[at];
        const ShapeColumns of = columns[head >> 1];
        const std::uint8_t* const gap = symbols[of.gap];
        symbols[of.gap] = gap + 1;
        const std::uint8_t* const duration = symbols[of.duration];
        symbols[of.duration] = duration + 1;
        gap_symbols[at] = *gap;
        duration_symbols[at] = *duration;
        cpu_symbols[at] = *cpu;
        cpu += head & 1;
    }

    Symbols of;
    const __m256i cpu_mask = cpu_masks(batch.heads.data());
    const __m256i gap_bits = bits_of(load_vector(gap_symbols));
    const __m256i cpu_bits = _mm256_and_si256(bits_of(load_vector(cpu_symbols)), cpu_mask);
    const __m256i duration_bits = bits_of(load_vector(duration_symbols));
    // Three times 63 at most.
    const __m256i all_bits = _mm256_add_epi8(_mm256_add_epi8(gap_bits, cpu_bits), duration_bits);
    const __m256i beyond = _mm256_subs_epu8(all_bits, _mm256_set1_epi8(most_bits_at_once));
    if (_mm256_testz_si256(beyond, beyond) == 0) {
        give_back(batch);
        return false;
    }
    store_vector(of.gap_tops, tops_of(load_vector(gap_symbols)));
    store_vector(of.gap_bits, gap_bits);
    store_vector(of.cpu_tops, tops_of(load_vector(cpu_symbols)));
    store_vector(of.cpu_bits, cpu_bits);
    store_vector(of.cpu_masks, cpu_mask);
    store_vector(of.duration_tops, tops_of(load_vector(duration_symbols)));
    store_vector(of.duration_bits, duration_bits);
    alignas(batch_rows) Bytes counts;
    store_vector(counts, all_bits);
    std::uint64_t bit = batch.next_bit;
    for (std::size_t at = 0; at < batch_rows; ++at) {
        of.words[at] = load<std::uint64_t>(batch.bits + (bit >> 3)) >> (bit & 7);
        bit += counts[at];
    }

    if (!write_rows(of, batch, rows)) {
        give_back(batch);
        return false;
    }
    symbols[cpu_column] = cpu;
    batch.next_bit = bit;
    return true;
}

}  // namespace linkworth::tracefile
#else
namespace linkworth::tracefile {

bool has_batches() { return false; }

bool read_batch(RowBatch&, std::span<EventRow, batch_rows>) { return false; }

}  // namespace linkworth::tracefile
#endif
