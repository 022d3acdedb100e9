// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "convert/ti/collectives.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

#include "convert/convert_error.hpp"
#include "convert/ti/ti.hpp"

namespace linkworth::convert {
namespace {

using replay::Schedule;
using replay::Step;
using replay::StepKind;
using tracefile::Collective;
using tracefile::Shape;

/// A predefined datatype of SMPI.
struct Datatype {
    std::uint32_t bytes;
    std::uint32_t number;
};
constexpr Datatype one_byte{1, 6};  // MPI_BYTE, which is meant without a number
/// MPI_SHORT, MPI_INT, MPI_DOUBLE and MPI_LONG_DOUBLE.
constexpr std::array datatypes{Datatype{2, 3}, Datatype{4, 1}, Datatype{8, 0}, Datatype{16, 14}};

/// Returns the datatype that a reduction is written in: bytes if SMPI has none of the elements' size. A
/// library chooses the algorithm by the number of elements, too.
Datatype datatype_of(const Shape& shape) {
    const auto* const found = std::ranges::find(datatypes, shape.element_bytes, &Datatype::bytes);
    if (found == datatypes.end()) return one_byte;
    const auto whole = [found](std::uint64_t bytes) { return bytes % found->bytes == 0; };
    return whole(shape.bytes) && std::ranges::all_of(shape.recv_counts, whole) ? *found : one_byte;
}

/// Arguments of a call, checked against the limits of the format.
class Arguments {
  public:
    Arguments(TiActions& actions, std::uint32_t ranks, std::string_view call)
        : actions_(actions), ranks_(ranks), call_(call) {}

    Arguments& begin(std::string_view name) {
        file_ = &actions_.action(name);
        return *this;
    }
    /// A number, or as many elements of a datatype as are so many bytes.
    Arguments& number(std::uint64_t bytes, Datatype datatype = one_byte) {
        actions_.check_bytes(bytes, call_);
        *file_ << " " << bytes / datatype.bytes;
        return *this;
    }
    Arguments& numbers(const std::vector<std::uint64_t>& bytes, Datatype datatype = one_byte) {
        if (bytes.size() != ranks_)
            throw std::invalid_argument("per-peer counts do not fit the communicator");
        // SimGrid adds them up in an int.
        actions_.check_bytes(std::accumulate(bytes.begin(), bytes.end(), std::uint64_t{0}), call_);
        for (const std::uint64_t each : bytes) number(each, datatype);
        return *this;
    }
    Arguments& of(Datatype datatype) {
        if (datatype.bytes != one_byte.bytes) *file_ << " " << datatype.number;
        return *this;
    }
    Arguments& repeated(std::uint64_t bytes) {
        for (std::uint32_t rank = 0; rank < ranks_; ++rank) number(bytes);
        return *this;
    }
    void end() { *file_ << "\n"; }

  private:
    TiActions& actions_;
    std::uint32_t ranks_;
    std::string_view call_;
    TextFile* file_ = nullptr;
};

/// The steps of one rank, as actions.
class Steps {
  public:
    Steps(TiActions& actions, const TiGround& ground, std::string_view call)
        : actions_(actions), ground_(ground), call_(call) {}

    void run(Schedule steps) {
        Step step;
        while (steps.next(step))
            if (step.kind == StepKind::wait)
                go();
            else
                take(step);
        go();
        go();
    }

    std::vector<TiRequest> start(Schedule steps) {
        Step step;
        bool waited = false;
        while (steps.next(step)) {
            if (waited && step.kind != StepKind::wait && step.kind != StepKind::combine &&
                step.kind != StepKind::pack && step.kind != StepKind::datatype)
                throw ConvertError(std::string(call_) + " on rank " + std::to_string(actions_.rank()) +
                                   " goes on in several rounds beside the program, which a time-independent "
                                   "trace cannot say");
            if (step.kind == StepKind::wait)
                waited = true;
            else
                take(step);
        }
        post();
        due_.insert(due_.end(), ahead_.begin(), ahead_.end());
        return std::move(due_);
    }

  private:
    void take(const Step& step) {
        if (step.kind == StepKind::start || step.kind == StepKind::join)
            throw ConvertError(std::string(call_) +
                               " runs in parts beside each other, which a time-independent trace cannot say");
        if (is_addressed(step)) posted_.push_back(step);
    }

    TiMessage message(const Step& step) const {
        const std::uint32_t peer = ground_.communicator->world_rank(static_cast<std::int32_t>(step.peer));
        return {peer, ground_.tag, step.bytes};
    }

    void post() {
        for (const Step& step : posted_) {
            if (step.kind == StepKind::send) {
                due_.push_back(actions_.isend(message(step), call_));
            } else {
                auto& whose = step.kind == StepKind::recv ? due_ : ahead_;
                whose.push_back(actions_.ireceive(message(step)));
            }
        }
        posted_.clear();
    }

