// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "convert/ti/import.hpp"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "calls/communicators.hpp"
#include "convert/convert_error.hpp"
#include "convert/ti/arguments.hpp"
#include "convert/ti/lines.hpp"
#include "convert/ti/matching.hpp"
#include "convert/ti/ti.hpp"
#include "trace/writer.hpp"

namespace linkworth::convert {
namespace {

using tracefile::CallClass;
using tracefile::CompleteMode;
using tracefile::Shape;

/// State of a conversion that all ranks share.
struct TiImport {
    tracefile::TraceWriter& writer;
    std::uint32_t ranks = 0;
    double flops_per_second = 0;
    TiImportResult& result;
    TiBalance balance;
};

/// State of a rank at the end of its actions.
struct TiRankEnd {
    bool finalized = false;
    std::uint64_t collectives =
        0;  ///< the same on all ranks that take part in the same ones, with the same roots
};

/// Conversion of one rank's actions to the events of a trace.
class TiRankImport {
  public:
    TiRankImport(TiImport& import, std::uint32_t rank) : import_(import), rank_(rank) {}

    /// Takes the line's action. Throws ConvertError.
    void take(const TiLines& line);

    /// Keeps computation after the last action.
    TiRankEnd finish();

  private:
    using Key = std::tuple<std::int32_t, std::int32_t, std::int32_t>;  ///< source, destination, tag

    bool take_local(std::string_view action, const TiArguments& arguments);
    bool take_message(std::string_view action, const TiArguments& arguments);
    bool take_request(std::string_view action, const TiArguments& arguments);
    bool take_collective(std::string_view action, const TiArguments& arguments);
    bool take_collective_by_rank(std::string_view action, const TiArguments& arguments);

    void wait(const TiArguments& arguments);
    void wait_for_all();
    void put(const std::string& name, CallClass call_class, Shape shape = {});
    void put_collective(const std::string& name, std::int32_t root, std::uint64_t bytes,
                        std::uint64_t recv_bytes);
    /// Arithmetic of a reduction comes after its messages.
    void compute(double flops) { gap_seconds_ += flops / import_.flops_per_second; }
    bool is(std::int32_t root) const { return root == static_cast<std::int32_t>(rank_); }

