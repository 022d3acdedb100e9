"""A table as LaTeX for `\\input` in a paper; it needs the package booktabs."""

from linkworth.report.table import Cell, ReportTable

_ESCAPES = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\(<\)",
    ">": r"\(>\)",
    "µ": r"\(\mu\)",
    "±": r"\(\pm\)",
    "−": r"\(-\)",
    "→": r"\(\to\)",
    "–": "--",
}
MARKED = "*"
"""Mark after a predicted value."""


def latex(table: ReportTable) -> str:
    """Return a tabular with its caption, for a document of any class.

    Second lines of cells (intervals, verdicts) follow the value in parentheses; predicted values carry an asterisk.
    """
    alignment = "".join("r" if column.number else "l" for column in table.columns)
    lines = [
        "% Written by linkworth; needs \\usepackage{booktabs}.",
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{escape(table.title)}}}",
        rf"\begin{{tabular}}{{{alignment}}}",
        r"\toprule",
        " & ".join(escape(column.title) for column in table.columns) + r" \\",
        r"\midrule",
        *(" & ".join(map(_cell, row)) + r" \\" for row in table.rows),
        r"\bottomrule",
        r"\end{tabular}",
    ]
    if any(cell.mark == "predicted" for row in table.rows for cell in row):
        lines.append(rf"\par\smallskip {MARKED} predicted, not measured")
    lines += [r"\end{table}", ""]
    return "\n".join(lines)


def escape(text: str) -> str:
    """Return text without characters that have a meaning for TeX."""
    return "".join(_ESCAPES.get(character, character) for character in text)


def _cell(cell: Cell) -> str:
    text = escape(cell.text) + (MARKED if cell.mark == "predicted" else "")
    note = cell.note.replace(", predicted", "").removeprefix("predicted").strip(", ")
    return f"{text} ({escape(note)})" if note else text
