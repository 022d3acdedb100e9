// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "registry.hpp"

#include <array>

#include "drivers.hpp"

namespace linkworth::npb {

std::span<const Program> programs() {
    static constexpr std::array table{
        Program{"ep", "Gaussian deviates, no communication but sums", "any rank count", run_ep},
        Program{"ft", "three-dimensional Fourier transforms", "powers of two up to nz x min(nx, ny)", run_ft},
        Program{"cg", "smallest eigenvalue of a sparse matrix by conjugate gradients", "powers of two",
                run_cg},
        Program{"sp", "three-dimensional flow by scalar pentadiagonal systems", "square numbers", run_sp},
    };
    return table;
}

const Program& find_program(std::string_view name) {
    std::string known;
    for (const Program& program : programs()) {
        if (program.name == name) return program;
        if (!known.empty()) known += ", ";
        known += program.name;
    }
    throw UsageError("unknown program '" + std::string(name) + "'; choose one of: " + known);
}

}  // namespace linkworth::npb
