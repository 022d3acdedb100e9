// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "trace/thread_merge.hpp"

#include <algorithm>
#include <map>
#include <span>

#include "trace/shape_codec.hpp"
#include "trace/varint.hpp"

namespace linkworth::tracefile {
namespace {

constexpr std::size_t block_bytes = 65536;
constexpr std::uint64_t no_cpu = UINT64_MAX;

struct ThreadEvent {
    std::span<const std::uint8_t> payload;
    std::uint64_t gap = 0;
    std::uint64_t cpu = no_cpu;
    std::uint64_t duration = 0;
    std::uint64_t finish = 0;  ///< ticks
};

/// Walks one thread's blocks. Their records are sound: the part has scanned them.
class ThreadCursor {
  public:
    explicit ThreadCursor(std::uint32_t thread) : thread_(thread) {}
    void add(const PartBlock& block) { blocks_.push_back(&block); }
    std::uint32_t thread() const { return thread_; }
    const ThreadEvent& event() const { return event_; }

    bool advance() {
        for (;;) {
            if (in_.at_end()) {
                if (next_block_ == blocks_.size()) return false;
                const PartBlock& block = *blocks_[next_block_++];
                in_ = ByteReader(block.records.data(), block.records.data() + block.records.size());
                clock_ = block.base_ticks;
                payloads_.clear();
                continue;
            }
            const std::uint64_t head = in_.varint();
            if (head == head_shape) {
                const std::size_t size = in_.count();
                payloads_.emplace_back(in_.position(), size);
                in_.skip(size);
            } else if (head >= head_event) {
                event_.payload = payloads_.at((head - head_event) / 2);
                event_.gap = in_.varint();
                event_.cpu = (head & 1) != 0 ? in_.varint() : no_cpu;
                event_.duration = in_.varint();
                clock_ += event_.gap + event_.duration;
                event_.finish = clock_;
                return true;
            }
        }
    }

  private:
    std::uint32_t thread_;
    std::vector<const PartBlock*> blocks_;
    std::size_t next_block_ = 0;
    ByteReader in_{nullptr, nullptr};
    std::vector<std::span<const std::uint8_t>> payloads_;
    std::uint64_t clock_ = 0;
    ThreadEvent event_;
};

CallClass class_of(std::span<const std::uint8_t> payload) {
    ByteReader in(payload.data(), payload.data() + payload.size());
    in.varint();
    return static_cast<CallClass>(in.byte());
}

/// Writes the common stream block by block.
class StreamWriter {
  public:
    StreamWriter(std::uint64_t start, const std::function<void(const PartBlock&)>& take)
        : take_(take), clock_(start) {}

    void write(std::uint32_t thread, const ThreadEvent& event) {
        if (raw_.empty()) {
            block_.base_ticks = clock_;
            block_.next_request = next_request_;
        }
        const std::uint32_t number = shape(event.payload);
        if (thread != thread_) {
            append_varint(raw_, head_thread);
            append_varint(raw_, thread);
            thread_ = thread;
        }
        const std::uint64_t began = event.finish - event.duration;
        const std::uint64_t start = std::max(began, clock_);
        const std::uint64_t finish = std::max(event.finish, clock_);
        if (start > began) {
            append_varint(raw_, head_overlap);
            append_varint(raw_, start - began);
        }
        const std::uint64_t gap = start - clock_;
        const bool has_cpu = event.cpu != no_cpu;
        append_varint(raw_, head_event + 2 * std::uint64_t{number} + (has_cpu ? 1 : 0));
        append_varint(raw_, gap);
        if (has_cpu) {
            // If a gap began before the other thread's call ended, only the share that is left counts. If
            // nothing is left, no reader of the stream counts it, and the thread's own time is not lost.
            const bool is_part = gap > 0 && gap < event.gap;
            const double share = is_part ? static_cast<double>(gap) / static_cast<double>(event.gap) : 1.0;
            append_varint(raw_, static_cast<std::uint64_t>(static_cast<double>(event.cpu) * share));
        }
        append_varint(raw_, finish - start);
        block_.ticks += gap + finish - start;
        clock_ = finish;
        next_request_ += makes_request(class_of(event.payload)) ? 1 : 0;
        ++block_.events;
        if (raw_.size() >= block_bytes) flush();
    }

    void flush() {
        if (block_.events == 0) return;
        block_.records = raw_;
        take_(block_);
        block_ = {};
        raw_.clear();
        shapes_.clear();
        thread_ = 0;
    }

  private:
    std::uint32_t shape(std::span<const std::uint8_t> payload) {
        payload_.assign(payload.begin(), payload.end());
        const auto [known, is_new] = shapes_.try_emplace(payload_, shapes_.size());
        if (is_new) {
            append_varint(raw_, head_shape);
            append_varint(raw_, payload.size());
            raw_.insert(raw_.end(), payload.begin(), payload.end());
        }
        return known->second;
    }

    const std::function<void(const PartBlock&)>& take_;
    std::uint64_t clock_;
    std::uint64_t next_request_ = 0;
    std::uint32_t thread_ = 0;
    std::vector<std::uint8_t> raw_;
    ShapeNumbers shapes_;
    std::vector<std::uint8_t> payload_;  ///< of the latest event, as a key
    PartBlock block_;
};

}  // namespace

bool has_threads(const Part& part) {
    return std::ranges::any_of(part.blocks(), [](const PartBlock& block) { return block.thread != 0; });
}

void merge_threads(const Part& part, const std::function<void(const PartBlock&)>& take) {
    std::map<std::uint32_t, ThreadCursor> threads;
    for (const PartBlock& block : part.blocks())
        threads.try_emplace(block.thread, block.thread).first->second.add(block);
    std::vector<ThreadCursor*> waiting;
    for (auto& [thread, cursor] : threads)
        if (cursor.advance()) waiting.push_back(&cursor);
    // The least is in front of the heap; at the same time the lower thread.
    const auto later = [](const ThreadCursor* a, const ThreadCursor* b) {
        return a->event().finish != b->event().finish ? a->event().finish > b->event().finish
                                                      : a->thread() > b->thread();
    };
    std::ranges::make_heap(waiting, later);
    StreamWriter out(part.header().start.ticks, take);
    while (!waiting.empty()) {
        std::ranges::pop_heap(waiting, later);
        ThreadCursor* const cursor = waiting.back();
        out.write(cursor->thread(), cursor->event());
        if (cursor->advance())
            std::ranges::push_heap(waiting, later);
        else
            waiting.pop_back();
    }
    out.flush();
}

}  // namespace linkworth::tracefile
