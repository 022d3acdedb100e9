// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "convert/otf2/calls.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "calls/names.hpp"
#include "trace/shape_codec.hpp"

namespace linkworth::convert {

using tracefile::CallClass;
using tracefile::Collective;
using tracefile::CompleteMode;
using tracefile::Shape;

namespace {

constexpr std::size_t word_bytes = sizeof(std::uint64_t);
constexpr std::size_t length_bytes = 4;

/// By CompleteMode.
constexpr std::array<std::string_view, 8> modes = {
    "MPI_Wait", "MPI_Waitall", "MPI_Waitany", "MPI_Waitsome",
    "MPI_Test", "MPI_Testall", "MPI_Testany", "MPI_Testsome",
};

/// Collectives by OTF2_CollectiveOp.
constexpr std::array operations{
    Collective::barrier,
    Collective::bcast,
    Collective::gather,
    Collective::gatherv,
    Collective::scatter,
    Collective::scatterv,
    Collective::allgather,
    Collective::allgatherv,
    Collective::alltoall,
    Collective::alltoallv,
    Collective::alltoallw,
    Collective::allreduce,
    Collective::reduce,
    Collective::reduce_scatter,
    Collective::scan,
    Collective::exscan,
    Collective::reduce_scatter_block,
};

std::vector<std::uint64_t> divided(std::uint64_t bytes, std::uint64_t peers) {
    std::vector<std::uint64_t> counts(peers, bytes / peers);
    for (std::uint64_t peer = 0; peer < bytes % peers; ++peer) ++counts[peer];
    return counts;
}

bool is_root(const Shape& shape, const CollectivePlace& place) {
    return shape.peer >= 0 && static_cast<std::uint64_t>(shape.peer) == place.me;
}

}  // namespace

void to_words(const Shape& shape, std::vector<std::uint64_t>& words) {
    thread_local std::vector<std::uint8_t> bytes;
    thread_local Shape nameless;
    nameless = shape;
    nameless.name = 0;
    bytes.assign(length_bytes, 0);
    encode_shape(nameless, bytes);
    const std::size_t length = bytes.size() - length_bytes;
    for (std::size_t i = 0; i < length_bytes; ++i) bytes[i] = static_cast<std::uint8_t>(length >> (8 * i));
    bytes.resize((bytes.size() + word_bytes - 1) / word_bytes * word_bytes);
    words.clear();
    for (std::size_t at = 0; at < bytes.size(); at += word_bytes) {
        std::uint64_t word = 0;
        for (std::size_t i = 0; i < word_bytes; ++i) word |= std::uint64_t{bytes[at + i]} << (8 * i);
        words.push_back(word);
    }
}

bool from_words(const std::vector<std::uint64_t>& words, Shape& shape) {
    thread_local std::vector<std::uint8_t> bytes;
    bytes.clear();
    for (const std::uint64_t word : words)
        for (std::size_t i = 0; i < word_bytes; ++i)
            bytes.push_back(static_cast<std::uint8_t>(word >> (8 * i)));
    if (bytes.size() < length_bytes) return false;
    std::size_t length = 0;
    for (std::size_t i = 0; i < length_bytes; ++i) length |= std::size_t{bytes[i]} << (8 * i);
    if (length > bytes.size() - length_bytes) return false;
    shape = Shape{};
    return decode_shape({bytes.data() + length_bytes, length}, shape);
}

std::string canonical_name(std::string_view region) {
    if (region.ends_with("()")) region.remove_suffix(2);
    std::string name(region);
    const auto upper = [](char c) { return static_cast<char>(std::toupper(static_cast<unsigned char>(c))); };
    const auto lower = [](char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); };
    if (name.size() < 5 || upper(name[0]) != 'M' || upper(name[1]) != 'P' || upper(name[2]) != 'I' ||
        name[3] != '_')
        return name;
    const std::string_view rest = std::string_view(name).substr(4);
    const bool all_upper = std::none_of(rest.begin(), rest.end(), [&](char c) { return upper(c) != c; });
    const bool all_lower = std::none_of(rest.begin(), rest.end(), [&](char c) { return lower(c) != c; });
    if (!all_upper && !all_lower) return name;
    while (name.ends_with('_')) name.pop_back();
    std::transform(name.begin(), name.end(), name.begin(), lower);
    std::transform(name.begin(), name.begin() + 5, name.begin(), upper);
    return name;
}

