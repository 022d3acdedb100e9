"""Print the requirements of the dependency groups named (`extras.py test lint`), one a line; `needed` are the mandatory ones.

They are installed from here rather than as `.[test,lint]`, so that adding a tool does not rebuild the engine.
"""

import sys
import tomllib
from pathlib import Path

project = tomllib.loads((Path(__file__).parent.parent / "pyproject.toml").read_text())["project"]
groups = {"needed": project["dependencies"], **project["optional-dependencies"]}
for group in sys.argv[1:]:
    sys.stdout.writelines(f"{requirement}\n" for requirement in groups[group])
