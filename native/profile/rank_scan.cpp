// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "profile/rank_scan.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <string>

#include "calls/expansion.hpp"
#include "calls/names.hpp"
#include "trace/row_batch.hpp"
#include "trace/shape_codec.hpp"

namespace linkworth::profile {

using tracefile::CallClass;
using tracefile::Collective;
using tracefile::EventRow;
using tracefile::Shape;

namespace {

/// Returns the seconds of the gap in which the rank computed: its CPU time, if that was read and is not
/// longer. With threads that compute for the rank it is longer, and the result is the gap. There is no
/// branch, because gaps with CPU time are hard to predict. The bits of non-negative numbers are in their
/// order, and those of a negative one (not read) are beyond them.
double computed_in(const EventRow& row) {
    const auto gap = std::bit_cast<std::uint64_t>(row.gap_seconds);
    const auto cpu = std::bit_cast<std::uint64_t>(row.cpu_seconds);
    return std::bit_cast<double>(cpu < gap ? cpu : gap);
}

/// Returns whether all ranks' data goes to all ranks. Its bytes then grow as the data does and cross every
/// cut of the machine.
bool is_global(Collective collective) {
    switch (collective) {
        case Collective::allgather:
        case Collective::allgatherv:
        case Collective::alltoall:
        case Collective::alltoallv:
        case Collective::alltoallw:
        case Collective::reduce_scatter:
        case Collective::reduce_scatter_block: return true;
        default: return false;
    }
}

}  // namespace

RankScan::RankScan(const tracefile::Trace& trace, std::uint32_t rank, replay::Communicators& communicators,
                   const replay::collectives::Rules& rules, Scan& scan, std::span<EventRow> rows,
                   LoopWalk* walk)
    : trace_(trace),
      rank_(rank),
      rows_(rows),
      scan_(scan),
      times_(scan.ranks[rank]),
      walk_(walk),
      cursor_(trace.cursor(rank)),
      communicators_(communicators),
      rules_(rules),
      withdrawn_(trace, rank) {}

bool RankScan::advance(std::uint64_t events) {
    for (std::uint64_t taken = 0; taken < events;) {
        const std::uint64_t batches = (events - taken + tracefile::batch_rows - 1) / tracefile::batch_rows;
        const std::span<const EventRow> rows =
            cursor_.next_rows(rows_.first(std::min(rows_.size(), batches * tracefile::batch_rows)));
        if (rows.empty()) {
            end();
            return false;
        }
        if (cursor_.blocks() != block_) begin_block();
        if (uses_.size() < cursor_.shapes()) uses_.resize(cursor_.shapes());
        take(rows);
        if (walk_ != nullptr && !walk_->take(cursor_, rows)) walk_ = nullptr;
        taken += rows.size();
    }
    return true;
}

inline bool RankScan::Clock::is_polling(const EventRow& row) const {
    return now() == polling_until && computed_in(row) < tracefile::polling_gap_seconds;
}

inline void RankScan::Clock::pass_gap(const EventRow& row) {
    gaps += row.gap_seconds;
    const double computed = computed_in(row);
    compute += computed;
    descheduled += row.gap_seconds - computed;
}

/// Counts the gap before a call. Returns whether the rank waited in it; it is part of the call then.
inline bool RankScan::waited(Use& use, Clock& clock, const EventRow& row) {
    if (!(use.is_poll && clock.is_polling(row))) {
        clock.pass_gap(row);
        return false;
    }
    clock.inside += row.gap_seconds;
    use.seconds += row.gap_seconds;
    return true;
}

/// Counts a call behind its gap, and returns its times.
inline RankScan::When RankScan::counted(Use& use, Clock& clock, const EventRow& row, std::size_t place,
                                        bool waits) {
    const double start = clock.now();
    if (scan_.activities != nullptr) [[unlikely]]
        note(row, use.call_class, start, waits);
    clock.inside += row.duration_seconds;
    ++use.count;
    use.seconds += row.duration_seconds;
    if (use.in_vain) [[unlikely]] {
        if (!waits) clock.polling_since = start;
        clock.polling_until = clock.now();
    }
    double overlap = 0;
    if (row.has_notes) [[unlikely]] {
        overlap = cursor_.overlap_seconds(place);
        use.overlap += overlap;
    }
    // The end is rounded as the start of the next call is.
    return {start - overlap, waits ? clock.polling_since : start, clock.now()};
}

void RankScan::take(std::span<const EventRow> rows) {
    const tracefile::Arguments* const arguments = cursor_.arguments();
    const auto end = rows.end();
    for (auto row = rows.begin(); row != end;) {
        Use* const uses = uses_.data();
        Clock clock = clock_;  // a copy, because what is written here could lie in `*this`
        for (; row != end; ++row) {
            Use& use = uses[row->shape];
            if (use.step >= Step::alone) [[unlikely]]
                break;
            if (row->has_arguments) take_arguments(use, arguments[row - rows.begin()]);
            const bool waits = waited(use, clock, *row);
            take_call(use, counted(use, clock, *row, static_cast<std::size_t>(row - rows.begin()), waits));
        }
        clock_ = clock;
        if (row != end && take_alone(rows, static_cast<std::size_t>(row - rows.begin()))) ++row;
    }
}

/// Notes when the rank did what: a gap computes first and then lacks a core, unless it is part of a loop that
/// waits.
void RankScan::note(const EventRow& row, CallClass call_class, double start, bool waits) {
    if (call_class == CallClass::init) return;
    const double gap = start - row.gap_seconds;
    if (waits) {
        scan_.activities->add(rank_, replay::activity_of(call_class), gap, start + row.duration_seconds);
        return;
    }
    const double computed = gap + computed_in(row);
    scan_.activities->add(rank_, Activity::computation, gap, computed);
    scan_.activities->add(rank_, Activity::no_core, computed, start);
    if (call_class != CallClass::finalize)
        scan_.activities->add(rank_, replay::activity_of(call_class), start, start + row.duration_seconds);
}

/// Returns false if it only found out how to take the event.
bool RankScan::take_alone(std::span<const EventRow> rows, std::size_t place) {
    const EventRow& row = rows[place];
    Use& use = uses_[row.shape];
    const Shape& shape = cursor_.shape(row.shape);
    if (use.step == Step::resolve) {
        use = row.has_arguments ? resolve_open(shape) : resolve(shape);
        return false;
    }
    clock_.pass_gap(row);
    if (use.call_class == CallClass::init) pass_init();
    match(use, shape, counted(use, clock_, row, place, false));
    return true;
}

inline void RankScan::take_call(Use& use, const When& when) {
    switch (use.step) {
        case Step::send:
            scan_.waits.take_blocking(blocking(send_half(use, use.tag, when.posted), when.end), when.start);
            break;
        case Step::receive: {
            const Half half = blocking(receive_half(use, use.tag, when.posted), when.end);
            if (probed_.name != no_half && probed_.pairing == half.pairing) [[unlikely]]
                scan_.waits.take_probed(half, std::exchange(probed_, {}));
            else
                scan_.waits.take_blocking(half, when.start);
            break;
        }
        case Step::isend:
            requests_.insert(next_request_++, scan_.waits.take(send_half(use, use.tag, when.posted)));
            break;
        case Step::irecv:
            requests_.insert(next_request_, receive(use, next_request_, use.tag, when.posted));
            ++next_request_;
            break;
        case Step::complete: complete(use, *use.shape, when.start, when.end); break;
        case Step::files: times_.files += when.end - when.start; break;
        case Step::match:
            match(use, *use.shape, when);
            next_request_ += use.makes_request ? 1 : 0;
            break;
        default: break;
    }
}

void RankScan::begin_block() {
    flush_block();
    block_ = cursor_.blocks();
    clock_.base = cursor_.block_base_seconds() - clock_.gaps - clock_.inside;
    next_request_ = cursor_.block_next_request();
}

RankScan::Use RankScan::resolve(const Shape& shape) {
    Use use;
    use.shape = &shape;
    use.call_class = shape.call_class;
    use.makes_request = tracefile::makes_request(shape.call_class);
    use.name = shape.name;
    use.entry = shape.entry;
    use.is_poll = tracefile::is_poll(shape);
    use.in_vain = tracefile::found_nothing(shape);
    use.bytes_each = shape.bytes;
    use.tag = shape.tag;
    const replay::Communicator* const known = communicator(shape.comm);
    use.context = context_of(known);
    const bool wildcard = tracefile::is_wildcard(shape.peer, shape.tag);
    switch (shape.call_class) {
        case CallClass::send:
        case CallClass::isend:
        case CallClass::send_init:
            use.to = world_rank(known, shape.peer);
            use.protocol = SendProtocols::of(trace_.names()[shape.name], shape.bytes);
            break;
        case CallClass::recv:
            use.from = world_rank(known, wildcard ? shape.actual_peer : shape.peer);
            use.tag = wildcard ? shape.actual_tag : shape.tag;
            break;
        case CallClass::irecv:
        case CallClass::recv_init: use.from = wildcard ? no_rank : world_rank(known, shape.peer); break;
        case CallClass::psend_init:
            use.to = world_rank(known, shape.peer);
            use.pieces = shape.partitions;
            break;
        case CallClass::precv_init: use.pieces = shape.partitions; break;
        case CallClass::rma:
        case CallClass::irma:
            if (const auto window = windows_.find(shape.window); window != windows_.end())
                use.to = world_rank(window->second, shape.peer);
            use.operation = shape.operation;
            use.bytes_got = shape.recv_bytes;
            break;
        case CallClass::sendrecv:
        case CallClass::isendrecv: {
            const bool any = tracefile::is_wildcard(shape.recv_peer, shape.recv_tag);
            use.to = world_rank(known, shape.peer);
            use.protocol = SendProtocols::of(trace_.names()[shape.name], shape.bytes);
            if (shape.call_class == CallClass::sendrecv || !any)
                use.from = world_rank(known, any ? shape.actual_peer : shape.recv_peer);
            break;
        }
        case CallClass::collective:
        case CallClass::icollective:
        case CallClass::collective_init:
            use.collective = std::make_shared<const Shape>(shape);
            if (known == nullptr) break;
            use.member = *communicators_.find(rank_, shape.comm);
            if (shape.call_class == CallClass::collective && shape.collective != Collective::none &&
                !known->inter && known->size() > 1) {
                use.meetings = &scan_.waits.meetings(known->context, known->members);
                const std::pair seat(use.meetings, static_cast<std::int32_t>(use.member.my_rank));
                if (std::ranges::find(attended_, seat) == attended_.end()) attended_.push_back(seat);
            }
            break;
        default: break;
    }
    use.step = step_of(shape, use.to != no_rank || use.from != no_rank);
    return use;
}

/// Each event of the shape completes it.
RankScan::Use RankScan::resolve_open(const Shape& shape) {
    Use use;
    use.is_open = true;
    use.sends = shape.call_class == CallClass::send || shape.call_class == CallClass::isend;
    use.step = use.step_alone = step_of(shape, false);
    use.step_with_partner = step_of(shape, true);
    use.shape = &shape;
    use.call_class = shape.call_class;
    use.makes_request = tracefile::makes_request(shape.call_class);
    use.name = shape.name;
    use.entry = shape.entry;
    use.communicator = communicator(shape.comm);
    use.context = context_of(use.communicator);
    use.mode = SendProtocols::of(trace_.names()[shape.name], 0);
    return use;
}

inline void RankScan::take_arguments(Use& use, const tracefile::Arguments& arguments) {
    const std::uint32_t other = world_rank(use.communicator, arguments.peer);
    use.tag = arguments.tag;
    use.bytes += arguments.bytes;
    use.step = other == no_rank ? use.step_alone : use.step_with_partner;
    (use.sends ? use.to : use.from) = other;
    if (use.sends && other != no_rank) {
        use.protocol = use.mode != 0 ? use.mode : static_cast<std::uint8_t>(std::bit_width(arguments.bytes));
        scan_.traffic.add(static_cast<std::int32_t>(rank_), static_cast<std::int32_t>(other),
                          arguments.bytes);
    }
}

RankScan::Step RankScan::step_of(const Shape& shape, bool has_partner) const {
    switch (shape.call_class) {
        case CallClass::send: return has_partner ? Step::send : Step::count;
        case CallClass::recv: return has_partner ? Step::receive : Step::count;
        case CallClass::local: return scan_.names[shape.name].input_output ? Step::files : Step::count;
        case CallClass::probe: return shape.found ? Step::match : Step::count;
        case CallClass::isend: return has_partner ? Step::isend : Step::match;
        case CallClass::irecv: return has_partner ? Step::irecv : Step::match;
        case CallClass::complete: return shape.completions.empty() ? Step::count : Step::complete;
        // They read the time or change it.
        case CallClass::init:
        case CallClass::pcontrol:
        case CallClass::request_free: return Step::alone;
        default: return Step::match;
    }
}

/// Forgets the times before MPI_Init, unless other calls came before than those that only look something up.
void RankScan::pass_init() {
    const auto is_other = [](const Use& use) { return use.count > 0 && use.call_class != CallClass::local; };
    if (times_.events > 0 || std::ranges::any_of(uses_, is_other)) return;
    times_.before_init = clock_.gaps + clock_.inside;
    clock_ = {.base = clock_.now()};
    for (const Use& use : uses_) times_.communication -= use.seconds;
}

void RankScan::mark(bool opens) {
    if (in_marked_region_) {
        times_.marked += clock_.gaps + clock_.inside - marked_from_;
        times_.marked_compute += clock_.compute - marked_compute_from_;
        times_.marked_files += times_.files - marked_files_from_;
    }
    in_marked_region_ = opens;
    marked_from_ = clock_.gaps + clock_.inside;
    marked_compute_from_ = clock_.compute;
    marked_files_from_ = times_.files;
}

void RankScan::flush_block() {
    for (const Use& use : uses_) {
        if (use.count == 0) continue;
        CallTotals& totals = scan_.calls[use.entry];
        totals.count += use.count;
        totals.seconds += use.seconds + use.overlap;
        times_.events += use.count;
        const bool outside = use.call_class == CallClass::init || use.call_class == CallClass::finalize;
        (outside ? times_.init : times_.communication) += use.seconds;
        if (use.is_open) {
            totals.bytes += use.bytes;
            continue;
        }
        switch (use.call_class) {
            case CallClass::send:
            case CallClass::isend:
            case CallClass::sendrecv:
            case CallClass::isendrecv:
            case CallClass::collective:
            case CallClass::icollective:
                count_traffic(use, use.count);
                totals.bytes += use.count * use.bytes_each;
                break;
            case CallClass::comm_new:
            case CallClass::win_new:
                if (use.collective != nullptr) count_collective(use, use.count);
                break;
            case CallClass::recv:
            case CallClass::irecv: totals.bytes += use.count * use.bytes_each; break;
            case CallClass::rma:
            case CallClass::irma:
                count_access(use);
                totals.bytes += use.count * (use.bytes_each + use.bytes_got);
                break;
            case CallClass::start: totals.bytes += use.bytes_started; break;
            case CallClass::local: not_modelled(use.name, use.count); break;
            default: break;
        }
    }
    uses_.clear();
}

void RankScan::end() {
    flush_block();
    mark(false);
    times_.compute = clock_.compute;
    times_.compute_wall = clock_.gaps;
    times_.descheduled = clock_.descheduled;
    scan_.waits.end(rank_);
    for (const auto& [meetings, own_rank] : attended_) meetings->leave(own_rank);
    scan_.damage.insert(scan_.damage.end(), cursor_.damage().begin(), cursor_.damage().end());
}

void RankScan::count_traffic(const Use& use, std::uint64_t times) {
    if (use.collective != nullptr) {
        count_collective(use, times);
    } else if (use.to != no_rank) {
        scan_.traffic.add(static_cast<std::int32_t>(rank_), static_cast<std::int32_t>(use.to), use.bytes_each,
                          times * use.pieces);
    }
}

// Data that is put or accumulated goes to the target; data that is got comes from it.
void RankScan::count_access(const Use& use) {
    if (use.to == no_rank) return;
    const auto own = static_cast<std::int32_t>(rank_);
    const auto target = static_cast<std::int32_t>(use.to);
    if (use.operation != tracefile::RmaOperation::get)
        scan_.traffic.add(own, target, use.bytes_each, use.count);
    if (use.operation == tracefile::RmaOperation::get || use.operation == tracefile::RmaOperation::fetch)
        scan_.traffic.add(target, own, use.bytes_got, use.count);
}

/// Counts the messages that the replay sends for the call.
void RankScan::count_collective(const Use& use, std::uint64_t times) {
    const Shape& call = *use.collective;
    if (tracefile::is_collective(call.call_class) && call.collective == Collective::none) {
        not_modelled(use.name, times);
        return;
    }
    if (use.member.communicator == nullptr) return;
    const replay::Communicator& ground = *replay::ground_of(use.member).communicator;
    const bool global = is_global(call.collective);
    try {
        replay::each_send(replay::expand(rules_, call, use.member, scan_.traffic.nodes()),
                          [&](std::uint32_t peer, std::uint64_t bytes) {
                              scan_.global_bytes += global ? times * bytes : 0;
                              scan_.traffic.add(static_cast<std::int32_t>(rank_), ground.members[peer], bytes,
                                                times);
                          });
    } catch (const std::invalid_argument& impossible) {
        impossible_call(impossible.what());
    }
}

/// A damaged trace may hold what no MPI program can do. Its sense is not known, and all else still is.
void RankScan::impossible_call(const char* what) {
    scan_.damage.push_back({static_cast<std::int32_t>(rank_), 0,
                            "rank " + std::to_string(rank_) + " makes a call that cannot be (" + what +
                                "): its messages are not counted"});
}

const replay::Communicator* RankScan::communicator(std::int32_t comm) const {
    const replay::Membership* const member = communicators_.find(rank_, comm);
    return member == nullptr ? nullptr : member->communicator;
}

/// The members of a new communicator or window agree on it by messages.
void RankScan::agree(Use& use, const Shape& shape, const replay::Membership* member) {
    if (member == nullptr || member->communicator->inter) return;
    use.member = *member;
    use.collective = std::make_shared<const Shape>(shape);
}

/// Communicators that are freed stay known.
void RankScan::define(Use& use, const Shape& shape) {
    if (shape.new_comm < 0) return;
    try {
        const replay::Membership& member = communicators_.define(rank_, shape);
        if (shape.call_class == CallClass::comm_new) agree(use, shape, &member);
    } catch (const std::invalid_argument& impossible) {
        impossible_call(impossible.what());
    }
}

void RankScan::not_modelled(std::uint32_t name, std::uint64_t times) {
    if (tracefile::communicates(trace_.names()[name])) scan_.unmodelled[trace_.names()[name]] += times;
}

}  // namespace linkworth::profile
