"""Write the recipes of a release into a folder, for Spack, conda-forge, Docker, Apptainer and environment modules.

    python scripts/recipes.py SDIST FOLDER

Requirements come from pyproject.toml, the version and the checksum from the source distribution. So no recipe repeats them.
"""

import hashlib
import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
TEMPLATES = ROOT / "packaging"


def requirement(text: str) -> tuple[str, str]:
    """Return the name of a Python requirement and its lowest version, "" if it has none."""
    name, _, version = text.partition(">=")
    return name.strip(), version.strip()


def spack_line(text: str, kind: str) -> str:
    """Return Spack's directive of a Python requirement."""
    name, version = requirement(text)
    spec = f"py-{name.lower()}" + (f"@{version}:" if version else "")
    return f'    depends_on("{spec}", type={kind})'


def conda_line(text: str) -> str:
    """Return conda's line of a Python requirement."""
    name, version = requirement(text)
    return f"    - {name.lower()}" + (f" >={version}" if version else "")


def values(sdist: Path) -> dict[str, str]:
    """Return the values of the templates' placeholders. Raises SystemExit if the file is no source distribution."""
    found = re.fullmatch(r"linkworth-(.+)\.tar\.gz", sdist.name)
    if not found or not sdist.is_file():
        raise SystemExit(
            f"{sdist}: not a source distribution (linkworth-VERSION.tar.gz); make one with: make recipes"
        )
    document = tomllib.loads((ROOT / "pyproject.toml").read_text())
    project, build = document["project"], document["build-system"]["requires"]
    return {
        "version": found[1],
        "sha256": hashlib.sha256(sdist.read_bytes()).hexdigest(),
        "summary": project["description"],
        "python": project["requires-python"].removeprefix(">="),
        "spack_build": "\n".join(spack_line(text, '"build"') for text in build),
        "spack_run": "\n".join(spack_line(text, '("build", "run")') for text in project["dependencies"]),
        "conda_build": "\n".join(map(conda_line, build)),
        "conda_run": "\n".join(map(conda_line, project["dependencies"])),
    }


def main(sdist: str, folder: str) -> None:
    """Fill every template."""
    filled = values(Path(sdist))
    for template in sorted(path for path in TEMPLATES.rglob("*") if path.is_file() and path.suffix != ".md"):
        text = re.sub(r"@(\w+)@", lambda found: filled[found[1]], template.read_text())
        target = Path(folder) / str(template.relative_to(TEMPLATES)).removesuffix(".in")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
        sys.stdout.write(f"{target}\n")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    main(*sys.argv[1:])
