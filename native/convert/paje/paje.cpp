// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <initializer_list>
#include <queue>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "calls/call_numbers.hpp"
#include "convert/messages.hpp"
#include "convert/text_file.hpp"
#include "convert/timed_cursor.hpp"
#include "convert/timeline.hpp"

namespace linkworth::convert {
namespace {

/// Numbers of the events.
constexpr int define_container_type = 0;
constexpr int define_state_type = 1;
constexpr int define_link_type = 2;
constexpr int define_entity_value = 3;
constexpr int create_container = 4;
constexpr int destroy_container = 5;
constexpr int pop_state = 6;
constexpr int start_link = 7;
constexpr int end_link = 8;
/// A call's state, and after it, by class, the fields of its calls.
constexpr int first_call = 10;

/// By rank: the threads that call MPI, without the rank's first.
using FurtherThreads = std::vector<std::set<std::uint32_t>>;

struct EventField {
    std::string_view name;
    std::string_view type;
};

void define_fields(TextFile& file, std::initializer_list<EventField> fields) {
    for (const EventField& field : fields) file << "%  " << field.name << " " << field.type << "\n";
}

void define(TextFile& file, std::string_view name, int number, std::initializer_list<EventField> fields) {
    file << "%EventDef " << name << " " << number << "\n";
    define_fields(file, fields);
    file << "%EndEventDef\n";
}

void define_events(TextFile& file) {
    const EventField alias{"Alias", "string"};
    const EventField type{"Type", "string"};
    const EventField name{"Name", "string"};
    const EventField time{"Time", "date"};
    const EventField container{"Container", "string"};
    const EventField value{"Value", "string"};
    const EventField key{"Key", "string"};
    define(file, "PajeDefineContainerType", define_container_type, {alias, type, name});
    define(file, "PajeDefineStateType", define_state_type, {alias, type, name});
    define(file, "PajeDefineLinkType", define_link_type,
           {alias, type, {"StartContainerType", "string"}, {"EndContainerType", "string"}, name});
    define(file, "PajeDefineEntityValue", define_entity_value, {alias, type, name, {"Color", "color"}});
    define(file, "PajeCreateContainer", create_container,
           {time, alias, type, container, name, {"Host", "string"}});
    define(file, "PajeDestroyContainer", destroy_container, {time, type, name});
    define(file, "PajePopState", pop_state, {time, container, type});
    define(file, "PajeStartLink", start_link,
           {time, container, type, {"StartContainer", "string"}, value, key, {"bytes", "string"}});
    define(file, "PajeEndLink", end_link, {time, container, type, {"EndContainer", "string"}, value, key});
    for (int number = 0; number <= static_cast<int>(tracefile::last_class); ++number) {
        const auto call_class = static_cast<tracefile::CallClass>(number);
        file << "%EventDef PajePushState " << first_call + number << "\n";
        define_fields(file, {time, container, type, value});
        for (const Field field : numbers_of(call_class)) file << "%  " << column_name(field) << " string\n";
        file << "%EndEventDef\n";
    }
}

/// Puts a text in quotes, without characters that would end them.
std::string quoted(std::string_view text) {
    std::string out = "\"";
    for (const char each : text) out += each == '"' || static_cast<unsigned char>(each) < ' ' ? '_' : each;
    return out + "\"";
}

/// Waiting is red, data from rank to rank blue, between all orange, the rest grey.
std::string_view colour(const tracefile::Trace& trace, std::uint32_t name) {
    const std::string& call = trace.names()[name];
    if (call.find("Wait") != std::string::npos || call.find("Test") != std::string::npos)
        return "0.8 0.2 0.2";
    if (trace.collective_of(name) != tracefile::Collective::none) return "0.9 0.6 0.1";
    if (call.find("send") != std::string::npos || call.find("recv") != std::string::npos ||
        call.find("Send") != std::string::npos || call.find("Recv") != std::string::npos)
        return "0.2 0.4 0.8";
    return "0.6 0.6 0.6";
}

void define_value(TextFile& file, const tracefile::Trace& trace, std::uint32_t name, std::string_view alias,
                  std::string_view type) {
    file << define_entity_value << " " << alias << name << " " << type << " " << quoted(trace.names()[name])
         << " \"" << colour(trace, name) << "\"\n";
}

/// Writes the definitions and the containers: `p` the program, `r0`, `r1` ... the ranks. Ranks have a state
/// type `S`, whose values are `c` and the call's number in the table of names, and a link type `L`. If a rank
/// has more than one thread there is also a container type `T` below the ranks, `r0t1`, ..., with state type
/// `Z` and values `z`.
void write_header(TextFile& file, const tracefile::Trace& trace, const std::vector<std::string>& hosts,
                  const FurtherThreads& threads_of_ranks) {
    const bool threads =
        std::ranges::any_of(threads_of_ranks, [](const auto& further) { return !further.empty(); });
    define_events(file);
    file << define_container_type << " P 0 Program\n"
         << define_container_type << " R P Rank\n"
         << define_state_type << " S R \"MPI call\"\n"
         << define_link_type << " L P R R Message\n";
    if (threads)
        file << define_container_type << " T R Thread\n" << define_state_type << " Z T \"MPI call\"\n";
    for (std::uint32_t name = 0; name < trace.names().size(); ++name) {
        define_value(file, trace, name, "c", "S");
        if (threads) define_value(file, trace, name, "z", "Z");
    }
    file << create_container << " 0 p P 0 program -\n";
    for (std::uint32_t rank = 0; rank < trace.ranks(); ++rank) {
        file << create_container << " 0 r" << rank << " R p \"rank " << rank << "\" "
             << quoted(rank < hosts.size() ? hosts[rank] : "-") << "\n";
        for (const std::uint32_t thread : threads_of_ranks[rank])
            file << create_container << " 0 r" << rank << "t" << thread << " T r" << rank << " \"rank "
                 << rank << " thread " << thread << "\" -\n";
    }
}

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

/// A thread's container: the rank's own for the one that called MPI_Init.
struct Container {
    std::uint32_t rank;
    std::uint32_t thread;
};

/// The calls of one thread of a rank. A rank's calls come in the order of their ends, those of a thread also
/// in that of their starts. So each thread reads the whole rank, and passes over the others' calls.
class Lane {
  public:
    Lane(const tracefile::Trace& trace, replay::Communicators& communicators, Container of)
        : container(of), messages(trace, communicators, of.rank), cursor_(trace.cursor(of.rank)) {}