    TiImport& import_;
    std::uint32_t rank_;
    std::uint32_t element_bytes_ = 1;  ///< if an action names no datatype
    double gap_seconds_ = 0;
    TiRankEnd end_;
    std::uint64_t next_request_ = 0;
    std::map<Key, std::deque<std::uint64_t>> begun_;  ///< requests that nothing has waited for
};

/// Capacity of a receive whose size only its sender knows. SMPI uses the message's size, and no message of a
/// time-independent trace is larger than this.
constexpr std::uint64_t any_size = std::numeric_limits<std::int32_t>::max();

std::uint64_t sum(const std::vector<std::uint64_t>& counts) {
    return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

/// Old versions of SMPI write `allReduce` and `Isend`.
std::string lower(std::string_view word) {
    std::string out(word);
    std::transform(out.begin(), out.end(), out.begin(), [](char each) {
        return each >= 'A' && each <= 'Z' ? static_cast<char>(each + 32) : each;
    });
    return out;
}

void TiRankImport::take(const TiLines& line) {
    if (line.words().size() < 2) line.fail("a rank without an action");
    if (end_.finalized) line.fail("an action after the rank's finalize");
    const std::string action = lower(line.words()[1]);
    const TiArguments arguments(line, import_.ranks);
    ++import_.result.actions;
    if (!take_local(action, arguments) && !take_message(action, arguments) &&
        !take_request(action, arguments) && !take_collective(action, arguments) &&
        !take_collective_by_rank(action, arguments))
        line.fail(std::string(line.words()[1].substr(0, 40)) +
                  " is no action that SMPI replays; only time-independent traces can be read");
    try {
        static_cast<void>(tracefile::nanoseconds(gap_seconds_));
    } catch (const tracefile::TraceError& too_long) {
        line.fail(too_long.what());
    }
}

void TiRankImport::put(const std::string& name, CallClass call_class, Shape shape) {
    shape.name = import_.writer.name(name);
    shape.call_class = call_class;
    if (call_class == CallClass::collective)
        end_.collectives = replay::mixed(
            end_.collectives, std::uint64_t{shape.name} << 32U | static_cast<std::uint32_t>(shape.peer));
    import_.writer.event(rank_, shape, std::exchange(gap_seconds_, 0), -1, 0);
    ++import_.result.events;
}

TiRankEnd TiRankImport::finish() {
    if (!end_.finalized && gap_seconds_ > 0) put("MPI_Finalize", CallClass::finalize);
    return end_;
}

bool TiRankImport::take_local(std::string_view action, const TiArguments& arguments) {
    if (action == "compute") {
        arguments.need(1, "flops");
        compute(arguments.amount(0));
    } else if (action == "sleep") {
        arguments.need(1, "seconds");
        gap_seconds_ += arguments.amount(0);
    } else if (action == "init") {
        // MPE's traces count in doubles and mark this by an argument; those of TAU and SMPI count in bytes.
        element_bytes_ = arguments.count() > 0 ? sizeof(double) : 1;
        put("MPI_Init", CallClass::init);
    } else if (action == "finalize") {
        put("MPI_Finalize", CallClass::finalize);
        end_.finalized = true;
    } else if (action == "comm_size" || action == "comm_split" || action == "comm_dup" ||
               action == "location") {
        ++import_.result.unknown[std::string(action)];
    } else {
        return false;
    }
    return true;
}

bool TiRankImport::take_message(std::string_view action, const TiArguments& arguments) {
    const bool sends = action == "send" || action == "isend";
    if (!sends && action != "recv" && action != "irecv") return false;
    arguments.need(3, "the partner's rank, a tag and a size");
    Shape shape;
    shape.peer = arguments.rank(0, "partner");
    shape.tag = arguments.tag(1);
    const std::uint32_t element = arguments.datatype_bytes(3, element_bytes_);
    const bool unknown = !sends && arguments.is_unknown_size(2);
    shape.bytes = unknown ? any_size : arguments.bytes(2, element);
    const auto me = static_cast<std::int32_t>(rank_);
    const auto partner = static_cast<std::uint32_t>(shape.peer);
    if (sends)
        import_.balance.sent(rank_, partner, shape.tag);
    else
        import_.balance.received(partner, rank_, shape.tag);
    if (action[0] == 'i') {
        const Key key = sends ? Key{me, shape.peer, shape.tag} : Key{shape.peer, me, shape.tag};
        begun_[key].push_back(next_request_++);
    }
    if (action == "send") put("MPI_Send", CallClass::send, std::move(shape));
    if (action == "recv") put("MPI_Recv", CallClass::recv, std::move(shape));
    if (action == "isend") put("MPI_Isend", CallClass::isend, std::move(shape));
    if (action == "irecv") put("MPI_Irecv", CallClass::irecv, std::move(shape));
    return true;
}

bool TiRankImport::take_request(std::string_view action, const TiArguments& arguments) {
    if (action == "wait") {
        wait(arguments);
    } else if (action == "waitall") {
        wait_for_all();
    } else if (action == "test") {
        arguments.need(3, "source, destination and tag");
        Shape shape;
        shape.mode = CompleteMode::test;
        shape.listed = 1;
        put("MPI_Test", CallClass::complete, std::move(shape));
    } else {
        return false;
    }
    return true;
}

void TiRankImport::wait(const TiArguments& arguments) {
    arguments.need(3, "source, destination and tag");
    const Key key{arguments.rank(0, "source"), arguments.rank(1, "destination"), arguments.tag(2)};
    const auto found = begun_.find(key);
    if (found == begun_.end()) {
        // SMPI passes over it: a test may have found the request complete when the trace was recorded.
        ++import_.result.idle_waits;
        return;
    }
    Shape shape;
    shape.mode = CompleteMode::wait;
    shape.listed = 1;
    shape.completions.push_back({next_request_ - found->second.front(), false, 0, 0});
    found->second.pop_front();
    if (found->second.empty()) begun_.erase(found);
    put("MPI_Wait", CallClass::complete, std::move(shape));
}

void TiRankImport::wait_for_all() {
    std::vector<std::uint64_t> requests;
    for (const auto& [key, begun] : begun_) requests.insert(requests.end(), begun.begin(), begun.end());
    begun_.clear();
    if (requests.empty()) {
        ++import_.result.idle_waits;
        return;
    }
    std::sort(requests.begin(), requests.end());
    Shape shape;
    shape.mode = CompleteMode::waitall;
    shape.listed = static_cast<std::uint32_t>(requests.size());
    for (const std::uint64_t request : requests)
        shape.completions.push_back({next_request_ - request, false, 0, 0});
    put("MPI_Waitall", CallClass::complete, std::move(shape));
}

void TiRankImport::put_collective(const std::string& name, std::int32_t root, std::uint64_t bytes,
                                  std::uint64_t recv_bytes) {
    Shape shape;
    shape.peer = root;
    shape.bytes = bytes;
    shape.recv_bytes = recv_bytes;
    put(name, CallClass::collective, std::move(shape));
}

bool TiRankImport::take_collective(std::string_view action, const TiArguments& arguments) {
    if (action == "barrier") {
        put_collective("MPI_Barrier", -1, 0, 0);
    } else if (action == "bcast") {
        arguments.need(1, "a size");
        const std::uint64_t bytes = arguments.bytes(0, arguments.datatype_bytes(2, element_bytes_));
        put_collective("MPI_Bcast", arguments.root(1), bytes, bytes);
    } else if (action == "reduce" || action == "allreduce" || action == "scan" || action == "exscan") {
        const bool rooted = action == "reduce";
        arguments.need(2, "a size and the flops of the operation");
        Shape shape;
        shape.element_bytes = arguments.datatype_bytes(rooted ? 3 : 2, element_bytes_);
        shape.bytes = shape.recv_bytes = arguments.bytes(0, shape.element_bytes);
        shape.peer = rooted ? arguments.root(2) : -1;
        put(rooted                  ? "MPI_Reduce"
            : action == "allreduce" ? "MPI_Allreduce"
            : action == "scan"      ? "MPI_Scan"
                                    : "MPI_Exscan",
            CallClass::collective, std::move(shape));
        compute(arguments.amount(1));
    } else if (action == "gather" || action == "scatter") {
        arguments.need(2, "the size that is sent and the size that is received");
        const std::int32_t root = arguments.root(2);
        const std::uint32_t sent_element = arguments.datatype_bytes(3, element_bytes_);
        const std::uint64_t sent = arguments.bytes(0, sent_element);
        const std::uint64_t received = arguments.bytes(1, arguments.datatype_bytes(4, element_bytes_));
        if (action == "gather")
            put_collective("MPI_Gather", root, sent, is(root) ? received : 0);
        else
            put_collective("MPI_Scatter", root, is(root) ? sent : 0, received);
    } else if (action == "allgather" || action == "alltoall") {
        arguments.need(2, "the size that is sent and the size that is received");
        const std::uint64_t sent = arguments.bytes(0, arguments.datatype_bytes(2, element_bytes_));
        const std::uint64_t received = arguments.bytes(1, arguments.datatype_bytes(3, element_bytes_));
        put_collective(action == "allgather" ? "MPI_Allgather" : "MPI_Alltoall", -1, sent, received);
    } else {
        return false;
    }
    return true;
}

/// Handles collectives with a size for each rank.
bool TiRankImport::take_collective_by_rank(std::string_view action, const TiArguments& arguments) {
    const std::size_t ranks = import_.ranks;
    Shape shape;
    shape.peer = -1;
    if (action == "gatherv") {
        arguments.need(ranks + 1, "the size that is sent and a size for each rank");
        shape.peer = arguments.root(ranks + 1);
        shape.bytes = arguments.bytes(0, arguments.datatype_bytes(ranks + 2, element_bytes_));
        if (is(shape.peer))
            shape.recv_counts =
                arguments.bytes_by_rank(1, arguments.datatype_bytes(ranks + 3, element_bytes_));
        shape.recv_bytes = sum(shape.recv_counts);
        put("MPI_Gatherv", CallClass::collective, std::move(shape));
    } else if (action == "scatterv") {
        arguments.need(ranks + 1, "a size for each rank and the size that is received");
        shape.peer = arguments.root(ranks + 1);
        if (is(shape.peer))
            shape.send_counts =
                arguments.bytes_by_rank(0, arguments.datatype_bytes(ranks + 2, element_bytes_));
        shape.bytes = sum(shape.send_counts);
        shape.recv_bytes = arguments.bytes(ranks, arguments.datatype_bytes(ranks + 3, element_bytes_));
        put("MPI_Scatterv", CallClass::collective, std::move(shape));
    } else if (action == "allgatherv") {
        arguments.need(ranks + 1, "the size that is sent and a size for each rank");
        // After the sizes come a datatype, displacements or both. Only the number of arguments shows which.
        const std::size_t more = arguments.count() - (ranks + 1);
        const bool has_type = more > ranks || (more > 0 && more < 3);
        const std::uint32_t element = has_type ? arguments.datatype_bytes(ranks + 1, 1) : element_bytes_;
        shape.bytes = arguments.bytes(0, element);
        shape.recv_counts = arguments.bytes_by_rank(1, element);
        shape.recv_bytes = sum(shape.recv_counts);
        put("MPI_Allgatherv", CallClass::collective, std::move(shape));
    } else if (action == "alltoallv") {
        arguments.need(2 * ranks + 2, "two sizes, each with one for each rank after it");
        shape.send_counts =
            arguments.bytes_by_rank(1, arguments.datatype_bytes(2 * ranks + 2, element_bytes_));
        shape.recv_counts =
            arguments.bytes_by_rank(ranks + 2, arguments.datatype_bytes(2 * ranks + 3, element_bytes_));
        shape.bytes = sum(shape.send_counts);
        shape.recv_bytes = sum(shape.recv_counts);
        put("MPI_Alltoallv", CallClass::collective, std::move(shape));
    } else if (action == "reducescatter") {
        arguments.need(ranks + 1, "a size for each rank and the flops of the operation");
        shape.element_bytes = arguments.datatype_bytes(ranks + 1, element_bytes_);
        shape.recv_counts = arguments.bytes_by_rank(0, shape.element_bytes);
        shape.bytes = sum(shape.recv_counts);
        shape.recv_bytes = shape.recv_counts[rank_];
        put("MPI_Reduce_scatter", CallClass::collective, std::move(shape));
        compute(arguments.amount(ranks));
    } else {
        return false;
    }
    return true;
}

/// Requires actions of all ranks up to the last: memory must not grow with a number that is wrong.
std::uint32_t ranks_in(const std::string& path) {
    TiLines lines(path);
    std::set<std::uint32_t> acting;
    while (lines.next()) acting.insert(lines.rank());
    std::uint32_t ranks = 0;
    for (const std::uint32_t rank : acting)
        if (rank != ranks++)
            throw ConvertError(path + " has actions of rank " + std::to_string(rank) + " and none of rank " +
                               std::to_string(ranks - 1) + ": copy or write them again");
    return ranks;
}

TiRankEnd read_rank(TiImport& import, std::uint32_t rank, const std::string& path) {
    TiLines lines(path);
    TiRankImport actions(import, rank);
    while (lines.next()) {
        if (lines.rank() != rank)
            lines.fail("an action of rank " + std::to_string(lines.rank()) + " in the file of rank " +
                       std::to_string(rank));
        actions.take(lines);
    }
    const TiRankEnd end = actions.finish();
    import.writer.finish(rank);
    return end;
}

std::vector<TiRankEnd> read_together(TiImport& import, const std::string& path) {
    TiLines lines(path);
    std::vector<TiRankImport> actions;
    for (std::uint32_t rank = 0; rank < import.ranks; ++rank) actions.emplace_back(import, rank);
    while (lines.next()) actions[lines.rank()].take(lines);
    std::vector<TiRankEnd> ends;
    for (TiRankImport& rank : actions) ends.push_back(rank.finish());
    return ends;
}

/// A program finalizes on all ranks, so a rank without it lost its end. Handwritten actions may lack it on
/// all. A collective is of all ranks.
void check_ends(const std::vector<TiRankEnd>& ends) {
    const auto finalized = [](const TiRankEnd& end) { return end.finalized; };
    const auto cut = std::ranges::find_if_not(ends, finalized);
    if (cut != ends.end() && std::ranges::any_of(ends, finalized))
        throw ConvertError(
            "the actions of rank " + std::to_string(cut - ends.begin()) +
            " were cut: they lack the finalize that other ranks have; copy or write them again");
    const auto other = std::ranges::find_if(
        ends, [&](const TiRankEnd& end) { return end.collectives != ends.front().collectives; });
    if (other != ends.end())
        throw ConvertError("the collectives of rank " + std::to_string(other - ends.begin()) +
                           " or their roots are not those of rank 0: the actions were cut, or some are of "
                           "communicators, which a time-independent trace does not name");
}

}  // namespace

TiImportResult read_ti(const std::vector<std::string>& paths, double flops_per_second,
                       const std::string& output, const std::string& metadata_json) {
    check_flops_per_second(flops_per_second);
    TiImportResult result;
    const bool together = paths.size() == 1;
    result.ranks = together ? ranks_in(paths[0]) : static_cast<std::uint32_t>(paths.size());
    tracefile::TraceWriter writer(output, result.ranks, metadata_json);
    TiImport import{writer, result.ranks, flops_per_second, result, {}};
    std::vector<TiRankEnd> ends;
    if (together)
        ends = read_together(import, paths[0]);
    else
        for (std::uint32_t rank = 0; rank < result.ranks; ++rank)
            ends.push_back(read_rank(import, rank, paths[rank]));
    check_ends(ends);
    result.unmatched = import.balance.unmatched();
    writer.close();
    result.bytes = writer.bytes();
    return result;
}

}  // namespace linkworth::convert
