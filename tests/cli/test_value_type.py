"""Types of options under any version of click."""

import subprocess
import sys

VERBS = """
import importlib
import rich_click
rich_click.ParamType.__class_getitem__ = None
from linkworth.cli.main import VERBS
for verb in VERBS:
    importlib.import_module(f"linkworth.cli.{verb}")
"""


def test_verbs_load_with_a_click_whose_types_are_not_generic() -> None:
    """An environment or PYTHONPATH may have a click before 8.4, which has no generic types."""
    subprocess.run([sys.executable, "-c", VERBS], check=True)
