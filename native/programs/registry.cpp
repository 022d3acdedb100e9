// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include "registry.hpp"

#include <algorithm>
#include <array>

#include "drivers.hpp"

namespace linkworth::npb {

std::span<const Program> programs() {
    static constexpr std::array table{
        Program{"is", "ranks of integer keys by buckets", "powers of two, up to 128 (S) or 1024", run_is},
        Program{"ep", "Gaussian deviates, no communication but sums", "any rank count", run_ep},
        Program{"cg", "smallest eigenvalue of a sparse matrix by conjugate gradients", "powers of two",
                run_cg},
        Program{"mg", "Poisson equation on a periodic cube by multigrid V-cycles", "powers of two", run_mg},
        Program{"ft", "three-dimensional Fourier transforms", "powers of two up to nz x min(nx, ny)", run_ft},
        Program{"bt", "three-dimensional flow by block tridiagonal systems", "square numbers", run_bt},
        Program{"sp", "three-dimensional flow by scalar pentadiagonal systems", "square numbers", run_sp},
        Program{"lu", "three-dimensional flow by successive over-relaxation",
                "any rank count that leaves each rank 3 x 3 lines", run_lu},
        Program{"imbalance", "computation spread unevenly, from even (LEVEL 1) to all on one rank (8)",
                "any rank count", run_imbalance, "LEVEL", kImbalanceOptions},
        Program{"stencil",
                "a weather-like code; POINTS as in 100x126x37, default for that, or wrf with WRF's costs",
                "any rank count that leaves each rank 4 x 4 columns", run_stencil, "POINTS", kStencilOptions},
    };
    return table;
}

const Program& find_program(const Options& options) {
    const auto table = programs();
    const auto found = std::find_if(table.begin(), table.end(),
                                    [&](const Program& program) { return program.name == options.program; });
    const std::span<const OptionText> none;
    check_options(found == table.end() ? none : found->options, options);
    if (options.words.empty())
        throw UsageError("give a program and a class, as in 'lw-npb ft A'; 'lw-npb --help' lists them");
    if (found == table.end()) {
        std::string known;
        for (const Program& program : table) {
            if (!known.empty()) known += ", ";
            known += program.name;
        }
        throw UsageError("unknown program '" + options.program + "'; choose one of: " + known);
    }
    const std::string argument = found->takes_class() ? "a class" : std::string(found->argument);
    if (options.words.size() < 2)
        throw UsageError("give " + argument + " after " + options.program + "; 'lw-npb --help' lists them");
    if (options.words.size() > 2)
        throw UsageError("give only " + argument + " after " + options.program + ": '" + options.words[2] +
                         "' is one word too many");
    if (found->takes_class() && options.argument.size() != 1)
        throw UsageError("a class is one letter, not '" + options.argument + "'");
    return *found;
}

}  // namespace linkworth::npb
