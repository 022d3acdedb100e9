"""Install pip into the virtual environment that runs this file, from the package index alone.

Debian and Ubuntu ship Python without ensurepip, and its package needs root. A pip wheel can be run as it is,
so it can install itself: this finds the newest one in the index (`PIP_INDEX_URL`, else PyPI), checks its SHA-256
and runs it.
"""

import hashlib
import html.parser
import http.client
import os
import re
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

INDEX = os.environ.get("PIP_INDEX_URL", "https://pypi.org/simple").rstrip("/") + "/pip/"
STABLE_WHEEL = re.compile(r"pip-(\d+(?:\.\d+)*)-py3-none-any\.whl$")


class WheelLinks(html.parser.HTMLParser):
    """Collects the stable pip wheels of an index page (PEP 503) as version and absolute address."""

    def __init__(self) -> None:
        super().__init__()
        self.wheels: list[tuple[tuple[int, ...], str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep a link to a stable wheel; a yanked one (PEP 592) is left out."""
        link = dict(attrs)
        address = link.get("href") or ""
        match = STABLE_WHEEL.search(address.split("#")[0])
        if tag == "a" and match and "data-yanked" not in link:
            version = tuple(int(part) for part in match[1].split("."))
            self.wheels.append((version, urllib.parse.urljoin(INDEX, address)))


def fetch(address: str, tries: int = 3) -> bytes:
    """Return what stands at an address of the index. A connection that breaks is made again, as by pip."""
    try:
        with urllib.request.urlopen(address, timeout=60) as answer:
            return bytes(answer.read())
    except urllib.error.HTTPError:
        raise
    except (OSError, http.client.HTTPException):
        if tries == 1:
            raise
    time.sleep(1)
    return fetch(address, tries - 1)


def main() -> int:
    """Install pip; return 0, or 3 with one sentence when the index cannot be used."""
    page = WheelLinks()
    try:
        page.feed(fetch(INDEX).decode())
        _, address = max(page.wheels)
        wheel = fetch(address)
    except (OSError, ValueError, http.client.HTTPException) as error:
        sys.stderr.write(f"linkworth: pip could not be fetched from the package index ({error}).\n")
        return 3
    plain, _, fragment = address.partition("#")
    expected = fragment.removeprefix("sha256=")
    if hashlib.sha256(wheel).hexdigest() != expected:
        sys.stderr.write("linkworth: the pip wheel of the package index does not match its checksum.\n")
        return 3
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / Path(urllib.parse.urlparse(plain).path).name
        path.write_bytes(wheel)
        command = [sys.executable, f"{path}/pip", "install", "--quiet", "--no-index", str(path)]
        return subprocess.run(command, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
