// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
// record_calls PROGRAM CLASS RANKS RANK...: prints the calls of each of the ranks after a line "rank R", with
// kernels that compute nothing and hold no array. Needs no MPI.
#include <cstdlib>
#include <cstring>
#include <numeric>

#include "programs/cg.hpp"
#include "programs/ep.hpp"
#include "programs/ft.hpp"
#include "recording_communicator.hpp"

namespace {

using namespace linkworth::npb;

struct NoPairs {
    ep::Tally tally(ep::Share) { return {}; }
};

struct NoField {
    void prepare() {}
    void forward(int) {}
    void inverse(int, int) {}
    const ft::Checksum* outgoing() { return nullptr; }
    ft::Checksum* incoming() { return nullptr; }
    ft::Checksum checksum() { return {}; }
};

struct NoMatrix {
    void reset() {}
    double start_solve() { return 1.0; }
    void multiply_direction() {}
    void multiply_solution() {}
    double* rows(std::int64_t) { return nullptr; }
    double* received(std::int64_t) { return nullptr; }
    double* product() { return nullptr; }
    void add_received(std::int64_t, std::int64_t) {}
    void take_rows() {}
    double direction_dot_product() { return 1.0; }
    double advance(double) { return 1.0; }
    void turn(double) {}
    double residual() { return 1.0; }
    void norms(double (&)[2]) {}
    void normalise(double) {}
};

template <class Table>
const auto& class_of(const Table& table, char letter) {
    for (const auto& entry : table)
        if (entry.letter == letter) return entry;
    std::exit(2);
}

void record(const char* program, char letter, RecordingCommunicator& world) {
    if (std::strcmp(program, "ep") == 0) {
        NoPairs kernel;
        ep::Timers timers(ep::kPhases, false);
        ep::run(world, kernel, class_of(ep::kClasses, letter), 0, timers);
    } else if (std::strcmp(program, "ft") == 0) {
        NoField kernel;
        ft::Timers timers(ft::kPhases, false);
        ft::run(world, class_of(ft::kClasses, letter), 0, timers,
                [&](const ft::Layout&, auto&& use) { return use(kernel); });
    } else if (std::strcmp(program, "cg") == 0) {
        NoMatrix kernel;
        cg::Timers timers(cg::kPhases, false);
        cg::run(world, class_of(cg::kClasses, letter), 0, timers,
                [&](const cg::Layout&, auto&& use) { return use(kernel); });
    } else {
        std::exit(2);
    }
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 5) return 2;
    std::vector<int> everyone(std::atoi(argv[3]));
    std::iota(everyone.begin(), everyone.end(), 0);
    for (int i = 4; i < argc; ++i) {
        std::printf("rank %s\n", argv[i]);
        RecordingCommunicator world(std::atoi(argv[i]), everyone);
        record(argv[1], argv[2][0], world);
    }
    return 0;
}
