// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
/// Records of partitioned point-to-point communication.
#ifndef LINKWORTH_PARTITIONED_H
#define LINKWORTH_PARTITIONED_H

#include "point_to_point.h"

#pragma GCC visibility push(hidden)

/// LW_PSEND_INIT or LW_PRECV_INIT. MESSAGE describes one partition.
void lw_record_partitioned(struct lw_call* call, enum lw_class class, struct lw_message message,
                           int partitions, const MPI_Request* request);
/// MPI_Pready (FIRST == LAST) and MPI_Pready_range.
void lw_record_ready(struct lw_call* call, MPI_Request request, int first, int last);
void lw_record_ready_list(struct lw_call* call, MPI_Request request, int count, const int* partitions);
void lw_record_arrived(struct lw_call* call, MPI_Request request, int partition, bool arrived);

#pragma GCC visibility pop
#endif
