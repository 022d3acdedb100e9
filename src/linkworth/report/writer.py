"""Writer of all pages: one self-contained HTML file that may fetch nothing."""

import base64
import hashlib
import io
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from importlib import resources
from urllib.parse import quote

import jinja2
from markupsafe import Markup

from linkworth import __version__, units
from linkworth.report.files import csv_text
from linkworth.report.svg import NO_CONVERTER, can_draw, svg
from linkworth.report.table import Figure, ReportTable
from linkworth.writing.text import encodable

MOST_ROWS = 500
"""Most rows of a table on a page; its CSV file has all."""


def page(
    template: str,
    *,
    title: str,
    scripts: Sequence[str] = (),
    step: Callable[[str], None] = lambda _: None,
    **context: object,
) -> bytes:
    """Return a page as HTML in UTF-8; `step` is called with the name of each figure before it is drawn.

    The template extends `base.html.jinja`. Everything that is inserted is escaped, and a content security policy
    allows the page's own script and style sheet only.
    """

    drawing = can_draw()

    def drawn(figure: Figure) -> Markup:
        step(figure.key)
        # The page has the same figures as tables.
        return svg(figure) if drawing else Markup("<p>{}</p>").format(NO_CONVERTER)

    def csv(table: ReportTable) -> str:
        return quote(csv_text(table))

    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(_asset),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"svg": drawn, "csv": csv, "percent": units.percent, "plural": units.plural}
    environment.globals["most_rows"] = MOST_ROWS
    style = _asset("styles.css")
    script = "\n".join(_asset(name) for name in (*scripts, "sort.js", "tooltip.js"))
    chunks = environment.get_template(template).generate(
        title=title,
        version=__version__,
        written=datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        policy=f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; "
        "base-uri 'none'; form-action 'none'",
        style=Markup(style),
        script=Markup(script),
        **context,
    )
    # Chunk by chunk: a page of many megabytes exists once.
    written = io.BytesIO()
    for chunk in chunks:
        written.write(encodable(chunk).encode())
    return written.getvalue()


def _asset(name: str) -> str:
    """Return the text of a template, style sheet or script."""
    return (resources.files("linkworth.report") / "templates" / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
