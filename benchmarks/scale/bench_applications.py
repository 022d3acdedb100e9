"""Scaling programs that nobody here wrote: from smaller recordings, against a real recording at the larger count.

    python benchmarks/scale/bench_applications.py [--recordings FOLDER] [--programs melt,poisson]

LAMMPS (a melt in a cube, in a long box and in one that grows with the ranks, a drop, and copper), quantum-espresso's pw.x,
NWChem, Meep, programs of PETSc and FFTW, a factorisation in block columns, the HPC Challenge suite, and programs in Python with
mpi4py's buffers, with its pickled objects, with reductions of them and with mpi4py-fft (Debian's), all with more ranks than
cores. The predicted times of the scaled trace on 4 nodes are compared with those of the recording at that count. Recordings in
FOLDER are used again.
"""

import argparse
import shutil
import statistics
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from bench_scale import folder_of

from linkworth import _engine
from linkworth.catalog import fabrics
from linkworth.predict import predict
from linkworth.replay.layout import Arrangement, block
from linkworth.replay.run import replay
from linkworth.scale import ScaleRequest, scale

FABRICS = ("gbe", "ib-hdr")
NODES = 4
LIMIT = 0.15

MELT = """units lj
atom_style atomic
lattice fcc 0.8442
region box block 0 20 0 20 0 20
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 3.0 87287
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
neighbor 0.3 bin
neigh_modify every 20 delay 0 check no
fix 1 all nve
thermo 50
run 50
"""

LONG_MELT = MELT.replace("0 20 0 20 0 20", "0 40 0 10 0 20")

GROWING_MELT = MELT.replace(
    "region box block 0 20 0 20 0 20",
    "variable x equal 8*COLUMNS\nvariable y equal 8*ROWS\nregion box block 0 $x 0 $y 0 8",
)

DROP = MELT.replace("create_atoms 1 box", "region drop sphere 6 6 6 5\ncreate_atoms 1 region drop").replace(
    "every 20 delay 0 check no", "every 5 delay 0 check yes"
)

METAL = """units metal
atom_style atomic
lattice fcc 3.615
region box block 0 12 0 12 0 12
create_box 1 box
create_atoms 1 box
pair_style eam
pair_coeff 1 1 /usr/share/lammps/potentials/Cu_u3.eam
velocity all create 1600.0 376847
neighbor 1.0 bin
neigh_modify every 1 delay 5 check yes
fix 1 all nve
timestep 0.005
thermo 50
run 30
"""

SILICON = """&control
 calculation='scf', prefix='si', pseudo_dir='/usr/share/espresso/pseudo', outdir='./out', disk_io='none'
/
&system
 ibrav=1, celldm(1)=10.26, nat=8, ntyp=1, ecutwfc=16.0
/
&electrons
 conv_thr=1e-6, diagonalization='cg'
/
ATOMIC_SPECIES
 Si 28.086 Si.pz-vbc.UPF
ATOMIC_POSITIONS crystal
 Si 0.00 0.00 0.00
 Si 0.50 0.50 0.00
 Si 0.50 0.00 0.50
 Si 0.00 0.50 0.50
 Si 0.25 0.25 0.25
 Si 0.75 0.75 0.25
 Si 0.75 0.25 0.75
 Si 0.25 0.75 0.75
K_POINTS gamma
"""

SUITE = """HPL's input, which the whole suite reads

HPL.out
8     device
1     problem
800   N
1     block size
40    NB
0     order of ranks
1     grid
ROWS  P
COLUMNS  Q
16.0  threshold
1     panel factorisation
2
1     recursion ends
4
1     panels
2
1     recursive factorisation
1
1     broadcast
1
1     depth
1
2     swaps
64
0     L1
0     U
1     equilibration
8     alignment
"""

HALO = """from mpi4py import MPI
import numpy as np
world = MPI.COMM_WORLD
dims = MPI.Compute_dims(world.size, 2)
grid = world.Create_cart(dims, periods=[True, True])
x, y = grid.coords
n = 1200
nx, ny = n // dims[0] + (x < n % dims[0]), n // dims[1] + (y < n % dims[1])
u = np.random.rand(nx + 2, ny + 2)
left, right = grid.Shift(0, 1)
below, above = grid.Shift(1, 1)
row = grid.Sub([False, True])
for step in range(30):
    line = np.empty(ny)
    grid.Sendrecv(u[1, 1:-1].copy(), dest=left, recvbuf=line, source=right)
    u[-1, 1:-1] = line
    grid.Sendrecv(u[-2, 1:-1].copy(), dest=right, recvbuf=line, source=left)
    u[0, 1:-1] = line
    line = np.empty(nx)
    grid.Sendrecv(u[1:-1, 1].copy(), dest=below, recvbuf=line, source=above)
    u[1:-1, -1] = line
    grid.Sendrecv(u[1:-1, -2].copy(), dest=above, recvbuf=line, source=below)
    u[1:-1, 0] = line
    v = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])
    most = np.empty(1)
    grid.Allreduce(np.array([abs(v - u[1:-1, 1:-1]).max()]), most, op=MPI.MAX)
    row.Allreduce(np.array([float(nx)]), most)
    u[1:-1, 1:-1] = v
    if step % 10 == 0:
        parts = grid.gather((x, y, float(v.sum())), root=0)
"""


