"""The command line as a shell sees it: exit codes, standard output and standard error of the real program."""

import sys

from run_program import output_of

from linkworth import __version__


def test_version(linkworth):
    done = linkworth("--version", start=(sys.executable, "-m", "linkworth"))
    assert done.returncode == 0
    assert __version__ in done.stdout


def test_help_loads_none_of_the_heavy_modules():
    code = (
        "import sys, linkworth.cli.main as m; m.main(['--help']); "
        "sys.exit(' '.join(n for n in ('numpy', 'altair', 'vl_convert', 'jinja2') if n in sys.modules) or 0)"
    )
    output_of([sys.executable, "-c", code])
