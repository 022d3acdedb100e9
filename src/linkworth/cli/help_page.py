"""Order of a help page: verbs and options in panels, and two examples of each verb."""

import copy

import rich_click as click

from linkworth.cli.bench_options import measuring_options
from linkworth.cli.place_options import place_options
from linkworth.cli.rate_options import rate_options
from linkworth.cli.replay_options import PLACEMENT_AND_SETTINGS

LONG = 12
"""Number of options beyond which a verb shows them in panels."""
_PANELS = {
    "Replay": PLACEMENT_AND_SETTINGS,
    "Place": place_options.parameters,
    "Measurement": measuring_options.parameters,
    "Prices and goal": (
        "assignments", "core_hours", "on_premises", "catalog", "region", "instances", "market", "goal",
        "budget", "deadline", "draws",
    ),
    "Speed of a program without a trace": rate_options.parameters,
}  # fmt: skip
"""Parameters by title. All others are main options."""
_MARKS = {"Place": "lab", "Measurement": "window"}
"""Parameter by title; a verb without it has no such panel, since several verbs share other names."""
EXAMPLES = {
    "demo": ("demo", "demo --ranks 8 -o demo"),
    "doctor": ("doctor", "doctor --json"),
    "apps": ("apps", "apps show npb:ft"),
    "fabrics": ("fabrics", "fabrics show ib-hdr"),
    "machines": ("machines", "machines show laptop"),
    "prices": ("prices", "prices show azure"),
    "lab": ("lab up --like gbe --nodes 4", "lab exec gbe -n 4 -- ./program"),
    "run": ("run -n 8 -- ./program input.dat", "run --profile -n 8 npb:ft.W"),
    "trace": ("trace -n 8 -o app.lwt -- ./program input.dat", "trace --skeleton -n 1024 -o lu.lwt npb:lu.D"),
    "profile": ("profile app.lwt", "profile large.lwt --smaller small.lwt --full"),
    "bench": (
        "bench latency bandwidth -o here.json",
        "bench collectives --lab gbe -n 8 --sizes 1K,64K",
        "bench init -n 8 -o here-startup.json",
        "bench init --hostfile hosts --nodes 4 -o startup.json",
    ),
    "calibrate": ("calibrate here.json -o mine.toml", "calibrate osu.txt --base gbe --plot fit.svg"),
    "convert": ("convert app.lwt --to perfetto", "convert run.otf2 -o app.lwt"),
    "scale": (
        "scale app-4.lwt app-16.lwt app-64.lwt -n 512 -o app-512.lwt",
        "scale a.lwt b.lwt c.lwt --size 100,200,400 --to-size 1600 -n 64 -o d.lwt",
    ),
    "predict": (
        "predict app.lwt --on gbe --on ib-hdr --nodes 4",
        "predict npb:lu.D -n 64 --on gbe --measured gbe=124.5",
    ),
    "sweep": (
        "sweep app.lwt --on gbe --vary latency=1us..100us:10",
        "sweep app.lwt --on gbe --on ib-hdr --nodes 2,4,8 -o points.csv",
    ),
    "advise": (
        "advise app.lwt --price gbe=0.78 --price ib-hdr=1.30",
        "advise npb:ft.C -n 64 --nodes 4,8 --prices azure --region eastus --deadline 3600",
    ),
    "study": ("study run first.toml", "study report first.study --format csv"),
    "allocate": ("allocate queue.toml --goal makespan", "allocate queue.toml --as sbatch"),
    "report": ("report runs -o report.html", "report app.lwt --price gbe=0.78 --price ib-hdr=1.30 --nodes 4"),
}
"""Examples by verb, to follow `linkworth`."""


def arranged(command: click.Command, verb: str) -> click.Command:
    """Return a copy of the command for its help page: with examples, and with options in panels if there are many."""
    command = copy.copy(command)
    command.params = [copy.copy(parameter) for parameter in command.params]
    options = [parameter for parameter in command.params if isinstance(parameter, click.RichOption)]
    there = {option.name for option in options}
    titles = {
        name: title
        for title, names in _PANELS.items()
        if title not in _MARKS or _MARKS[title] in there
        for name in names
    }
    for option in options:
        if len(options) > LONG:
            option.panel = titles.get(option.name or "", "Main options")
        # One name is enough, and fits the column: that which changes the default.
        long = [name for name in option.opts if name.startswith("--")]
        named = long[:1]
        if option.secondary_opts and option.default is True:
            named = option.secondary_opts[:1]
            option.show_default = "with " + long[0].removeprefix("--")
        option.opts = [*(name for name in option.opts if name not in long), *named]
        option.secondary_opts = []
    command.epilog = "\n\n".join(["Examples:", *(f"linkworth {example}" for example in EXAMPLES[verb])])
    return command