OBJECTS = """from mpi4py import MPI
world = MPI.COMM_WORLD
me, n = world.rank, world.size
config = world.bcast({"steps": 12, "cells": 200000, "names": ["u", "v"]} if me == 0 else None, root=0)
mine = [0.5 * i for i in range(config["cells"] // n)]
for step in range(config["steps"]):
    if me + 1 < n:
        world.send({"step": step, "edge": mine[-1]}, dest=me + 1, tag=step)
    if me > 0:
        edge = world.recv(source=me - 1, tag=step)
    mine = [x * 0.999 + 1e-6 for x in mine]
    for _ in range(20):
        mine = [x * 0.999 + 1e-6 for x in mine]
    total = sum(mine)
    parts = world.gather({"rank": me, "sum": total}, root=0)
    if step % 4 == 0:
        limit = world.bcast(max(p["sum"] for p in parts) if me == 0 else None, root=0)
rows = world.gather(mine, root=0)
back = world.scatter(rows, root=0)
everyone = world.allgather((me, len(back)))
"""


REDUCTIONS = """from mpi4py import MPI
world = MPI.COMM_WORLD
me, n = world.rank, world.size
mine = [0.5 * i for i in range(3000000 // n)]
for step in range(8):
    mine = [x * 0.999 + 1e-6 for x in mine]
    total = world.allreduce(sum(mine))
    most = world.reduce(max(mine), op=MPI.MAX, root=0)
    before = world.scan(len(mine))
    first = world.exscan(len(mine))
"""


WATER = """start water
geometry units au noautosym
 O 0 0 0
 H 0 1.43 -1.1
 H 0 -1.43 -1.1
end
basis
 * library 6-31g*
end
dft
 xc b3lyp
 iterations 30
end
task dft gradient
"""

WAVEGUIDE = """(set! geometry-lattice (make lattice (size 16 8 no-size)))
(set! geometry (list (make block (center 0 0) (size infinity 1 infinity) (material (make dielectric (epsilon 12))))))
(set! sources (list (make source (src (make continuous-src (frequency 0.15))) (component Ez) (center -7 0))))
(set! pml-layers (list (make pml (thickness 1.0))))
(set! resolution 20)
(run-until 4)
"""

PENCILS = """from mpi4py import MPI
from mpi4py_fft import PFFT, newDistArray
fft = PFFT(MPI.COMM_WORLD, [50, 50, 50], axes=(0, 1, 2), dtype=float)
u = newDistArray(fft, False)
u[:] = 1.0
for step in range(6):
    u = fft.backward(fft.forward(u), u)
    total = MPI.COMM_WORLD.allreduce(float(u[:].sum()))
"""


class Program(NamedTuple):
    """A program, and the counts to record and to reach."""

    launcher: list[str]
    command: list[str]
    counts: tuple[int, ...]
    large: int
    text: str = ""
    """Input; ROWS and COLUMNS stand for the process grid."""
    file: str = ""
    """File of the input; empty: the one that the command names last."""
    libraries: str = ""
    """Libraries of a program in C here, as the compiler or pkg-config takes them."""
    grows: bool = False
    """The problem is as large as the rank count, and is otherwise one for all."""


