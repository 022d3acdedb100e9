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
    """As typed by the user before the class or the argument: `npb:ft`, `stencil`."""
    title: str
    description: str
    classes: list[str] = []
    """Problem sizes by letter, for the programs that have them (`npb:ft.S`)."""
    argument: str = ""
    """What stands after the colon where there are no classes."""
    example: str = ""
    """An argument, where there are no classes."""
    options: list[str] = []
    """What may follow the name, each with its value and meaning."""
    rank_rule: str
    """One sentence that says which rank counts work."""
    calibrate_with: str = ""
    """The run on one rank that gives a skeleton's computation its time, of a few seconds at most; see `calibration`."""

    @property
    def command(self) -> str:
        """The smallest thing to type: `npb:ft.S`, `imbalance:3`."""
        return f"{self.name}.{self.classes[0]}" if self.classes else f"{self.name}:{self.example}"

    @property
    def calibration(self) -> str:
        """The command of that run: by default class W, or the example."""
        return self.calibrate_with or (f"{self.name}.W" if self.classes else self.command)
