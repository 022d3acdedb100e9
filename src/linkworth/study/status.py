"""State of a study."""

from collections.abc import Sequence

import msgspec

from linkworth.study.matrix import PlannedRun
from linkworth.study.progress import Estimate, counts
from linkworth.study.store import Store


class Status(msgspec.Struct, frozen=True, kw_only=True):
    """State of a study after a call."""

    schema: str = "linkworth.study-status/1"
    folder: str
    study: str
    scale: str = ""
    total: int
    """Runs that the study (or the filter of the call) asks for."""
    done: int
    unverified: int
    failed: int
    timeout: int
    open: int
    running: bool = False
    remaining_seconds: float | None = None
    problems: dict[str, str] = msgspec.field(default_factory=dict)
    """Causes by run, for runs that are not good or whose record is unusable."""
    waiting: list[str] = msgspec.field(default_factory=list)
    """Conditions that open predictions wait for."""

    @property
    def exit_code(self) -> int:
        """0 if all are done, 1 if some failed or are not verified, 4 if some are open."""
        return 4 if self.open else 1 if self.total > self.done else 0


def status_of(
    store: Store, chosen: Sequence[PlannedRun] | None = None, waiting: Sequence[str] = ()
) -> Status:
    """Return the state of a study: all of it, or the chosen runs."""
    chosen = store.planned if chosen is None else chosen
    records = [record for record in (store.record(planned) for planned in chosen) if record is not None]
    made = {record.run for record in records}
    still_open = [planned for planned in chosen if planned.run not in made]
    found = counts(records)
    return Status(
        folder=str(store.folder),
        study=store.study.title or store.study.name,
        scale=store.study.scale,
        total=len(chosen),
        open=len(still_open),
        running=store.running,
        remaining_seconds=Estimate(records).remaining(still_open),
        problems={record.run: record.cause for record in records if record.state != "done"}
        | {each.run: store.unusable[each.run] for each in still_open if each.run in store.unusable},
        waiting=list(waiting),
        done=found["done"],
        unverified=found["unverified"],
        failed=found["failed"],
        timeout=found["timeout"],
    )
