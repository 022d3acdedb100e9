// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "../imbalance/imbalance.hpp"
#include "../stencil/layout.hpp"
#include "options.hpp"

/// Command line of programs without classes; the same for a run and for a skeleton.
namespace linkworth::npb {

/// An option that one program alone takes; each has a value.
struct OptionText {
    std::string_view name;   ///< "--iterations"
    std::string_view value;  ///< "N"
    std::string_view text;
};

inline constexpr std::array kImbalanceOptions{
    OptionText{"--operations", "N", "points of the sum over all ranks (default: 4e9)"},
};
inline constexpr std::array kStencilOptions{
    OptionText{"--iterations", "N", "of 75 s model time (default: 3456, three days)"},
    OptionText{"--radiation-every", "N", "iterations between radiation steps, 0: none (default: 12)"},
    OptionText{"--radiation-bands", "N", "bands of a radiation step, at least 2 (default: 32, wrf: 256)"},
    OptionText{"--output-every", "N", "iterations between outputs, 0: none (default: 145)"},
    OptionText{"--dynamics-steps", "N", "time steps of an iteration (default: 1, wrf: 7)"},
    OptionText{"--physics-steps", "N", "steps of column physics in an iteration (default: 0, wrf: 50)"},
    OptionText{"--output-seconds", "S", "that rank 0 takes to store an output (default: 0, wrf: 8)"},
    OptionText{"--output", "FILE", "write the outputs there (default: gather them only)"},
};

/// Throws UsageError for an option that is not known; all programs have the common ones.
void check_options(std::span<const OptionText> known, const Options& options);

/// Both throw UsageError.
imbalance::Problem imbalance_problem(const Options& options);
stencil::Problem stencil_problem(const Options& options);

}  // namespace linkworth::npb
