"""Whole numbers separated by commas, as the type of an option."""

import rich_click as click


class NumberList(click.ParamType[tuple[int, ...]]):
    """`1,2,4`: one or more whole numbers of at least 1."""

    def __init__(self, what: str) -> None:
        """Count `what`, a word for error messages."""
        self.name = "numbers"
        self._what = what

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, ...]:
        """Return the numbers of a text."""
        if isinstance(value, tuple):
            return value
        words = str(value).split(",")
        if not all(word.strip().isascii() and word.strip().isdecimal() and int(word) > 0 for word in words):
            self.fail(
                f"{value!r}: give numbers of {self._what} of at least 1, such as 2 or 1,2,4", param, ctx
            )
        return tuple(int(word) for word in words)
