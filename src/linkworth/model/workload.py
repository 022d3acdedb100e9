"""An MPI program, its arguments and its rank count."""

import msgspec


class Workload(msgspec.Struct, frozen=True, kw_only=True):
    """A program to run. `command` is the program with its arguments, without a launcher."""

    name: str
    """Short name for tables: `npb:ft.W`, or the program's base name."""
    command: list[str]
    ranks: int


class App(msgspec.Struct, frozen=True, kw_only=True):
    """A bundled program that `linkworth apps` lists."""

    name: str
    """Name that the user types before the class or the argument: `npb:ft`, `stencil`."""
    title: str
    description: str
    classes: list[str] = []
    """Problem sizes by letter, if the program has them (`npb:ft.S`)."""
    argument: str = ""
    """Text after the colon, if there are no classes."""
    example: str = ""
    """Example of an argument, if there are no classes."""
    options: list[str] = []
    """Options that may follow the name, each with its value and meaning."""
    rank_rule: str
    """One sentence on the rank counts that work."""
    calibrate_with: str = ""
    """Short run on one rank that times a skeleton's computation, a minute at most. See `calibration`."""

    @property
    def command(self) -> str:
        """The shortest valid command: `npb:ft.S`, `imbalance:3`."""
        return f"{self.name}.{self.classes[0]}" if self.classes else f"{self.name}:{self.example}"

    @property
    def calibration(self) -> str:
        """The command of that run: by default class W, or the example."""
        return self.calibrate_with or (f"{self.name}.W" if self.classes else self.command)
