"""Finds the target of a conversion, and keeps half a conversion from ever being seen."""

import importlib
import shutil
import tempfile
from pathlib import Path

import msgspec

from linkworth._engine import ConvertError, TraceError, TraceWriteError
from linkworth.errors import IncompleteError, UsageError
from linkworth.model.conversion import ConversionOptions, ConversionSummary
from linkworth.trace.read import open_trace

TARGETS = {"ti": "SimGrid's time-independent traces: a folder for `smpirun -replay`"}
"""By name: what it is. `linkworth.convert.<name>` has `write(trace, folder, options) -> ConversionSummary`."""

_AS_RECORDED = ConversionOptions()


def convert(
    path: Path,
    target: str,
    output: Path | None = None,
    *,
    options: ConversionOptions = _AS_RECORDED,
    replace: bool = False,
) -> ConversionSummary:
    """Convert a trace; `output` is `<trace>.<target>` where none is given.

    Either all of the output is written or none. Raises UsageError for a trace that cannot be read, a target that does not
    exist or cannot say what the trace holds, and an output that exists (unless `replace`); IncompleteError for a full disk.
    """
    if target not in TARGETS:
        raise UsageError(f"--to {target}: not known; give one of {', '.join(TARGETS)}")
    trace = open_trace(path)
    output = output or path.with_suffix(f".{target}")
    if output.exists() and not replace:
        raise UsageError(f"{output} exists; choose another name with -o, or replace it with --force")
    if output.exists() and not output.is_dir():
        raise UsageError(f"{output} is a file, and {target} needs a folder; choose another name with -o")
    try:
        output.parent.mkdir(parents=True, exist_ok=True)
        unfinished = Path(tempfile.mkdtemp(prefix=f".{output.name}-", dir=output.parent))
    except OSError as error:
        raise UsageError(f"cannot write to the folder {output.parent}: {error.strerror}") from None
    try:
        summary = importlib.import_module(f"linkworth.convert.{target}").write(trace, unfinished, options)
        unfinished.chmod(0o755)
        if output.exists():
            shutil.rmtree(output)
        unfinished.rename(output)
    except (ConvertError, TraceWriteError) as error:
        reason = str(error).replace(str(unfinished), str(output))
        if isinstance(error, TraceWriteError):
            raise IncompleteError(f"{reason}; free some space and convert {path} again") from None
        raise UsageError(f"{path}: {reason}") from None
    except TraceError as error:
        raise UsageError(str(error)) from None
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    return _published(summary, output)


def _published(summary: ConversionSummary, output: Path) -> ConversionSummary:
    return msgspec.structs.replace(summary, path=str(output), entry=str(output / summary.entry))
