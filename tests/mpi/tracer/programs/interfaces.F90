! Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
! Two ranks; the same calls through mpif.h, the module mpi or the module mpi_f08, as INTERFACE says.
#if INTERFACE == 1
#define COMMUNICATOR integer
#define REQUEST integer
#define DATATYPE integer
#define OPERATION integer
#define WINDOW integer
#define STATUS integer, dimension(MPI_STATUS_SIZE)
#define SOURCE_OF(s) s(MPI_SOURCE)
#define USE_MPI
#define INCLUDE_MPI include 'mpif.h'
#elif INTERFACE == 2
#define COMMUNICATOR integer
#define REQUEST integer
#define DATATYPE integer
#define OPERATION integer
#define WINDOW integer
#define STATUS integer, dimension(MPI_STATUS_SIZE)
#define SOURCE_OF(s) s(MPI_SOURCE)
#define USE_MPI use mpi
#define INCLUDE_MPI
#else
#define COMMUNICATOR type(MPI_Comm)
#define REQUEST type(MPI_Request)
#define DATATYPE type(MPI_Datatype)
#define OPERATION type(MPI_Op)
#define WINDOW type(MPI_Win)
#define STATUS type(MPI_Status)
#define SOURCE_OF(s) s%MPI_SOURCE
#define USE_MPI use mpi_f08
#define INCLUDE_MPI
#endif
program interfaces
  USE_MPI
  implicit none
  INCLUDE_MPI
  integer :: rank, other, ierror, flag_count, received
  integer :: counts(2), places(2)
  real(8) :: vector(4), total(4), matrix(4, 4), edge(4)
  integer, asynchronous :: inbox(3), outbox(3)
  logical :: periods(1), flag
  COMMUNICATOR :: half, ring
  REQUEST :: requests(2)
  DATATYPE :: row
  WINDOW :: shown
  STATUS :: found
  integer(MPI_ADDRESS_KIND) :: nowhere, bytes

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  other = 1 - rank
  outbox = rank
  call MPI_Irecv(inbox, 3, MPI_INTEGER, other, 5, MPI_COMM_WORLD, requests(1), ierror)
  call MPI_Isend(outbox, 3, MPI_INTEGER, other, 5, MPI_COMM_WORLD, requests(2), ierror)
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierror)
  if (inbox(3) /= other) error stop 'Irecv'
  if (rank == 0) then
    call MPI_Send(outbox, 2, MPI_INTEGER, other, 6, MPI_COMM_WORLD, ierror)
  else
    call MPI_Recv(inbox, 3, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, found, ierror)
    if (SOURCE_OF(found) /= 0) error stop 'Recv'
  end if
  vector = rank + 1
  call MPI_Allreduce(MPI_IN_PLACE, vector, 4, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierror)
  if (vector(4) /= 3) error stop 'Allreduce'
  call MPI_Type_vector(4, 1, 4, MPI_DOUBLE_PRECISION, row, ierror)
  call MPI_Type_commit(row, ierror)
  matrix = rank
  call MPI_Sendrecv(matrix(2, 1), 1, row, other, 7, edge, 4, MPI_DOUBLE_PRECISION, other, 7, &
                    MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
  if (edge(4) /= other) error stop 'Sendrecv'
  call MPI_Type_free(row, ierror)
  counts = (/ 1, 2 /)
  places = (/ 0, 1 /)
  call MPI_Allgatherv(vector, rank + 1, MPI_DOUBLE_PRECISION, total, counts, places, &
                      MPI_DOUBLE_PRECISION, MPI_COMM_WORLD, ierror)
  call MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, half, ierror)
  call MPI_Bcast(vector, 4, MPI_DOUBLE_PRECISION, 1, half, ierror)
  periods = .true.
  call MPI_Cart_create(half, 1, (/ 2 /), periods, .false., ring, ierror)
  call MPI_Comm_free(ring, ierror)
  call MPI_Comm_free(half, ierror)
  call MPI_Comm_idup(MPI_COMM_WORLD, half, requests(1), ierror)
  call MPI_Wait(requests(1), MPI_STATUS_IGNORE, ierror)
  call MPI_Comm_free(half, ierror)
  bytes = 32
  nowhere = 0
  call MPI_Win_create(total, bytes, 8, MPI_INFO_NULL, MPI_COMM_WORLD, shown, ierror)
  call MPI_Win_fence(0, shown, ierror)
  call MPI_Put(vector, 2, MPI_DOUBLE_PRECISION, other, nowhere, 2, MPI_DOUBLE_PRECISION, shown, ierror)
  call MPI_Win_fence(0, shown, ierror)
  call MPI_Win_free(shown, ierror)
  call MPI_Barrier(MPI_COMM_WORLD, ierror)
  call MPI_Finalize(ierror)
  if (rank == 0) print '(a)', 'all right'
end program interfaces
