// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "convert/otf2/rank_reader.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include "calls/names.hpp"
#include "convert/convert_error.hpp"
#include "trace/shape_codec.hpp"

namespace linkworth::convert {

using tracefile::CallClass;
using tracefile::Shape;

namespace {

/// Limit on the later calls for which a call may wait: memory must not grow with the trace.
constexpr std::size_t most_waiting = 1 << 16;

}  // namespace

Otf2RankReader::Otf2RankReader(const Otf2Archive& definitions, tracefile::TraceWriter& writer,
                               std::uint32_t rank, Otf2Taken& taken)
    : archive_(definitions), writer_(writer), to_(writer.rank(rank)), rank_(rank), taken_(taken) {
    for (const auto& [ref, comm] : definitions.comms) {
        if (comm.kind == Otf2Comm::Kind::world) comms_.emplace(ref, 0);
        if (comm.kind == Otf2Comm::Kind::self) comms_.emplace(ref, 1);
    }
}

void Otf2RankReader::read() {
    // Exceptions must not pass through the library, which is C.
    struct Passing {
        Otf2RankReader& reader;
        std::exception_ptr thrown;
    } passing{*this, nullptr};
    lw_otf2_listener listener{};
    listener.user = &passing;
    listener.event = [](void* user, std::uint64_t location, const lw_otf2_event* event) {
        auto& to = *static_cast<Passing*>(user);
        try {
            to.reader.take(location, *event);
            return 0;
        } catch (...) {
            to.thrown = std::current_exception();
            return 1;
        }
    };
    listener.other = [](void* user, std::uint64_t location, const char* kind) {
        auto& to = *static_cast<Passing*>(user);
        try {
            ++to.reader.calls_[location].events;
            ++to.reader.taken_.unknown[kind];
            return 0;
        } catch (...) {
            to.thrown = std::current_exception();
            return 1;
        }
    };
    const auto& locations = archive_.ranks[rank_].locations;
    const char* said =
        archive_.library.read(archive_.reader.get(), locations.data(), locations.size(), &listener);
    if (passing.thrown) std::rethrow_exception(passing.thrown);
    const std::string doing = "the events of rank " + std::to_string(rank_) + " cannot be read to their end";
    otf2_check(said, doing.c_str());
    check_counts(doing);
    for (const auto& [location, call] : calls_) taken_.unfinished += call.depth > 0 ? 1 : 0;
    for (auto& [id, request] : requests_) nothing_known(request);
    flush();
    taken_.events += to_.events();
}

void Otf2RankReader::check_counts(const std::string& doing) const {
    for (const std::uint64_t location : archive_.ranks[rank_].locations) {
        const auto said = archive_.events.find(location);
        if (said == archive_.events.end() || said->second == 0) continue;
        const auto call = calls_.find(location);
        const std::uint64_t read = call == calls_.end() ? 0 : call->second.events;
        // EZTrace declares fewer than it writes.
        if (read < said->second || (archive_.own && read != said->second))
            throw ConvertError(doing + ": location " + std::to_string(location) + " should have " +
                               std::to_string(said->second) + " events, and OTF2 finds " +
                               std::to_string(read) + "; its file is damaged");
    }
}

void Otf2RankReader::take(std::uint64_t location, const lw_otf2_event& event) {
    if (!begun_) {
        clock_ns_ = archive_.nanoseconds(event.time);
        to_.start_at(clock_ns_);
        begun_ = true;
    }
    Call& call = calls_[location];
    ++call.events;
    if (event.kind == LW_OTF2_PROGRAM_BEGIN || event.kind == LW_OTF2_PROGRAM_END) return;
    if (event.kind == LW_OTF2_ENTER || event.kind == LW_OTF2_LEAVE) {
        const auto region = archive_.regions.find(event.region);
        if (region == archive_.regions.end() || !region->second.mpi) return;
        if (call.thread == no_thread) call.thread = number_thread(location);
        if (event.kind == LW_OTF2_ENTER) {
            if (call.depth++ == 0) enter(call, event);
        } else if (call.depth > 0 && --call.depth == 0) {
            finish(call, archive_.nanoseconds(event.time));
        }
        return;
    }
    const bool alone = call.depth == 0;
    if (alone) {
        // Some tools record a message without the call that it belongs to.
        if (call.thread == no_thread) call.thread = number_thread(location);
        call.region = LW_OTF2_UNDEFINED;
        call.enter_ns = archive_.nanoseconds(event.time);
        call.cpu_ns = -1;
        call.words.clear();
        call.records.clear();
        if (event.kind == LW_OTF2_COLLECTIVE_BEGIN || event.kind == LW_OTF2_REQUEST_TEST) return;
    }
    call.records.push_back(event);
    if (alone) finish(call, call.enter_ns);
}

std::uint32_t Otf2RankReader::number_thread(std::uint64_t location) {
    if (archive_.own) return thread_of_location(location);
    return location == archive_.ranks[rank_].locations.front() ? 0 : next_thread_++;
}

void Otf2RankReader::enter(Call& call, const lw_otf2_event& event) {
    call.region = event.region;
    call.enter_ns = archive_.nanoseconds(event.time);
    call.cpu_ns = -1;
    call.words.clear();
    call.records.clear();
    for (std::uint32_t i = 0; i < event.attributes; ++i) {
        const std::uint32_t ref = event.attribute_refs[i];
        if (ref == archive_.cpu_attribute) {
            call.cpu_ns = static_cast<std::int64_t>(event.attribute_values[i]);
            continue;
        }
        const auto word = archive_.words.find(ref);
        if (word == archive_.words.end() || word->second >= event.attributes) continue;
        if (call.words.size() <= word->second) call.words.resize(word->second + 1);
        call.words[word->second] = event.attribute_values[i];
    }
}

void Otf2RankReader::finish(Call& call, std::uint64_t leave_ns) {
    static const std::string nameless;
    const auto region = archive_.regions.find(call.region);
    const std::string& name = region == archive_.regions.end() ? nameless : region->second.name;
    const std::uint64_t enter_ns = std::max(call.enter_ns, clock_ns_);
    const std::uint64_t end_ns = std::max(leave_ns, enter_ns);
    times_ = {.gap_ns = enter_ns - clock_ns_,
              .cpu_ns = call.cpu_ns,
              .duration_ns = end_ns - enter_ns,
              .overlap_ns = enter_ns - call.enter_ns};
    thread_ = call.thread;
    clock_ns_ = end_ns;
    if (call.words.empty() || !from_call(call, name)) from_records(call, name);
}

/// The call as linkworth kept it.
bool Otf2RankReader::from_call(const Call& call, const std::string& name) {
    Shape shape;
    if (!from_words(call.words, shape)) return false;
    shape.collective = tracefile::collective_by_name(name);
    const std::uint64_t number = next_request_;
    if (makes_request(shape.call_class)) {
        Request request;
        request.number = number;
        request.wildcard = tracefile::is_wildcard(shape.peer, shape.tag);
        request.persistent = tracefile::makes_persistent_request(shape.call_class);
        requests_.insert_or_assign(number, request);
    }
    if (shape.call_class == CallClass::complete)
        for (const tracefile::Completion& completion : shape.completions)
            if (const auto found = requests_.find(number - completion.reference);
                found != requests_.end() && !found->second.persistent)
                requests_.erase(found);
    if (shape.call_class == CallClass::request_free)
        for (const std::uint64_t reference : shape.references) requests_.erase(number - reference);
    const bool new_comm = shape.call_class == CallClass::comm_new || shape.call_class == CallClass::icomm_new;
    if (new_comm && shape.new_comm >= 0) {
        next_comm_ = std::max(next_comm_, shape.new_comm + 1);
        for (const lw_otf2_event& record : call.records)
            if (record.kind == LW_OTF2_COMM_CREATE) comms_[record.comm] = shape.new_comm;
    }
    emit(std::move(shape), name);
    return true;
}

// ---- communicators ----

const CollectivePlace& Otf2RankReader::place(std::uint32_t comm) {
    const auto [entry, added] = places_.try_emplace(comm);
    const auto found = archive_.comms.find(comm);
    if (!added || found == archive_.comms.end()) return entry->second;
    const auto rank = static_cast<std::int32_t>(rank_);
    const Otf2Comm seen = archive_.seen_by(found->second, rank);
    const auto at = std::find(seen.members.begin(), seen.members.end(), rank);
    const auto me = at == seen.members.end() ? 0 : at - seen.members.begin();
    const std::size_t peers = seen.inter ? seen.remote.size() : seen.members.size();
    entry->second = {std::max<std::uint64_t>(1, peers), static_cast<std::uint64_t>(me), seen.inter};
    return entry->second;
}

Shape Otf2RankReader::new_communicator(std::uint32_t comm, std::int32_t parent) {
    const auto found = archive_.comms.find(comm);
    if (found == archive_.comms.end())
        throw ConvertError("the archive uses a communicator that it does not define");
    const auto rank = static_cast<std::int32_t>(rank_);
    Otf2Comm seen = archive_.seen_by(found->second, rank);
    if (std::find(seen.members.begin(), seen.members.end(), rank) == seen.members.end())
        throw ConvertError("rank " + std::to_string(rank_) + " uses a communicator that it is not in");
    Shape shape;
    shape.call_class = CallClass::comm_new;
    shape.comm = parent;
    shape.new_comm = next_comm_++;
    shape.inter = seen.inter;
    shape.members = std::move(seen.members);
    shape.remote_members = std::move(seen.remote);
    comms_[comm] = shape.new_comm;
    return shape;
}

std::int32_t Otf2RankReader::comm_number(std::uint32_t comm) {
    const auto known = comms_.find(comm);
    if (known != comms_.end()) return known->second;
    // Its creation is not recorded. The event takes no time of the call that uses it.
    const Times of_the_call = std::exchange(times_, {});
    emit(new_communicator(comm, 0), "MPI_Comm_create");
    times_ = of_the_call;
    return comms_.at(comm);
}

/// If numbers apply to all ranks, so does their order: ranks then agree on which of several equal ones is
/// meant.
void Otf2RankReader::define_all() {
    if (std::exchange(defined_, true) || !archive_.unified) return;
    const auto rank = static_cast<std::int32_t>(rank_);
    for (const auto& [ref, comm] : archive_.comms) {
        const auto has = [&](const std::vector<std::int32_t>& members) {
            return std::find(members.begin(), members.end(), rank) != members.end();
        };
        if (comm.kind == Otf2Comm::Kind::other && !comm.has_events && (has(comm.members) || has(comm.remote)))
            comm_number(ref);
    }
}

// ---- what leaves ----

void Otf2RankReader::emit(Shape shape, std::string_view name, bool known) {
    shape.name = writer_.name(std::string(name));
    const bool init = shape.call_class == CallClass::init;
    if (makes_request(shape.call_class)) ++next_request_;
    Waiting event{std::move(shape), std::exchange(times_, {}), thread_, known};
    if (waiting_.empty() && known) {
        write(event);
    } else {
        waiting_.push_back(std::move(event));
        if (waiting_.size() > most_waiting) {
            // Its end will record what it took, as for a receive from any source.
            for (auto& [id, request] : requests_)
                if (request.waiting == written_) {
                    Shape& late = waiting_.front().shape;
                    if (late.call_class == CallClass::irecv) {
                        late.peer = tracefile::any_source;
                        late.tag = tracefile::any_tag;
                        request.wildcard = true;
                        request.waiting = Request::none;
                        waiting_.front().known = true;
                        ++taken_.far_ahead;
                    } else {
                        nothing_known(request);
                    }
                    break;
                }
            flush();
        }
    }
    if (init) define_all();
}

void Otf2RankReader::write(const Waiting& waiting) {
    const std::uint32_t number = to_.shape(waiting.shape);
    const Times& times = waiting.times;
    to_.next_by(waiting.thread, times.overlap_ns);
    to_.event(number, makes_request(waiting.shape.call_class), times.gap_ns, times.cpu_ns, times.duration_ns);
}

void Otf2RankReader::flush() {
    while (!waiting_.empty() && waiting_.front().known) {
        write(waiting_.front());
        waiting_.pop_front();
        ++written_;
    }
}

}  // namespace linkworth::convert