bool complete_mode(std::string_view name, CompleteMode& mode) {
    const auto* const found = std::find(modes.begin(), modes.end(), name);
    if (found == modes.end()) return false;
    mode = static_cast<CompleteMode>(found - modes.begin());
    return true;
}

CallClass class_by_name_alone(std::string_view name, bool every_message_has_a_record) {
    CompleteMode mode{};
    if (complete_mode(name, mode)) return CallClass::complete;
    if (name == "MPI_Init" || name == "MPI_Init_thread") return CallClass::init;
    if (name == "MPI_Finalize") return CallClass::finalize;
    const auto has = [&](std::string_view part) { return name.find(part) != std::string_view::npos; };
    if (has("probe") || has("Probe")) return CallClass::probe;
    const bool sends = has("send") || has("Send");
    const bool receives = has("recv") || has("Recv");
    if (has("_init")) {
        if (tracefile::is_collective(name)) return CallClass::collective_init;
        return sends ? CallClass::send_init : receives ? CallClass::recv_init : CallClass::local;
    }
    if (!every_message_has_a_record || !tracefile::communicates(name)) return CallClass::local;
    const bool now = !name.starts_with("MPI_I");
    if (sends && receives) return now ? CallClass::sendrecv : CallClass::isendrecv;
    if (sends) return now ? CallClass::send : CallClass::isend;
    if (receives) return now ? CallClass::recv : CallClass::irecv;
    return CallClass::local;
}

std::uint32_t otf2_operation(Collective collective) {
    const auto* found = std::find(operations.begin(), operations.end(), collective);
    return static_cast<std::uint32_t>(found - operations.begin());
}

bool has_operation(Collective collective) {
    return std::find(operations.begin(), operations.end(), collective) != operations.end();
}

Collective collective_by_operation(std::uint32_t operation) {
    return operation < operations.size() ? operations[operation] : Collective::none;
}

CollectiveSizes totals_of(const Shape& shape, const CollectivePlace& place) {
    const std::uint64_t all = place.peers;
    const bool root = is_root(shape, place);
    if (place.inter) return {shape.bytes, shape.recv_bytes};
    switch (shape.collective) {
        case Collective::bcast: return {root ? all * shape.bytes : 0, shape.bytes};
        case Collective::gather: return {shape.bytes, root ? all * shape.recv_bytes : 0};
        case Collective::scatter: return {root ? all * shape.bytes : 0, shape.recv_bytes};
        case Collective::gatherv: return {shape.bytes, root ? shape.recv_bytes : 0};
        case Collective::scatterv: return {root ? shape.bytes : 0, shape.recv_bytes};
        case Collective::reduce: return {shape.bytes, root ? all * shape.bytes : 0};
        case Collective::allgather:
        case Collective::alltoall:
        case Collective::allreduce: return {all * shape.bytes, all * shape.recv_bytes};
        case Collective::allgatherv: return {all * shape.bytes, shape.recv_bytes};
        case Collective::reduce_scatter:
        case Collective::reduce_scatter_block: return {shape.bytes, all * shape.recv_bytes};
        case Collective::scan: return {(all - place.me) * shape.bytes, (place.me + 1) * shape.bytes};
        case Collective::exscan: return {(all - place.me - 1) * shape.bytes, place.me * shape.bytes};
        default: return {shape.bytes, shape.recv_bytes};
    }
}

