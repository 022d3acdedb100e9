"""Two ranks; messages of Python objects and of buffers, a window, and a communicator with neighbours."""

from array import array

from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, other = comm.rank, 1 - comm.rank
got = comm.sendrecv({"rank": rank}, dest=other, source=other)
assert got == {"rank": other}
if rank == 0:
    comm.send(["a", 1], dest=1, tag=3)
else:
    assert comm.recv(source=MPI.ANY_SOURCE, tag=MPI.ANY_TAG) == ["a", 1]
mine, total = array("d", [rank] * 5), array("d", [0] * 5)
comm.Allreduce(mine, total)
assert total[4] == 1
grid = comm.Create_cart([2], periods=[True])
gathered = array("d", [0] * 10)
grid.Neighbor_allgather(mine, gathered)
assert gathered[9] == other
grid.Free()
window = MPI.Win.Allocate(40, 8, comm=comm)
window.Fence()
window.Put(mine, other)
window.Fence()
window.Free()
if rank == 0:
    print("all right")
