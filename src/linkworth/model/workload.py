"""An MPI program, its arguments and its rank count."""

import msgspec


class Workload(msgspec.Struct, frozen=True, kw_only=True):
    """What is run. `command` is the program with its arguments, without a launcher."""

    name: str
    """Short name for tables: `npb:ft.W`, or the program's base name."""
    command: list[str]
    ranks: int


class App(msgspec.Struct, frozen=True, kw_only=True):
    """A bundled program that `linkworth apps` lists."""

    name: str
    """As typed by the user before the class: `npb:ft`."""
    title: str
    description: str
    classes: list[str]
    rank_rule: str
    """One sentence that says which rank counts work."""
