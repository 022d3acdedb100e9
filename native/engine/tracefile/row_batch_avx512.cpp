// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// The way of AVX-512: of each column all symbols that a batch needs, times of eight events at once.
#include "tracefile/row_batch.hpp"

#if defined(__x86_64__)
#include <immintrin.h>

#include <bit>

#include "tracefile/column_layout.hpp"
#include "tracefile/time_symbols.hpp"
#include "tracefile/wire.hpp"

#define LINKWORTH_AVX512_TARGET \
    target("avx512f,avx512vl,avx512bw,avx512dq,avx512vbmi,avx512vbmi2,avx2,bmi2,popcnt")
#define LINKWORTH_AVX512 __attribute__((LINKWORTH_AVX512_TARGET, always_inline)) inline

// GCC's own headers start from undefined values that are all replaced, and GCC 12 warns of these.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"

namespace linkworth::tracefile {
namespace {

constexpr std::size_t vector_bytes = sizeof(__m512i);
static_assert(vector_bytes == 2 * batch_rows && vector_bytes <= batch_padding);
static_assert(2 * vector_bytes == most_byte_shapes);
constexpr __mmask64 odd_bytes = 0xaaaaaaaaaaaaaaaa;

/// Returns for each event the symbol of its gap and, in the byte behind it, that of its duration.
LINKWORTH_AVX512 __m512i take_symbols(const RowBatch& batch, __m256i heads) {
    const __m512i shapes = _mm512_srli_epi16(_mm512_cvtepu8_epi16(heads), 1);
    const __m512i twice = _mm512_or_si512(shapes, _mm512_slli_epi16(shapes, 8));
    const std::uint8_t* const gaps = batch.byte_columns->gap.data();
    const std::uint8_t* const durations = batch.byte_columns->duration.data();
    const __m512i columns = _mm512_mask_blend_epi8(
        odd_bytes,
        _mm512_permutex2var_epi8(_mm512_loadu_si512(gaps), twice, _mm512_loadu_si512(gaps + vector_bytes)),
        _mm512_permutex2var_epi8(_mm512_loadu_si512(durations), twice,
                                 _mm512_loadu_si512(durations + vector_bytes)));
    __m512i taken = _mm512_setzero_si512();
    const std::uint8_t** const symbols = batch.symbols.data();
    const std::size_t count = batch.symbols.size();
    for (std::size_t column = cpu_column + 1; column < count; ++column) {
        const __mmask64 its = _mm512_cmpeq_epi8_mask(columns, _mm512_set1_epi8(static_cast<char>(column)));
        taken = _mm512_mask_expand_epi8(taken, its, _mm512_loadu_si512(symbols[column]));
        symbols[column] += std::popcount(its);
    }
    return taken;
}

/// Returns the number of bits after each symbol, as in `symbol_table`.
LINKWORTH_AVX512 __m512i bits_of(__m512i symbols) {
    const __m512i groups = _mm512_and_si512(_mm512_srli_epi16(symbols, symbol_bits), _mm512_set1_epi8(0x3f));
    return _mm512_subs_epu8(groups, _mm512_set1_epi8(1));
}

/// Returns the value of each symbol, without the bits that follow it.
LINKWORTH_AVX512 __m512i tops_of(__m512i symbols) {
    const __m512i four = _mm512_set1_epi8(4);
    const __m512i top = _mm512_or_si512(four, _mm512_and_si512(symbols, _mm512_set1_epi8(3)));
    return _mm512_mask_mov_epi8(symbols, _mm512_cmpge_epu8_mask(symbols, four), top);
}

/// Sums of all words before each one.
LINKWORTH_AVX512 __m512i sums_before(__m512i words) {
    __m512i sums = _mm512_add_epi16(words, _mm512_slli_epi64(words, 16));
    sums = _mm512_add_epi16(sums, _mm512_slli_epi64(sums, 32));
    const __m512i none = _mm512_setzero_si512();
    __m512i fours = _mm512_alignr_epi64(_mm512_srli_epi64(sums, 48), none, 7);
    fours = _mm512_add_epi64(fours, _mm512_alignr_epi64(fours, none, 7));
    fours = _mm512_add_epi64(fours, _mm512_alignr_epi64(fours, none, 6));
    fours = _mm512_add_epi64(fours, _mm512_alignr_epi64(fours, none, 4));
    fours = _mm512_or_si512(fours, _mm512_slli_epi64(fours, 16));
    fours = _mm512_or_si512(fours, _mm512_slli_epi64(fours, 32));
    return _mm512_sub_epi16(_mm512_add_epi16(sums, fours), words);
}

/// Takes the next `count` bits from `words` and puts them below `tops`.
LINKWORTH_AVX512 __m512i take_value(__m512i& words, __m512i tops, __m512i count) {
    const __m512i higher = _mm512_srlv_epi64(words, count);
    const __m512i lowest = _mm512_xor_si512(words, _mm512_sllv_epi64(higher, count));
    words = higher;
    return _mm512_or_si512(_mm512_sllv_epi64(tops, count), lowest);
}

LINKWORTH_AVX512 __m512i widen_bytes(const std::uint8_t* at) {
    return _mm512_cvtepu8_epi64(_mm_cvtsi64_si128(load<std::int64_t>(at)));
}

LINKWORTH_AVX512 __m512i widen_words(const void* at) {
    return _mm512_cvtepu16_epi64(_mm_loadu_si128(static_cast<const __m128i*>(at)));
}

/// A row, and the one after the next.
LINKWORTH_AVX512 void store_two(EventRow* rows, __m512d two) {
    _mm256_storeu_pd(reinterpret_cast<double*>(rows), _mm512_castpd512_pd256(two));
    _mm256_storeu_pd(reinterpret_cast<double*>(rows + 2), _mm512_extractf64x4_pd(two, 1));
}

/// Writes eight rows; each has the gap, the CPU time, the duration and the shape one after another.
LINKWORTH_AVX512 void store_rows(EventRow* rows, __m512d gap, __m512d cpu, __m512d duration, __m512d shape) {
    const __m512d even_times = _mm512_unpacklo_pd(gap, cpu);
    const __m512d odd_times = _mm512_unpackhi_pd(gap, cpu);
    const __m512d even_rest = _mm512_unpacklo_pd(duration, shape);
    const __m512d odd_rest = _mm512_unpackhi_pd(duration, shape);
    const __m512i first_four = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11);
    const __m512i last_four = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
    store_two(rows, _mm512_permutex2var_pd(even_times, first_four, even_rest));
    store_two(rows + 1, _mm512_permutex2var_pd(odd_times, first_four, odd_rest));
    store_two(rows + 4, _mm512_permutex2var_pd(even_times, last_four, even_rest));
    store_two(rows + 5, _mm512_permutex2var_pd(odd_times, last_four, odd_rest));
}

}  // namespace

