// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <queue>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "convert/messages.hpp"
#include "convert/paje/header.hpp"
#include "convert/text_file.hpp"
#include "convert/timed_cursor.hpp"
#include "convert/timeline.hpp"

namespace linkworth::convert {
namespace {

/// Seconds with nine decimals.
struct Seconds {
    std::uint64_t ns;
};

TextFile& operator<<(TextFile& file, Seconds time) {
    constexpr std::uint64_t second = 1'000'000'000;
    char decimals[9];
    std::uint64_t rest = time.ns % second;
    for (char* at = decimals + sizeof decimals; at != decimals; rest /= 10)
        *--at = static_cast<char>('0' + rest % 10);
    return file << time.ns / second << "." << std::string_view(decimals, sizeof decimals);
}

struct Rank {
    Rank(const tracefile::Trace& trace, replay::Communicators& communicators, std::uint32_t rank)
        : cursor(trace.cursor(rank)), messages(trace, communicators, rank) {}

    TimedCursor cursor;
    RankMessages messages;
    TimedEvent next;
    std::uint32_t threads = 1;  ///< whose containers exist
};

/// A thread's container: the rank's own for the one that called MPI_Init.
struct Container {
    std::uint32_t rank;
    std::uint32_t thread;
};

TextFile& operator<<(TextFile& file, Container container) {
    file << "r" << container.rank;
    return container.thread == 0 ? file : file << "t" << container.thread;
}

/// Next entry to write for a rank: the start of its next call, or the end of one that is written.
struct Moment {
    std::uint64_t ns = 0;
    bool starts = false;
    std::uint32_t rank = 0;

    /// Ends come before starts, so that calls without a duration come one after the other, not nested.
    bool operator>(const Moment& other) const {
        if (ns != other.ns) return ns > other.ns;
        if (starts != other.starts) return starts;
        return rank > other.rank;
    }
};

/// Messages that have both their ends in the trace. Reads the whole trace once; afterwards keeps only the
/// channels whose ends differ.
class WholeMessages {
  public:
    explicit WholeMessages(const tracefile::Trace& trace);

    bool has_both_ends(const Message& message) const {
        if (!both_.empty()) {
            const auto found = both_.find(message.channel);
            if (found != both_.end() && message.number >= found->second) return false;
        }
        return unended_.empty() || !unended_.contains(message.key());
    }

    /// Returns whether more than one thread of a rank calls MPI.
    bool has_threads() const { return has_threads_; }

  private:
    std::unordered_map<std::uint64_t, std::uint64_t> both_;  ///< messages that a channel sends and receives
    bool has_threads_ = false;
    std::unordered_set<std::uint64_t> unended_;  ///< receives without an end, by message key
};

WholeMessages::WholeMessages(const tracefile::Trace& trace) {
    struct Ends {
        std::uint64_t sent = 0;
        std::uint64_t received = 0;
    };
    std::unordered_map<std::uint64_t, Ends> channels;
    replay::Communicators communicators(trace.ranks());
    for (std::uint32_t rank = 0; rank < trace.ranks(); ++rank) {
        RankMessages messages(trace, communicators, rank);
        tracefile::RankCursor cursor = trace.cursor(rank);
        tracefile::Event event;
        const auto received = [&](const Message& message) {
            std::uint64_t& count = channels[message.channel].received;
            count = std::max(count, message.number + 1);
        };
        while (cursor.next(event)) {
            messages.take(event);
            has_threads_ |= event.thread != 0;
            for (const Message& message : messages.sent()) channels[message.channel].sent++;
            for (const Message& message : messages.received()) received(message);
        }
        for (const Message& message : messages.unended()) {
            received(message);
            unended_.insert(message.key());
        }
    }
    for (const auto& [channel, ends] : channels)
        if (ends.sent != ends.received) both_[channel] = std::min(ends.sent, ends.received);
}

class PajeWriter {
  public:
    PajeWriter(const tracefile::Trace& trace, const std::string& path, const std::vector<std::string>& hosts)
        : trace_(trace), whole_(trace), communicators_(trace.ranks()), file_(path) {
        write_paje_header(file_, trace, hosts, whole_.has_threads());
        ranks_.reserve(trace.ranks());
        for (std::uint32_t rank = 0; rank < trace.ranks(); ++rank) {
            ranks_.emplace_back(trace, communicators_, rank);
            read(rank);
        }
    }

