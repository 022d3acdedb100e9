// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
// Conversion of calls for which an archive has only OTF2's own records.
#include <algorithm>
#include <utility>

#include "calls/names.hpp"
#include "convert/convert_error.hpp"
#include "convert/otf2/rank_reader.hpp"

namespace linkworth::convert {

using tracefile::CallClass;
using tracefile::Collective;
using tracefile::Shape;

namespace {

/// MPI's name of a collective: of `reduce_scatter` MPI_Reduce_scatter, non-blocking MPI_Ireduce_scatter.
std::string mpi_name(Collective collective, bool nonblocking) {
    std::string name(tracefile::collective_name(collective));
    if (nonblocking) name = "i" + name;
    return canonical_name("mpi_" + name);
}

bool is_completion(std::uint32_t kind) {
    return kind == LW_OTF2_ISEND_COMPLETE || kind == LW_OTF2_IRECV || kind == LW_OTF2_ICOLLECTIVE_COMPLETE;
}

}  // namespace

void Otf2RankReader::from_records(const Call& call, const std::string& name) {
    const auto count = [&](std::uint32_t kind) {
        return std::count_if(call.records.begin(), call.records.end(),
                             [&](const lw_otf2_event& record) { return record.kind == kind; });
    };
    const auto or_name = [&](const char* standard) { return name.empty() ? std::string(standard) : name; };
    bool said = false;
    const bool exchange = count(LW_OTF2_SEND) == 1 && count(LW_OTF2_RECV) == 1;
    Shape both;
    for (const lw_otf2_event& record : call.records) {
        switch (record.kind) {
            case LW_OTF2_SEND:
            case LW_OTF2_RECV: {
                const bool sends = record.kind == LW_OTF2_SEND;
                Shape shape = message(sends ? CallClass::send : CallClass::recv, record);
                if (!exchange) {
                    emit(std::move(shape), or_name(sends ? "MPI_Send" : "MPI_Recv"));
                } else if (sends) {
                    both.comm = shape.comm;
                    both.peer = shape.peer;
                    both.tag = shape.tag;
                    both.bytes = shape.bytes;
                } else {
                    both.recv_peer = shape.peer;
                    both.recv_tag = shape.tag;
                    both.recv_bytes = shape.bytes;
                }
                said = true;
                break;
            }
            case LW_OTF2_ISEND: {
                forget(record.request);
                Shape shape = message(CallClass::isend, record);
                requests_[record.request] = {next_request_, false, false, Request::none};
                emit(std::move(shape), name.starts_with("MPI_Start") ? "MPI_Isend" : or_name("MPI_Isend"));
                said = true;
                break;
            }
            case LW_OTF2_IRECV_REQUEST:
                begin_waiting(CallClass::irecv,
                              name.starts_with("MPI_Start") ? "MPI_Irecv" : or_name("MPI_Irecv"),
                              record.request);
                said = true;
                break;
            case LW_OTF2_REQUEST_CANCELLED: forget(record.request, true); break;
            case LW_OTF2_ICOLLECTIVE_REQUEST:
                begin_waiting(CallClass::icollective, name, record.request);
                said = true;
                break;
            case LW_OTF2_COLLECTIVE_END:
                from_collective(record, call, name);
                said = true;
                break;
            default: break;
        }
    }
    if (exchange) {
        both.call_class = CallClass::sendrecv;
        emit(std::move(both), or_name("MPI_Sendrecv"));
    }
    if (std::any_of(call.records.begin(), call.records.end(),
                    [](const lw_otf2_event& record) { return is_completion(record.kind); })) {
        from_completions(call, name);
        said = true;
    }
    if (!said && !name.empty()) from_name_alone(name);
}

void Otf2RankReader::from_name_alone(const std::string& name) {
    Shape shape;
    shape.call_class = class_by_name_alone(name, archive_.unified);
    complete_mode(name, shape.mode);
    if (shape.call_class != CallClass::collective_init) shape.peer = shape.recv_peer = tracefile::proc_null;
    if (shape.call_class == CallClass::local && tracefile::communicates(name)) ++taken_.silent[name];
    emit(std::move(shape), name);
}

void Otf2RankReader::check_peer(std::uint32_t peer, std::uint32_t comm) {
    const std::uint64_t peers = place(comm).peers;
    if (peer >= peers)
        throw ConvertError("rank " + std::to_string(rank_) + " names rank " + std::to_string(peer) +
                           " of a communicator of " + std::to_string(peers) + "; the archive is damaged");
}

Shape Otf2RankReader::message(CallClass call_class, const lw_otf2_event& record) {
    Shape shape;
    shape.call_class = call_class;
    shape.comm = comm_number(record.comm);
    take_message(shape, record);
    return shape;
}

void Otf2RankReader::take_message(Shape& shape, const lw_otf2_event& record) {
    shape.peer = static_cast<std::int32_t>(record.peer);
    shape.tag = static_cast<std::int32_t>(record.tag);
    shape.bytes = record.bytes;
    // EZTrace writes MPI_PROC_NULL as the MPI library counts it: -1 or -2.
    if (shape.peer < 0)
        shape.peer = tracefile::proc_null;
    else
        check_peer(record.peer, record.comm);
}

std::int32_t Otf2RankReader::peer_of(std::uint32_t root, std::uint32_t comm) {
    constexpr std::uint32_t none = LW_OTF2_UNDEFINED;
    if (root == none) return -1;
    if (root == none - 1) return -3;                    // OTF2_COLLECTIVE_ROOT_SELF
    if (root == none - 2) return tracefile::proc_null;  // OTF2_COLLECTIVE_ROOT_THIS_GROUP
    check_peer(root, comm);
    return static_cast<std::int32_t>(root);
}

void Otf2RankReader::take_collective(Shape& shape, Collective collective, const lw_otf2_event& end) {
    const CollectiveSizes sizes{end.bytes, end.received};
    const CollectivePlace& here = place(end.comm);
    shape.collective = collective;
    shape.peer = peer_of(end.peer, end.comm);
    taken_.divided += set_sizes(shape, sizes, here, archive_.totals) ? 1 : 0;
    // Our own archives count every call like one without it.
    if (archive_.totals && !archive_.own && may_be_in_place(shape, sizes, here)) ++taken_.in_place;
}

void Otf2RankReader::from_collective(const lw_otf2_event& end, const Call& call, const std::string& name) {
    const Collective collective = collective_by_operation(end.operation);
    if (collective != Collective::none) {
        Shape shape;
        shape.call_class = CallClass::collective;
        shape.comm = comm_number(end.comm);
        take_collective(shape, collective, end);
        const bool named = tracefile::collective_by_name(name) == collective;
        emit(std::move(shape), named ? name : mpi_name(collective, false));
        return;
    }
    for (const lw_otf2_event& record : call.records) {
        if (record.kind == LW_OTF2_COMM_CREATE && !comms_.contains(record.comm)) {
            const std::int32_t parent = comm_number(end.comm);
            emit(new_communicator(record.comm, parent), name.empty() ? "MPI_Comm_create" : name);
            return;
        }
        if (record.kind == LW_OTF2_COMM_DESTROY) {
            Shape shape;
            shape.call_class = CallClass::comm_free;
            shape.comm = comm_number(record.comm);
            comms_.erase(record.comm);
            emit(std::move(shape), name.empty() ? "MPI_Comm_free" : name);
            return;
        }
    }
    if (end.operation == otf2_create_handle && name.starts_with("MPI_Comm_")) {
        // This rank got MPI_COMM_NULL.
        Shape shape;
        shape.call_class = CallClass::comm_new;
        shape.comm = comm_number(end.comm);
        emit(std::move(shape), name);
        return;
    }
    if (!name.empty()) from_name_alone(name);
}

void Otf2RankReader::from_completions(const Call& call, const std::string& name) {
    Shape shape;
    shape.call_class = CallClass::complete;
    const bool named = complete_mode(name, shape.mode);
    for (const lw_otf2_event& record : call.records) {
        if (!is_completion(record.kind)) continue;
        auto found = requests_.find(record.request);
        if (found == requests_.end() && record.kind == LW_OTF2_IRECV) found = begin_late(record);
        if (found == requests_.end()) continue;
        Request& request = found->second;
        if (request.waiting != Request::none) know(request, record);
        const auto peer = static_cast<std::int32_t>(record.peer);
        const auto tag = static_cast<std::int32_t>(record.tag);
        const bool wildcard = request.wildcard && record.kind == LW_OTF2_IRECV;
        shape.completions.push_back(
            {next_request_ - request.number, wildcard, wildcard ? peer : 0, wildcard ? tag : 0});
        if (!request.persistent) requests_.erase(found);
    }
    if (!named && shape.completions.size() != 1) shape.mode = tracefile::CompleteMode::waitall;
    shape.listed = static_cast<std::uint32_t>(shape.completions.size());
    const char* standard = shape.completions.size() == 1 ? "MPI_Wait" : "MPI_Waitall";
    emit(std::move(shape), named ? name : standard);
    flush();
}

/// Puts the receive of a message, whose start has no record, before the call that ends it.
Otf2RankReader::Requests::iterator Otf2RankReader::begin_late(const lw_otf2_event& end) {
    Shape shape = message(CallClass::irecv, end);
    const auto begun =
        requests_.try_emplace(end.request, Request{next_request_, false, false, Request::none}).first;
    const Times of_the_call = std::exchange(times_, {});
    emit(std::move(shape), "MPI_Irecv");
    times_ = of_the_call;
    return begun;
}

void Otf2RankReader::begin_waiting(CallClass call_class, const std::string& name, std::uint64_t request) {
    forget(request);
    requests_[request] = {next_request_, false, false, written_ + waiting_.size()};
    Shape shape;
    shape.call_class = call_class;
    emit(std::move(shape), name, false);
}

void Otf2RankReader::know(Request& request, const lw_otf2_event& end) {
    // EZTrace also ends a receive by the record of a send.
    const bool receives = waiting_[request.waiting - written_].shape.call_class == CallClass::irecv;
    const Collective collective = collective_by_operation(end.operation);
    if (end.kind != (receives ? LW_OTF2_IRECV : LW_OTF2_ICOLLECTIVE_COMPLETE) ||
        (!receives && collective == Collective::none))
        return nothing_known(request);
    if (!comms_.contains(end.comm)) define_before(request.waiting, end.comm);
    Waiting& waiting = waiting_[request.waiting - written_];
    Shape& shape = waiting.shape;
    request.waiting = Request::none;
    waiting.known = true;
    shape.comm = comms_.at(end.comm);
    if (receives) return take_message(shape, end);
    take_collective(shape, collective, end);
    shape.name = writer_.name(mpi_name(shape.collective, true));
}

void Otf2RankReader::define_before(std::uint64_t waiting, std::uint32_t comm) {
    const std::uint32_t thread = waiting_[waiting - written_].thread;
    Waiting creation{new_communicator(comm, 0), {}, thread, true};
    creation.shape.name = writer_.name("MPI_Comm_create");
    waiting_.insert(waiting_.begin() + static_cast<std::ptrdiff_t>(waiting - written_), std::move(creation));
    for (auto& [id, request] : requests_)
        if (request.waiting != Request::none && request.waiting >= waiting) ++request.waiting;
}

void Otf2RankReader::nothing_known(Request& request, bool cancelled) {
    if (request.waiting == Request::none) return;
    // A request that goes nowhere: nothing waits for it, and it takes no other's message.
    Waiting& waiting = waiting_[request.waiting - written_];
    waiting.shape = Shape{};
    waiting.shape.call_class = CallClass::irecv;
    waiting.shape.peer = tracefile::proc_null;
    waiting.shape.name = writer_.name("MPI_Irecv");
    waiting.known = true;
    request.waiting = Request::none;
    if (!cancelled) ++taken_.without_message;
}

void Otf2RankReader::forget(std::uint64_t id, bool cancelled) {
    const auto found = requests_.find(id);
    if (found == requests_.end()) return;
    nothing_known(found->second, cancelled);
    requests_.erase(found);
    flush();
}

}  // namespace linkworth::convert
