"""Headless Chromium over its debugging pipe (Chrome DevTools Protocol), with no library between."""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

_OPTIONS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-dev-shm-usage", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--remote-debugging-pipe",
    "about:blank",
]  # fmt: skip


def find() -> str | None:
    """Return the browser's path, or None."""
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


class Page:
    """One tab; the messages it logs, the errors it throws and the requests it makes are kept."""

    def __init__(self) -> None:
        browser = find()
        assert browser
        self._profile = tempfile.TemporaryDirectory(prefix="linkworth-chromium-", ignore_cleanup_errors=True)
        commands, self._to = os.pipe()
        self._from, answers = os.pipe()
        # bash, since a POSIX shell may know single-digit descriptors only.
        shell = f'exec "$@" 3<&{commands} 4>&{answers}'
        self._process = subprocess.Popen(
            ["bash", "-c", shell, "chromium", browser, f"--user-data-dir={self._profile.name}", *_OPTIONS],
            pass_fds=(commands, answers),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        os.close(commands)
        os.close(answers)
        self._buffer = b""
        self._number = 0
        self._session: str | None = None
        self.requests: list[str] = []
        self.complaints: list[str] = []
        self._loaded = ""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")
        self.call("Page.setLifecycleEventsEnabled", enabled=True)

    def __enter__(self) -> "Page":
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._to)
        os.close(self._from)
        self._process.terminate()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._profile.cleanup()

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Send one command and return its result."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._receive()
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]

    def open(self, path: Path, *, width: int = 1280) -> None:
        """Load a file and wait until it is complete."""
        self.size(width, 900)
        self.requests.clear()
        loader = self.call("Page.navigate", url=path.as_uri())["loaderId"]
        while self._loaded != loader:
            self._receive()

    @contextmanager
    def visit(self, path: Path) -> Iterator["Page"]:
        """Open a file that must cause no complaint and no request, whatever is done with it."""
        self.complaints.clear()
        self.open(path)
        yield self
        assert self.complaints == []
        assert self.requests == [path.as_uri()]

    def size(self, width: int, height: int, *, mobile: bool = False) -> None:
        """Set the size of the window in CSS pixels."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=mobile,
        )

    def evaluate(self, expression: str) -> Any:
        """Return the value of a JavaScript expression."""
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(result["exceptionDetails"]["exception"].get("description", "exception"))
        return result["result"].get("value")

    def press(self, key: str) -> None:
        """Press one key on the element that has the focus."""
        code = {"ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40}[key]
        for kind in ("rawKeyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code)

    def text(self, selector: str) -> str:
        """Return the text of the first element that matches."""
        return str(self.evaluate(f"document.querySelector({json.dumps(selector)}).textContent"))

    def pixel(self, x: float, y: float) -> tuple[int, ...]:
        """Return the red, green and blue of a point of the page."""
        clip = {"x": x, "y": y, "width": 1, "height": 1, "scale": 1}
        shot = self.call("Page.captureScreenshot", clip=clip, captureBeyondViewport=True)
        data = base64.b64decode(shot["data"])
        pixels, start = b"", 8  # after the signature
        while start < len(data):
            end = start + 8 + int.from_bytes(data[start : start + 4])
            if data[start + 4 : start + 8] == b"IDAT":
                pixels += data[start + 8 : end]
            start = end + 4  # after the checksum
        return tuple(zlib.decompress(pixels)[1:4])

    def _receive(self, seconds: float = 600.0) -> dict[str, Any]:
        deadline = time.monotonic() + seconds
        while b"\0" not in self._buffer:
            if not select.select([self._from], [], [], max(0.0, deadline - time.monotonic()))[0]:
                raise TimeoutError("the browser does not answer")
            data = os.read(self._from, 1 << 16)
            if not data:
                raise RuntimeError("the browser ended")
            self._buffer += data
        raw, self._buffer = self._buffer.split(b"\0", 1)
        message: dict[str, Any] = json.loads(raw)
        self._note(message)
        return message

    def _note(self, message: dict[str, Any]) -> None:
        parameters = message.get("params", {})
        match message.get("method"):
            case "Page.lifecycleEvent" if parameters["name"] == "load":
                self._loaded = parameters["loaderId"]
            case "Network.requestWillBeSent":
                self.requests.append(parameters["request"]["url"])
            case "Runtime.exceptionThrown":
                self.complaints.append(str(parameters["exceptionDetails"]))
            case "Runtime.consoleAPICalled":
                self.complaints.append(str(parameters["args"]))
            case "Log.entryAdded":
                self.complaints.append(parameters["entry"]["text"])