    TimelineResult write() {
        while (!moments_.empty()) {
            const Moment moment = moments_.top();
            moments_.pop();
            last_ns_ = moment.ns;
            if (moment.starts)
                start(moment.rank);
            else
                end(moment.rank);
        }
        // pj_dump leaves out states without a duration at the very end of their container.
        ++last_ns_;
        for (std::uint32_t rank = 0; rank < trace_.ranks(); ++rank) {
            result_.unplaced += ranks_[rank].messages.unplaced();
            for (std::uint32_t thread = ranks_[rank].threads; --thread > 0;)
                line(paje::destroy_container) << " T " << Container{rank, thread} << "\n";
            line(paje::destroy_container) << " R " << Container{rank, 0} << "\n";
        }
        line(paje::destroy_container) << " P p\n";
        file_.close();
        result_.bytes = file_.bytes();
        return result_;
    }

  private:
    TextFile& line(int event) { return line(event, last_ns_); }
    TextFile& line(int event, std::uint64_t ns) { return file_ << event << " " << Seconds{ns}; }

    void read(std::uint32_t rank) {
        Rank& of = ranks_[rank];
        if (of.cursor.next(of.next)) moments_.push({of.next.turn_ns, true, rank});
    }

    void start(std::uint32_t rank) {
        Rank& of = ranks_[rank];
        const tracefile::Shape& shape = *of.next.event.shape;
        const std::uint32_t thread = of.next.event.thread;
        ++result_.events;
        for (; of.threads <= thread; ++of.threads)
            line(paje::create_container, of.next.start_ns)
                << " " << Container{rank, of.threads} << " T " << Container{rank, 0} << " \"rank " << rank
                << " thread " << of.threads << "\" -\n";
        line(paje::first_call + static_cast<int>(shape.call_class), of.next.start_ns)
            << " " << Container{rank, thread} << (thread == 0 ? " S c" : " Z z") << shape.name;
        each_number(shape, [this](Field, std::optional<std::int64_t> value) {
            if (value)
                file_ << " " << *value;
            else
                file_ << " -";  // pj_dump knows no empty words
        });
        file_ << "\n";
        of.messages.take(of.next.event);
        for (const Message& message : of.messages.sent()) {
            if (!whole(message)) continue;
            ++result_.messages;
            line(paje::start_link, of.next.start_ns)
                << " p L r" << rank << " message " << message.key() << " " << message.bytes << "\n";
        }
        moments_.push({of.next.end_ns, false, rank});
    }

    void end(std::uint32_t rank) {
        Rank& of = ranks_[rank];
        for (const Message& message : of.messages.received())
            if (whole(message))
                line(paje::end_link) << " p L r" << rank << " message " << message.key() << "\n";
        const std::uint32_t thread = of.next.event.thread;
        line(paje::pop_state) << " " << Container{rank, thread} << (thread == 0 ? " S\n" : " Z\n");
        read(rank);
    }

    bool whole(const Message& message) {
        const bool both = whole_.has_both_ends(message);
        if (!both) ++result_.half_messages;
        return both;
    }

    const tracefile::Trace& trace_;
    WholeMessages whole_;
    replay::Communicators communicators_;
    TextFile file_;
    std::vector<Rank> ranks_;
    std::priority_queue<Moment, std::vector<Moment>, std::greater<>> moments_;
    std::uint64_t last_ns_ = 0;
    TimelineResult result_;
};

}  // namespace

TimelineResult write_paje(const tracefile::Trace& trace, const std::string& path,
                          const std::vector<std::string>& hosts) {
    return PajeWriter(trace, path, hosts).write();
}

}  // namespace linkworth::convert
