// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "rings.hpp"
#include "settings.hpp"

namespace linkworth::netbench {

/// Buffers for the messages of one rank to both of its neighbours.
class RingExchange {
  public:
    RingExchange(MPI_Comm comm, std::int64_t longest);

    void run(Method method, const Neighbours& neighbours, std::int64_t bytes);

  private:
    void by_sendrecv(const Neighbours& neighbours, int bytes);
    void by_alltoallv(const Neighbours& neighbours, int bytes);
    void by_nonblocking(const Neighbours& neighbours, int bytes);

    MPI_Comm comm_;
    std::vector<char> out_, in_;
    std::vector<int> counts_, places_;
};

}  // namespace linkworth::netbench
