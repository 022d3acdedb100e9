"""Filter of `study run`, which selects some of a study's runs."""

from collections.abc import Iterable, Sequence

from linkworth.catalog.assignment import split_words
from linkworth.errors import UsageError
from linkworth.model.study import Study, Value
from linkworth.study.definition.variables import as_text
from linkworth.study.matrix import PlannedRun
from linkworth.study.patterns import matches


class Filter:
    """`workload=npb:ft.*,npb:is.* environment=gbe class=B`: all terms must match, each by one of its patterns."""

    KEYS = ("workload", "environment", "mode", "repetition")

    def __init__(self, expressions: Iterable[str], variables: Iterable[str] = ()) -> None:
        """Raises UsageError for a term that cannot be understood, and for a key that the study does not have."""
        known = (*self.KEYS, *variables)
        self.terms: list[tuple[str, list[str]]] = []
        for term in (word for expression in expressions for word in split_words(expression, "`filter`")):
            key, equals, patterns = term.partition("=")
            if not equals or not patterns:
                raise UsageError(f"`filter` {term!r}: write KEY=PATTERN, for example workload=npb:ft.*")
            if key not in known:
                raise UsageError(f"`filter` {term!r}: there is no {key!r}; choose {', '.join(known)}")
            self.terms.append((key, patterns.split(",")))

    def fits(self, planned: PlannedRun) -> bool:
        """Return whether a run is selected."""
        values: dict[str, Value] = {
            **planned.environment.variables,
            **planned.workload.variables,
            "workload": planned.workload.name,
            "environment": planned.environment.name,
            "mode": planned.mode,
            "repetition": planned.repetition,
        }
        return all(key in values and matches(as_text(values[key]), patterns) for key, patterns in self.terms)


def selected(study: Study, runs: Sequence[PlannedRun], expressions: Sequence[str]) -> list[PlannedRun]:
    """Return the runs that the expressions select, all without any. Raises UsageError if they select none."""
    if not expressions:
        return list(runs)
    names = {name for entry in study.workloads for name in entry.variables}
    names |= {name for entry in study.environments for name in entry.variables}
    by = Filter(expressions, sorted(names))
    found = [planned for planned in runs if by.fits(planned)]
    if not found:
        raise UsageError("`filter` fits no run of the study; its plan lists all runs")
    return found