    /// Waits for all posted steps. Those posted ahead are due at the next wait.
    void go() {
        const bool alone = due_.empty() && posted_.size() == 1;
        if (alone && posted_[0].kind == StepKind::send) {
            actions_.send(message(posted_[0]), call_);
            posted_.clear();
        } else if (alone && posted_[0].kind == StepKind::recv) {
            actions_.receive(message(posted_[0]));
            posted_.clear();
        } else {
            post();
            if (!due_.empty()) actions_.wait_for(due_);
        }
        due_ = std::exchange(ahead_, {});
    }

    TiActions& actions_;
    const TiGround& ground_;
    std::string_view call_;
    std::vector<Step> posted_;
    std::vector<TiRequest> due_;
    std::vector<TiRequest> ahead_;
};

}  // namespace

bool write_collective(TiActions& actions, const Shape& shape, std::uint32_t ranks, std::string_view call) {
    const std::uint32_t root = shape.peer < 0 ? 0 : static_cast<std::uint32_t>(shape.peer);
    if (root >= ranks) throw std::invalid_argument("the root is not a rank of the communicator");
    const bool at_root = actions.rank() == root;
    const Datatype datatype = datatype_of(shape);
    Arguments arguments(actions, ranks, call);
    switch (shape.collective) {
        case Collective::barrier: arguments.begin("barrier").end(); return true;
        case Collective::bcast:
            if (shape.bytes == 0) return false;
            arguments.begin("bcast").number(shape.bytes).number(root).end();
            return true;
        case Collective::reduce:
            if (shape.bytes == 0) return false;
            arguments.begin("reduce").number(shape.bytes, datatype).number(0).number(root);
            arguments.of(datatype).end();
            return true;
        case Collective::allreduce:
        case Collective::scan:
        case Collective::exscan:
            if (shape.bytes == 0) return false;
            arguments
                .begin(shape.collective == Collective::allreduce ? "allreduce"
                       : shape.collective == Collective::scan    ? "scan"
                                                                 : "exscan")
                .number(shape.bytes, datatype)
                .number(0)
                .of(datatype)
                .end();
            return true;
        case Collective::gather:
        case Collective::scatter: {
            const bool gathers = shape.collective == Collective::gather;
            const std::uint64_t piece = gathers != at_root ? shape.bytes : shape.recv_bytes;
            if (piece == 0) return false;
            arguments.begin(gathers ? "gather" : "scatter").number(piece).number(piece).number(root).end();
            return true;
        }
        case Collective::allgather:
        case Collective::alltoall:
            if (shape.bytes == 0) return false;
            arguments.begin(shape.collective == Collective::allgather ? "allgather" : "alltoall")
                .number(shape.bytes)
                .number(shape.recv_bytes)
                .end();
            return true;
        case Collective::alltoallv:
        case Collective::alltoallw:
            arguments.begin("alltoallv").number(shape.bytes).numbers(shape.send_counts);
            arguments.number(shape.recv_bytes).numbers(shape.recv_counts).end();
            return true;
        case Collective::gatherv:
            arguments.begin("gatherv").number(shape.bytes);
            (at_root ? arguments.numbers(shape.recv_counts) : arguments.repeated(0)).number(root).end();
            return true;
        case Collective::scatterv:
            arguments.begin("scatterv");
            (at_root ? arguments.numbers(shape.send_counts) : arguments.repeated(0))
                .number(shape.recv_bytes)
                .number(root)
                .end();
            return true;
        case Collective::allgatherv:
            arguments.begin("allgatherv").number(shape.bytes).numbers(shape.recv_counts).end();
            return true;
        case Collective::reduce_scatter:
            arguments.begin("reducescatter").numbers(shape.recv_counts, datatype).number(0);
            arguments.of(datatype).end();
            return true;
        case Collective::reduce_scatter_block:
            if (shape.bytes == 0) return false;
            arguments.begin("reducescatter").repeated(shape.bytes / ranks).number(0).end();
            return true;
        case Collective::neighbor_allgather:
        case Collective::neighbor_allgatherv:
        case Collective::neighbor_alltoall:
        case Collective::neighbor_alltoallv:
        case Collective::neighbor_alltoallw:
        case Collective::none: break;
    }
    throw std::invalid_argument("the call is no collective that the replay models");
}

void write_steps(TiActions& actions, Schedule steps, const TiGround& ground, std::string_view call) {
    Steps(actions, ground, call).run(std::move(steps));
}

std::vector<TiRequest> start_steps(TiActions& actions, Schedule steps, const TiGround& ground,
                                   std::string_view call) {
    return Steps(actions, ground, call).start(std::move(steps));
}

}  // namespace linkworth::convert
