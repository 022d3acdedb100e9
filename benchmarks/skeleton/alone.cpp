// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
// One rank's computation of a run on several ranks, without the others: messages carry nothing and cost
// nothing. Prints the CPU seconds of each phase. Usage: alone CLASS RANKS RANK ITERATIONS, compiled for one
// program (bench_phases.py).
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <set>
#include <string>

#include PROGRAM_HEADER
#include KERNEL_HEADER

using namespace linkworth::npb;

namespace {

double processor_seconds() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

class Silence {
  public:
    struct Request {};

    Silence(int rank, int size) : rank_(rank), size_(size) {}
    int rank() const { return rank_; }
    int size() const { return size_; }
    double wall_time() const { return processor_seconds(); }
    void mark_region(int) {}
    void barrier() {}
    template <class T>
    void broadcast(T*, std::size_t, int) {}
    template <class T>
    void reduce(Reduction, const T* input, T* output, std::size_t count, int) {
        std::copy_n(input, count, output);
    }
    template <class T>
    void allreduce(Reduction, const T* input, T* output, std::size_t count) {
        std::copy_n(input, count, output);
    }
    template <class T>
    void alltoall(const T*, T*, std::size_t) {}
    template <class T>
    void alltoallv(const T*, std::span<const int>, T*, std::span<const int>) {}
    template <class T>
    void gatherv(const T*, std::size_t, std::span<const int>, T*, int) {}
    template <class T>
    void send(const T*, std::size_t, int, int) {}
    template <class T>
    void recv(T* data, std::size_t count, int, int) {
        fill_once(data, count);
    }
    template <class T>
    Request isend(const T*, std::size_t, int, int) {
        return {};
    }
    template <class T>
    Request irecv(T* data, std::size_t count, int, int) {
        fill_once(data, count);
        return {};
    }
    void wait(Request&) {}
    void wait_all(std::span<Request>) {}
    Silence duplicate() const { return {rank_, size_}; }
    template <class PlacementOfRank>
    Silence split(PlacementOfRank&&) const {
        return {rank_, size_};
    }

  private:
    /// The values do not matter, but pages that were never written would share one page in the cache.
    template <class T>
    void fill_once(T* data, std::size_t count) {
        if (filled_.insert(data).second) std::fill_n(data, count, T(1));
    }

    int rank_, size_;
    std::set<const void*> filled_;
};

template <std::size_t N>
class Clock final : public PhaseObserver {
  public:
    void enter(std::size_t phase) override {
        phase_ = phase;
        begin_ = processor_seconds();
    }
    void leave() override { seconds[phase_] += processor_seconds() - begin_; }
    std::array<double, N> seconds{};

  private:
    std::size_t phase_ = 0;
    double begin_ = 0.0;
};

}  // namespace

int main(int count, char** arguments) {
    if (count != 5) return 2;
    PROGRAM::Class problem{};
    for (const PROGRAM::Class& known : PROGRAM::kClasses)
        if (known.letter == arguments[1][0]) problem = known;
    problem.iterations = std::atoi(arguments[4]);
    Silence world(std::atoi(arguments[3]), std::atoi(arguments[2]));
    Clock<PROGRAM::kPhases.size()> clock;
    PROGRAM::Timers timers(PROGRAM::kPhases, clock);
    PROGRAM::run(world, problem, 1, timers, [&](auto&&... with) {
        if constexpr (sizeof...(with) == 3) {
            return [&](const PROGRAM::Class& agreed, const auto& layout, auto&& use) {
                PROGRAM::KERNEL kernel(agreed, layout);
                return use(kernel);
            }(with...);
        } else {
            return [&](const auto& layout, auto&& use) {
                PROGRAM::KERNEL kernel(problem, layout);
                return use(kernel);
            }(with...);
        }
    });
    for (const double seconds : clock.seconds) std::printf("%.9f ", seconds);
    std::printf("\n");
    return 0;
}
