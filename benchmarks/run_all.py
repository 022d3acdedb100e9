"""Run every benchmark (`bench_*.py` below this folder) one after another; arguments pick those whose path contains them."""

import datetime
import os
import platform
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent


def processor() -> str:
    """Return the processor's name as the kernel gives it."""
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()


def main() -> int:
    """Run the benchmarks; return 1 when one of them failed or none was found."""
    chosen = [
        path
        for path in sorted(HERE.rglob("bench_*.py"))
        if not sys.argv[1:] or any(word in str(path.relative_to(HERE)) for word in sys.argv[1:])
    ]
    if not chosen:
        sys.stderr.write(f"no benchmark matches {' '.join(sys.argv[1:])}\n")
        return 1
    print(f"date      {datetime.datetime.now(datetime.UTC):%Y-%m-%d %H:%M} UTC")
    print(f"machine   {processor()}, {len(os.sched_getaffinity(0))} cores, Linux {platform.release()}")
    print(f"load      {os.getloadavg()[0]:.2f} (a figure taken above 0.5 is not worth recording)")
    failed = []
    for path in chosen:
        name = path.relative_to(HERE.parent)
        print(f"\n== {name}", flush=True)
        if subprocess.run([sys.executable, str(path)], check=False).returncode != 0:
            failed.append(str(name))
    if failed:
        print(f"\nfailed: {', '.join(failed)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