namespace {

/// Returns one rank's share of a total over all ranks. It excludes the rank itself if the call used
/// MPI_IN_PLACE, which only the remainder shows.
std::uint64_t share(std::uint64_t total, std::uint64_t all) {
    return total % all == 0 || all == 1 ? total / all : total / (all - 1);
}

/// Returns the size of a scan. With MPI_IN_PLACE, a rank's totals exclude itself; only a rank in the middle
/// has the same ratio of both.
std::uint64_t scanned(const CollectiveSizes& sizes, const CollectivePlace& place) {
    const std::uint64_t from = place.me + 1, to = place.peers - std::min(place.me, place.peers - 1);
    const std::uint64_t received = sizes.received / from;
    if (sizes.received == received * from && sizes.sent == received * to) return received;
    return (sizes.sent + sizes.received) / std::max<std::uint64_t>(1, place.peers - 1);
}

void set_pieces(Shape& shape, const CollectiveSizes& sizes, const CollectivePlace& place) {
    const std::uint64_t all = place.peers;
    const bool gathers = shape.collective == Collective::gather;
    const std::uint64_t own = gathers ? sizes.sent : sizes.received;
    const std::uint64_t of_all = gathers ? sizes.received : sizes.sent;
    // A root that uses MPI_IN_PLACE exchanges nothing with itself.
    const std::uint64_t others = own == 0 && all > 1 ? all - 1 : all;
    const std::uint64_t at_root = own == 0 ? of_all / others : own;
    shape.bytes = sizes.sent;
    shape.recv_bytes = sizes.received;
    const auto both = [&](std::uint64_t bytes) { shape.bytes = shape.recv_bytes = bytes; };
    switch (shape.collective) {
        case Collective::bcast: return both(sizes.received);
        case Collective::gather:
            shape.bytes = at_root;
            shape.recv_bytes = of_all / others;
            return;
        case Collective::scatter:
            shape.bytes = of_all / others;
            shape.recv_bytes = at_root;
            return;
        case Collective::reduce:
            return both(sizes.sent == 0 && all > 1 ? sizes.received / (all - 1) : sizes.sent);
        case Collective::allreduce: return both(share(sizes.received, all));
        case Collective::allgather:
        case Collective::alltoall:
            shape.bytes = share(sizes.sent, all);
            shape.recv_bytes = share(sizes.received, all);
            return;
        case Collective::allgatherv: shape.bytes = share(sizes.sent, all); return;
        case Collective::reduce_scatter:
        case Collective::reduce_scatter_block: shape.recv_bytes = share(sizes.received, all); return;
        case Collective::scan: return both(scanned(sizes, place));
        case Collective::exscan:
            return both(place.me > 0 ? sizes.received / place.me : all > 1 ? sizes.sent / (all - 1) : 0);
        default: return;
    }
}

bool reduces(Collective collective) {
    switch (collective) {
        case Collective::reduce:
        case Collective::allreduce:
        case Collective::reduce_scatter:
        case Collective::reduce_scatter_block:
        case Collective::scan:
        case Collective::exscan: return true;
        default: return false;
    }
}

/// Programs reduce numbers of eight or four bytes. MPI libraries choose other algorithms where there are
/// fewer of them than ranks.
std::uint32_t likely_element(std::uint64_t bytes) {
    if (bytes == 0) return 1;
    return bytes % 8 == 0 ? 8 : bytes % 4 == 0 ? 4 : 1;
}

void set_arguments(Shape& shape, const CollectiveSizes& sizes) {
    shape.bytes = sizes.sent;
    shape.recv_bytes = sizes.received;
    switch (shape.collective) {
        case Collective::bcast:
        case Collective::reduce:
        case Collective::allreduce:
        case Collective::scan:
        case Collective::exscan:
            shape.bytes = shape.recv_bytes = std::max(sizes.sent, sizes.received);
            return;
        default: return;
    }
}

}  // namespace

bool may_be_in_place(const Shape& shape, const CollectiveSizes& sizes, const CollectivePlace& place) {
    switch (shape.collective) {
        case Collective::allgather:
        case Collective::allgatherv:
        case Collective::alltoall:
        case Collective::allreduce:
        case Collective::reduce_scatter:
        case Collective::reduce_scatter_block: break;
        default: return false;
    }
    const std::uint64_t total = shape.collective == Collective::allgatherv ? sizes.sent : sizes.received;
    const std::uint64_t all = place.peers;
    return !place.inter && all > 1 && total > 0 && total % all == 0 && total % (all - 1) == 0;
}

bool set_sizes(Shape& shape, const CollectiveSizes& sizes, const CollectivePlace& place, bool totals) {
    if (totals && !place.inter)
        set_pieces(shape, sizes, place);
    else
        set_arguments(shape, sizes);
    if (reduces(shape.collective)) shape.element_bytes = likely_element(shape.bytes);
    const bool root = is_root(shape, place);
    const bool from_all =
        shape.collective == Collective::allgatherv || shape.collective == Collective::alltoallv ||
        shape.collective == Collective::alltoallw || (shape.collective == Collective::gatherv && root);
    const bool to_all = shape.collective == Collective::alltoallv ||
                        shape.collective == Collective::alltoallw ||
                        (shape.collective == Collective::scatterv && root);
    if (from_all) shape.recv_counts = divided(shape.recv_bytes, place.peers);
    if (to_all) shape.send_counts = divided(shape.bytes, place.peers);
    const bool pieces = shape.collective == Collective::reduce_scatter;
    if (pieces) shape.recv_counts = divided(shape.bytes, place.peers);
    return from_all || to_all || pieces;
}

}  // namespace linkworth::convert
