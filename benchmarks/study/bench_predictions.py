"""Time of all predictions of a full-size study: eight programs, four classes and two networks on 64 ranks.

`studies/interconnects.toml --scale predict` is to take less than 120 s on two cores. The baseline is the same in one process.
"""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

STUDY = Path(__file__).parents[2] / "studies" / "interconnects.toml"
LIMIT_SECONDS = 120.0


def timed(folder: Path, *options: str) -> float:
    """Return the wall time of the study in a fresh folder; one that is not done ends the benchmark with what it said."""
    command = [sys.executable, "-m", "linkworth", "study", "run", str(STUDY), "--scale", "predict"]
    began = time.monotonic()
    done = subprocess.run(
        [*command, "--folder", str(folder), *options], capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        sys.exit(f"the study ended with {done.returncode}:\n{done.stdout}{done.stderr[-4000:]}")
    return time.monotonic() - began


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="linkworth-predictions-") as name:
        all_cores = timed(Path(name) / "all.study")
        alone = timed(Path(name) / "one.study", "--max-parallel", "1")
    print(
        f"all predictions          {all_cores:7.1f} s  (limit {LIMIT_SECONDS:g} s: {all_cores / LIMIT_SECONDS:.2f})"
    )
    print(f"in one process           {alone:7.1f} s")
    print(f"all cores / one process  {all_cores / alone:7.2f}")


if __name__ == "__main__":
    main()
