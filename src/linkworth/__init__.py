"""Linkworth: what every network is worth to an MPI program, from one recorded run.

The names in `__all__` are the public API (docs/reference/python.md). Each is loaded when it is first used, so that importing the
package takes milliseconds. Every other module may change without notice.
"""

import importlib
import sys
from types import ModuleType

__version__ = "0.1.0"

TYPE_CHECKING = False  # the name that type checkers know, without importing typing
if TYPE_CHECKING:
    from linkworth.api.advice import Advice, advise
    from linkworth.api.fabric import Fabric, fabrics
    from linkworth.api.predictions import Prediction, Predictions
    from linkworth.api.profile import Profile
    from linkworth.api.scaling import scale
    from linkworth.api.sweep import Sweep
    from linkworth.api.table import Table
    from linkworth.api.trace import Trace, open, record, skeleton
    from linkworth.errors import (
        DamagedInputError,
        EnvironmentLacksError,
        IncompleteError,
        LinkworthError,
        UsageError,
    )

_HOMES = {
    "open": "linkworth.api.trace",
    "record": "linkworth.api.trace",
    "skeleton": "linkworth.api.trace",
    "scale": "linkworth.api.scaling",
    "advise": "linkworth.api.advice",
    "fabrics": "linkworth.api.fabric",
    "Trace": "linkworth.api.trace",
    "Profile": "linkworth.api.profile",
    "Predictions": "linkworth.api.predictions",
    "Prediction": "linkworth.api.predictions",
    "Advice": "linkworth.api.advice",
    "Sweep": "linkworth.api.sweep",
    "Fabric": "linkworth.api.fabric",
    "Table": "linkworth.api.table",
    "LinkworthError": "linkworth.errors",
    "UsageError": "linkworth.errors",
    "EnvironmentLacksError": "linkworth.errors",
    "IncompleteError": "linkworth.errors",
    "DamagedInputError": "linkworth.errors",
}
"""Module of each public name."""

__all__ = [
    "Advice",
    "DamagedInputError",
    "EnvironmentLacksError",
    "Fabric",
    "IncompleteError",
    "LinkworthError",
    "Prediction",
    "Predictions",
    "Profile",
    "Sweep",
    "Table",
    "Trace",
    "UsageError",
    "__version__",
    "advise",
    "fabrics",
    "open",
    "record",
    "scale",
    "skeleton",
]


class _Package(ModuleType):
    """This package. `advise` and `scale` are functions here, and importing subpackages of these names replaces neither."""

    def __setattr__(self, name: str, value: object) -> None:
        if name in _HOMES and isinstance(value, ModuleType):
            return
        super().__setattr__(name, value)

    def __getattr__(self, name: str) -> object:
        home = _HOMES.get(name)
        if home is None:
            raise AttributeError(f"module 'linkworth' has no attribute {name!r}")
        value = getattr(importlib.import_module(home), name)
        super().__setattr__(name, value)
        return value

    def __dir__(self) -> list[str]:
        return sorted({*__all__, *(name for name in super().__dir__() if name.startswith("__"))})


sys.modules[__name__].__class__ = _Package