__attribute__((LINKWORTH_AVX512_TARGET)) bool read_batch_by_avx512(RowBatch& batch,
                                                                   std::span<EventRow, batch_rows> rows) {
    const __m256i heads = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(batch.heads));
    const __mmask32 has_cpu = _mm256_test_epi8_mask(heads, _mm256_set1_epi8(1));
    const std::uint8_t* const cpu = batch.symbols[cpu_column];
    const __m512i cpu_symbols = _mm512_maskz_expand_epi8(has_cpu, _mm512_loadu_si512(cpu));
    const __m512i symbols = take_symbols(batch, heads);

    alignas(vector_bytes) std::uint8_t tops[vector_bytes], bits[vector_bytes];
    alignas(vector_bytes) std::uint8_t cpu_tops[vector_bytes], cpu_bits[vector_bytes];
    alignas(vector_bytes) std::uint8_t bytes[vector_bytes], shifts[vector_bytes];
    const __m512i count = bits_of(symbols);
    const __m512i cpu_count = bits_of(cpu_symbols);
    const __m512i all = _mm512_add_epi16(
        _mm512_add_epi16(_mm512_srli_epi16(count, 8), _mm512_and_si512(count, _mm512_set1_epi16(0xff))),
        _mm512_cvtepu8_epi16(_mm512_castsi512_si256(cpu_count)));
    if (_mm512_cmpgt_epu16_mask(all, _mm512_set1_epi16(most_bits_at_once)) != 0) {
        give_back(batch);
        return false;
    }
    const __m512i before = sums_before(all);
    const __m512i starts =
        _mm512_add_epi16(before, _mm512_set1_epi16(static_cast<short>(batch.next_bit & 7)));
    _mm512_store_si512(tops, tops_of(symbols));
    _mm512_store_si512(bits, count);
    _mm512_store_si512(cpu_tops, tops_of(cpu_symbols));
    _mm512_store_si512(cpu_bits, cpu_count);
    _mm512_store_si512(bytes, _mm512_srli_epi16(starts, 3));
    _mm512_store_si512(shifts, _mm512_and_si512(starts, _mm512_set1_epi16(7)));
    const __m128i last = _mm512_extracti32x4_epi32(_mm512_add_epi16(before, all), 3);
    const auto taken_bits = static_cast<std::uint64_t>(_mm_extract_epi16(last, 7));

    const std::uint8_t* const from = batch.bits + (batch.next_bit >> 3);
    const __m512d seconds_per_tick = _mm512_set1_pd(batch.seconds_per_tick);
    const __m512i one = _mm512_set1_epi64(1);
    const __m512i low_byte = _mm512_set1_epi64(0xff);
    const __m128i cpu_shift = _mm_cvtsi32_si128(static_cast<int>(batch.cpu_shift));
    __m512i seen = _mm512_setzero_si512();
    for (std::size_t at = 0; at < batch_rows; at += avx512_lanes) {
        const __m256i offsets =
            _mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes + 2 * at)));
        __m512i words =
            _mm512_srlv_epi64(_mm512_i32gather_epi64(offsets, from, 1), widen_words(shifts + 2 * at));
        const __m512i top = widen_words(tops + 2 * at);
        const __m512i number = widen_words(bits + 2 * at);
        const __m512i gap =
            take_value(words, _mm512_and_si512(top, low_byte), _mm512_and_si512(number, low_byte));
        const __m512i code = take_value(words, widen_bytes(cpu_tops + at), widen_bytes(cpu_bits + at));
        // The highest bits of a word belong to events behind this one.
        const __m512i duration_bits = _mm512_srli_epi64(number, 8);
        const __m512i mask = _mm512_sub_epi64(_mm512_sllv_epi64(one, duration_bits), one);
        const __m512i duration = _mm512_or_si512(_mm512_sllv_epi64(_mm512_srli_epi64(top, 8), duration_bits),
                                                 _mm512_and_si512(words, mask));
        const __m512i is_negative = _mm512_sub_epi64(_mm512_setzero_si512(), _mm512_and_si512(code, one));
        const __m512i less = _mm512_xor_si512(_mm512_srli_epi64(code, 1), is_negative);
        const __m512i ran = _mm512_sll_epi64(_mm512_sub_epi64(gap, less), cpu_shift);
        const auto ran_known = static_cast<__mmask8>(has_cpu >> at);
        seen = _mm512_or_si512(seen, _mm512_or_si512(gap, duration));
        seen = _mm512_mask_or_epi64(seen, ran_known, seen, ran);
        const __m512d cpu_seconds = _mm512_mask_mul_pd(_mm512_set1_pd(-1.0), ran_known,
                                                       _mm512_cvtepu64_pd(ran), _mm512_set1_pd(1e-9));
        store_rows(&rows[at], _mm512_mul_pd(_mm512_cvtepu64_pd(gap), seconds_per_tick), cpu_seconds,
                   _mm512_mul_pd(_mm512_cvtepu64_pd(duration), seconds_per_tick),
                   _mm512_castsi512_pd(_mm512_srli_epi64(widen_bytes(batch.heads + at), 1)));
    }
    const __m512i too_long = _mm512_set1_epi64(static_cast<std::int64_t>(~(exact_ticks - 1)));
    if (_mm512_test_epi64_mask(seen, too_long) != 0) {
        give_back(batch);
        return false;
    }
    batch.symbols[cpu_column] = cpu + std::popcount(has_cpu);
    batch.next_bit += taken_bits;
    return true;
}

}  // namespace linkworth::tracefile

#pragma GCC diagnostic pop
#endif