OPEN_MPI = ["mpirun.openmpi", "--oversubscribe", "--allow-run-as-root"]
LAMMPS = ["lmp", "-log", "none", "-in"]
COUNTS = (4, 8, 16, 32)
PROGRAMS = {
    "melt": Program(OPEN_MPI, [*LAMMPS, "in.melt"], COUNTS, 64, MELT),
    "long-melt": Program(OPEN_MPI, [*LAMMPS, "in.long"], COUNTS, 64, LONG_MELT),
    "growing-melt": Program(OPEN_MPI, [*LAMMPS, "in.growing"], COUNTS[:3], 32, GROWING_MELT, grows=True),
    "drop": Program(OPEN_MPI, [*LAMMPS, "in.drop"], COUNTS, 64, DROP),
    "copper": Program(OPEN_MPI, [*LAMMPS, "in.copper"], COUNTS, 64, METAL),
    "pw.x": Program(OPEN_MPI, ["pw.x", "-ndiag", "1", "-in", "si.in"], (4, 8, 16), 32, SILICON),
    "water": Program(OPEN_MPI, ["nwchem.openmpi", "water.nw"], (4, 8, 16), 32, WATER),
    "waveguide": Program(OPEN_MPI, ["meep", "waveguide.ctl"], (4, 8, 16), 32, WAVEGUIDE),
    "poisson": Program(
        OPEN_MPI, ["./poisson", "-ksp_type", "cg", "-pc_type", "jacobi"], COUNTS, 64, libraries="petsc"
    ),
    "multigrid": Program(
        OPEN_MPI, ["./poisson", "-ksp_type", "cg", "-pc_type", "gamg"], COUNTS, 64, libraries="petsc"
    ),
    "suite": Program(OPEN_MPI, ["hpcc"], COUNTS[:3], 32, SUITE, file="hpccinf.txt"),
    "fourier": Program(OPEN_MPI, ["./fourier"], COUNTS, 64, libraries="-lfftw3_mpi -lfftw3 -lm"),
    "factors": Program(OPEN_MPI, ["./factors"], COUNTS, 64, libraries="-lm"),
    "objects": Program(["mpiexec"], [sys.executable, "objects.py"], COUNTS, 64, OBJECTS),
    "reductions": Program(OPEN_MPI, [sys.executable, "reductions.py"], COUNTS, 64, REDUCTIONS),
    "pencils": Program(OPEN_MPI, ["/usr/bin/python3", "pencils.py"], (4, 8, 16), 32, PENCILS),
    "halo": Program(["mpiexec"], [sys.executable, "halo.py"], COUNTS, 64, HALO),
}


def compiled(name: str, libraries: str, folder: Path) -> None:
    """Compile a program in C here, unless it is there."""
    if (folder / name).exists():
        return
    if not libraries.startswith("-"):
        found = subprocess.run(
            ["pkg-config", "--cflags", "--libs", libraries], check=True, capture_output=True, text=True
        )
        libraries = found.stdout
    source = Path(__file__).with_name(f"{name}.c")
    compiler = ["mpicc.openmpi", "-O2", str(source), "-o", str(folder / name)]
    subprocess.run([*compiler, *libraries.split()], check=True)


def recorded(name: str, ranks: int, folder: Path) -> Path:
    """Return a recording, made if it is not there."""
    program = PROGRAMS[name]
    path = folder / f"{name}-{ranks}.lwt"
    if not path.exists():
        if program.libraries:
            compiled(program.command[0].removeprefix("./"), program.libraries, folder)
        else:
            rows = 1 << (ranks.bit_length() - 1) // 2
            text = program.text.replace("ROWS", str(rows)).replace("COLUMNS", str(ranks // rows))
            (folder / (program.file or program.command[-1])).write_text(text, encoding="utf-8")
        launch = [*program.launcher, "-n", str(ranks), *program.command]
        command = ["linkworth", "trace", "-o", str(path), "--", *launch]
        subprocess.run(command, check=True, capture_output=True, cwd=folder)
    return path


def measure(name: str, folder: Path) -> float:
    """Scale one program, print how it compares, and return the median difference of its predicted times."""
    program = PROGRAMS[name]
    small = [recorded(name, ranks, folder) for ranks in program.counts]
    wanted = _engine.Trace(str(recorded(name, program.large, folder)))
    path = folder / "scaled.lwt"
    request = ScaleRequest(
        traces=small,
        ranks=program.large,
        output=path,
        replace=True,
        sizes=program.counts if program.grows else (),
        to_size=program.large if program.grows else None,
    )
    summary = scale(request)
    on = fabrics.get_each(FABRICS)
    ratios = []
    for each in predict(path, on, Arrangement(nodes=NODES)).predictions:
        real = replay(wanted, fabrics.get(each.fabric), block(program.large, NODES)).seconds
        assert each.interval is not None
        inside = each.interval.low_seconds <= real <= each.interval.high_seconds
        ratios.append(each.seconds / real)
        print(
            f"{name} {program.large} ranks, {each.fabric}: {each.seconds:.4g} s of {real:.4g} s, {ratios[-1]:.3f}, "
            f"{'inside' if inside else 'outside'} the 90 % interval"
        )
    for doubt in summary.scaling.remarks:
        print(f"  {doubt}")
    return statistics.median(abs(ratio - 1) for ratio in ratios)


def main() -> int:
    """Compare the programs that are there; return 1 where the median difference is above the limit."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--recordings", type=Path, help="folder with recordings, in which new ones are kept")
    parser.add_argument("--programs", default=",".join(PROGRAMS))
    asked = parser.parse_args()
    with folder_of(asked.recordings) as folder:
        found = []
        for name in asked.programs.split(","):
            program = PROGRAMS[name]
            tools = [program.launcher[0], "mpicc.openmpi" if program.libraries else program.command[0]]
            missing = [tool for tool in tools if shutil.which(tool) is None]
            if missing:
                print(f"{name}: not measured, no {' and no '.join(missing)} here")
                continue
            found.append(measure(name, folder))
    return 0 if all(each <= LIMIT for each in found) else 1


if __name__ == "__main__":
    sys.exit(main())
