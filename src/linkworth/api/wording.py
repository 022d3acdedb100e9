"""Messages of errors in the words of the API: a message of the packages below may name a verb of the command line."""

import contextlib
import re
from collections.abc import Iterator

from linkworth.errors import LinkworthError

_WORDS = (
    (re.compile(r"`?linkworth fabrics`?"), "`linkworth.fabrics()`"),
    (
        re.compile(r"use `price` FABRIC=USD_PER_NODE_HOUR or `prices` CATALOG"),
        "`prices` are US dollars for an hour of a node by network, as {'gbe': 0.78}, or the name of a catalog",
    ),
    (re.compile(r"give it with `price` (\S+)=USD_PER_NODE_HOUR"), r"add \1 to `prices`"),
    (re.compile(r"`price` '(\S+)=(\S+)'"), r"`prices` of \1"),
    (re.compile(r"see: linkworth apps"), "docs/reference/npb.md lists them"),
    (re.compile(r"make a trace of it with `linkworth convert [^`]*`"), "convert it to a trace (*.lwt)"),
    (
        re.compile(r"make a trace of them with linkworth trace `merge` \S+ `output` \S+"),
        "they can be merged later",
    ),
    (re.compile(r"a recording by linkworth trace"), "a recording by `linkworth.record`"),
    (re.compile(r"\(linkworth doctor lists both\)"), ""),
    (
        re.compile(r"give the program to run after --, for example: -- \./program"),
        "give the `command` to run",
    ),
)
"""Phrases with verbs, and what the API says in their place."""


@contextlib.contextmanager
def in_words_of_the_api() -> Iterator[None]:
    """Reword the message of an error that leaves the block. Its class stays the same."""
    try:
        yield
    except LinkworthError as error:
        text = str(error)
        for pattern, words in _WORDS:
            text = pattern.sub(words, text)
        error.args = (text,)
        raise
