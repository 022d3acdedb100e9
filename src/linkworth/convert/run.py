"""Selects the module for a format, and hides incomplete conversions."""

from collections.abc import Callable
from pathlib import Path

import msgspec

from linkworth._engine import ConvertError, TraceError, TraceWriteError
from linkworth.convert.formats import ALIASES, FORMATS, Format, module, recognise, targets
from linkworth.errors import UsageError
from linkworth.model.conversion import ConversionOptions, ConversionSummary
from linkworth.trace.read import Allowance, TraceFile, open_trace
from linkworth.writing.files import is_stream, not_written, staged, unwritable


def convert(
    path: Path,
    target: str | None = None,
    output: Path | None = None,
    *,
    options: ConversionOptions = ConversionOptions(),
    replace: bool = False,
    allowed: Allowance | None = None,
) -> ConversionSummary:
    """Convert a trace to `target`, or, if that is None, another tool's output to a trace.

    Without `output`, the name is that of `path` with the new suffix. The output is written completely or not at all.
    Raises UsageError for an unreadable file, a target that does not exist or cannot represent the trace, and an
    existing output (unless `replace`). Raises EnvironmentLacksError for a full disk, and IncompleteError for an incomplete
    trace unless it is `allowed`.
    """
    source = recognise(path)
    target = ALIASES.get(target or "", target)
    if target is None:
        if source is None:
            try:
                open_trace(path, allowed)
            except UsageError as error:
                read = " and ".join(form.name for form in FORMATS.values() if form.read)
                raise UsageError(f"{error}; of other tools' formats, only {read} can be read") from None
            raise UsageError(
                f"{path} is a trace of linkworth already; choose a format with `to`: {', '.join(targets())}"
            )
        return _published(
            path,
            output or path.with_suffix(".lwt"),
            "a trace",
            False,
            replace,
            lambda unfinished: msgspec.structs.replace(
                module(source).read(path, unfinished, options), source=source
            ),
        )
    if target not in targets():
        raise UsageError(f"`to` {target}: not known; give one of {', '.join(targets())}")
    if source is not None:
        raise UsageError(
            f"{path} is no trace of linkworth ({FORMATS[source].what}); convert it to one first, without `to`"
        )
    trace = open_trace(path, allowed)
    form = FORMATS[target]
    return _published(
        path,
        output or path.with_suffix(form.suffix),
        target,
        form.written == "folder",
        replace,
        lambda unfinished: _written(trace, form, unfinished, options),
    )


def _written(trace: TraceFile, form: Format, output: Path, options: ConversionOptions) -> ConversionSummary:
    summary = module(form.name).write(trace, output, options)
    lack = "calls take no time in it, because the trace has none; the timeline of a prediction has them"
    return msgspec.structs.replace(
        summary,
        target=form.name,
        damage=trace.damage,
        remarks=[lack, *summary.remarks] if form.timed and not trace.metadata.timed else summary.remarks,
    )


def _published(
    path: Path,
    output: Path,
    kind: str,
    folder: bool,
    replace: bool,
    write: Callable[[Path], ConversionSummary],
) -> ConversionSummary:
    """Write under a hidden name, move the complete output to its place, and name both in the summary."""
    stream = is_stream(output)
    if stream and folder:
        raise UsageError(
            f"{kind} needs a folder, which {output} cannot be; choose another name with `output`"
        )
    if output.exists() and not replace and not stream:
        raise UsageError(f"{output} exists; choose another name with `output`, or replace it with `force`")
    if replace and path.resolve().is_relative_to(output.resolve()):
        raise UsageError(f"{output} is, or contains, what is converted; choose another name with `output`")
    if output.exists() and output.is_dir() != folder and not stream:
        have, needed = ("file", "folder") if folder else ("folder", "file")
        raise UsageError(
            f"{output} is a {have}, and {kind} needs a {needed}; choose another name with `output`"
        )
    if folder and output.is_dir() and any(output.iterdir()) and recognise(output) != kind:
        raise UsageError(
            f"{output} is a folder with other files, which `force` does not remove; "
            "choose another name with `output`, or empty it"
        )
    try:
        output.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise unwritable(output.parent, error) from None
    unfinished = output
    try:
        with staged(output) as unfinished:
            if folder:
                unfinished.mkdir()
            summary = write(unfinished)
    except (ConvertError, TraceWriteError) as error:
        if isinstance(error, TraceWriteError):
            raise not_written(error, unfinished, output) from None
        raise UsageError(_about(path, str(error).replace(str(unfinished), str(output)))) from None
    except TraceError as error:
        raise UsageError(_about(path, str(error))) from None
    except OSError as error:
        raise unwritable(output, error) from None
    entry = output / summary.entry if folder else output
    return msgspec.structs.replace(summary, trace=str(path), path=str(output), entry=str(entry))


def _about(path: Path, reason: str) -> str:
    """Return the reason with the name of what is converted, unless it begins with that or with a file in it."""
    return reason if reason.startswith(str(path)) else f"{path}: {reason}"
