"""Print the requirements of the optional dependency groups named (`extras.py test lint`), one a line.

They are installed from here rather than as `.[test,lint]`, so that adding a tool does not rebuild the engine.
"""

import sys
import tomllib
from pathlib import Path

project = tomllib.loads((Path(__file__).parent.parent / "pyproject.toml").read_text())["project"]
for extra in sys.argv[1:]:
    sys.stdout.writelines(f"{requirement}\n" for requirement in project["optional-dependencies"][extra])