    /// Reads the thread's next call and its messages. Returns false at the end.
    bool read() {
        while (cursor_.next(next)) {
            messages.take(next.event);
            if (next.event.thread == container.thread) return true;
        }
        return false;
    }

    Container container;
    RankMessages messages;
    TimedEvent next;

  private:
    TimedCursor cursor_;
};

TextFile& operator<<(TextFile& file, Container container) {
    file << "r" << container.rank;
    return container.thread == 0 ? file : file << "t" << container.thread;
}

/// Next entry to write for a thread: the start of its next call, or the end of one that is written.
struct Moment {
    std::uint64_t ns = 0;
    bool starts = false;
    std::size_t lane = 0;

    /// Ends come before starts, so that calls without a duration come one after the other, not nested.
    bool operator>(const Moment& other) const {
        if (ns != other.ns) return ns > other.ns;
        if (starts != other.starts) return starts;
        return lane > other.lane;
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

    /// Returns the threads of each rank that call MPI, without its first.
    const FurtherThreads& threads() const { return threads_; }

  private:
    std::unordered_map<std::uint64_t, std::uint64_t> both_;  ///< messages that a channel sends and receives
    FurtherThreads threads_;
    std::unordered_set<std::uint64_t> unended_;  ///< receives without an end, by message key
};

WholeMessages::WholeMessages(const tracefile::Trace& trace) : threads_(trace.ranks()) {
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
            if (event.thread != 0) threads_[rank].insert(event.thread);
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
        : whole_(trace), file_(path) {
        write_header(file_, trace, hosts, whole_.threads());
        for (std::uint32_t rank = 0; rank < trace.ranks(); ++rank) {
            std::size_t number = 0;
            add_lane(trace, {rank, 0}, number);
            for (const std::uint32_t thread : whole_.threads()[rank])
                add_lane(trace, {rank, thread}, ++number);
        }
    }

    TimelineResult write() {
        while (!moments_.empty()) {
            const Moment moment = moments_.top();
            moments_.pop();
            last_ns_ = moment.ns;
            if (moment.starts)
                start(moment.lane);
            else
                end(moment.lane);
        }
        // pj_dump leaves out states without a duration at the very end of their container.
        ++last_ns_;
        for (const bool ranks : {false, true})
            for (const Lane& lane : lanes_)
                if ((lane.container.thread == 0) == ranks)
                    line(destroy_container) << (ranks ? " R " : " T ") << lane.container << "\n";
        for (const Lane& lane : lanes_)
            if (lane.container.thread == 0) result_.unplaced += lane.messages.unplaced();
        line(destroy_container) << " P p\n";
        file_.close();
        result_.bytes = file_.bytes();
        return result_;
    }

  private:
    TextFile& line(int event) { return file_ << event << " " << Seconds{last_ns_}; }

    /// A lane defines all of its rank's communicators, so only lanes of different ranks can share them.
    void add_lane(const tracefile::Trace& trace, Container of, std::size_t number_in_rank) {
        if (number_in_rank == communicators_.size()) communicators_.emplace_back(trace.ranks());
        lanes_.emplace_back(trace, communicators_[number_in_rank], of);
        read(lanes_.size() - 1);
    }

    void read(std::size_t lane) {
        if (lanes_[lane].read()) moments_.push({lanes_[lane].next.start_ns, true, lane});
    }

    void start(std::size_t lane) {
        const Lane& of = lanes_[lane];
        const auto [rank, thread] = of.container;
        const tracefile::Shape& shape = *of.next.event.shape;
        ++result_.events;
        line(first_call + static_cast<int>(shape.call_class))
            << " " << of.container << (thread == 0 ? " S c" : " Z z") << shape.name;
        each_number(shape, [this](Field, std::optional<std::int64_t> value) {
            if (value)
                file_ << " " << *value;
            else
                file_ << " -";  // pj_dump knows no empty words
        });
        file_ << "\n";
        for (const Message& message : of.messages.sent()) {
            if (!whole(message)) continue;
            ++result_.messages;
            line(start_link) << " p L r" << rank << " message " << message.key() << " " << message.bytes
                             << "\n";
        }
        moments_.push({of.next.end_ns, false, lane});
    }

    void end(std::size_t lane) {
        const Lane& of = lanes_[lane];
        const auto [rank, thread] = of.container;
        for (const Message& message : of.messages.received())
            if (whole(message)) line(end_link) << " p L r" << rank << " message " << message.key() << "\n";
        line(pop_state) << " " << of.container << (thread == 0 ? " S\n" : " Z\n");
        read(lane);
    }

    bool whole(const Message& message) {
        const bool both = whole_.has_both_ends(message);
        if (!both) ++result_.half_messages;
        return both;
    }

    WholeMessages whole_;
    std::deque<replay::Communicators> communicators_;  ///< by number of a lane in its rank
    TextFile file_;
    std::deque<Lane> lanes_;
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
