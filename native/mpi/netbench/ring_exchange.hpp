// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>
#include <vector>

#include "rings.hpp"

namespace linkworth::netbench {

/// How each rank of a ring gives one message to each of its two neighbours: b_eff's three methods.
enum class Method { sendrecv, alltoallv, nonblocking };
inline constexpr std::array kMethods{Method::sendrecv, Method::alltoallv, Method::nonblocking};

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
