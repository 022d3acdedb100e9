// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "registry.hpp"

/// One function per program: checks class and rank count, runs it with its real arithmetic, and verifies.
namespace linkworth::npb {

Outcome run_bt(MpiCommunicator& world, const Options& options);
Outcome run_cg(MpiCommunicator& world, const Options& options);
Outcome run_ep(MpiCommunicator& world, const Options& options);
Outcome run_ft(MpiCommunicator& world, const Options& options);
Outcome run_is(MpiCommunicator& world, const Options& options);
Outcome run_lu(MpiCommunicator& world, const Options& options);
Outcome run_mg(MpiCommunicator& world, const Options& options);
Outcome run_sp(MpiCommunicator& world, const Options& options);
Outcome run_imbalance(MpiCommunicator& world, const Options& options);
Outcome run_stencil(MpiCommunicator& world, const Options& options);

}  // namespace linkworth::npb
