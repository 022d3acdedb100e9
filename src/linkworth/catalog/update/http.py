"""GET with time limits and retries, using only the standard library."""

import http.client
import json
import random
import socket
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from email.utils import parsedate_to_datetime
from typing import Any

from linkworth.errors import EnvironmentLacksError, UsageError

TRIES = 5
FIRST_WAIT_SECONDS = 1.0
LONGEST_WAIT_SECONDS = 60.0
TIMEOUT_SECONDS = 30.0
PAGE_BYTES_MAX = 64 << 20
"""Most bytes of a page of prices that is read whole; real pages are far smaller."""
AGAIN = frozenset({408, 425, 429, 500, 502, 503, 504})
"""Statuses that may pass: time limits, too many requests, server errors (RFC 9110, RFC 6585)."""

Sleep = Callable[[float], None]


class Client:
    """Client of one interface. Every failure is an EnvironmentLacksError with its cause, and nothing is changed."""

    def __init__(self, endpoint: str, *, sleep: Sleep = time.sleep) -> None:
        """Use `endpoint` as the beginning of all addresses. Raises UsageError for anything but http and https."""
        self.endpoint = endpoint.rstrip("/")
        parts = urllib.parse.urlsplit(self.endpoint)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise UsageError(
                f"`endpoint` {endpoint!r} is no address; give one that begins with https:// or http://"
            )
        self._host = (parts.scheme, parts.hostname)
        self._sleep = sleep

    def json(self, url: str) -> Any:  # noqa: ANN401 (whatever the document is)
        """Return the JSON document at `url`. A cut or broken answer is requested again."""

        def read(response: http.client.HTTPResponse) -> Any:  # noqa: ANN401
            body = response.read(PAGE_BYTES_MAX + 1)
            if len(body) > PAGE_BYTES_MAX:
                raise _refusal(url, f"the answer is larger than {PAGE_BYTES_MAX >> 20} MiB")
            return json.loads(body)

        return self._try(url, read)

    def lines(self, url: str) -> Iterator[str]:
        """Yield the lines of a long text as they arrive, without keeping the whole text.

        The request is repeated until the first line has arrived; a later break of the connection is an error.
        """
        response, first = self._try(url, lambda answer: (answer, answer.readline()), keep_open=True)
        expected = response.headers.get("Content-Length")
        received = 0
        try:
            line = first
            while line:
                received += len(line)
                yield line.decode("utf-8", errors="replace")
                line = response.readline()
        except (OSError, http.client.HTTPException) as error:
            raise _refusal(url, f"the connection broke after {received} bytes ({error})") from None
        finally:
            response.close()
        if expected is not None and expected.isdecimal() and received != int(expected):
            raise _refusal(url, f"the answer is cut: {received} of {expected} bytes came")

    def absolute(self, link: str) -> str:
        """Return the address in an answer if it is of the same server: prices come from nowhere else."""
        address = urllib.parse.urljoin(self.endpoint + "/", link)
        parts = urllib.parse.urlsplit(address)
        if (parts.scheme, parts.hostname) != self._host:
            raise _refusal(self.endpoint, f"it refers to another server, {address}")
        return address

    def _try(self, url: str, read: Callable[[Any], Any], *, keep_open: bool = False) -> Any:  # noqa: ANN401
        why = ""
        wait = FIRST_WAIT_SECONDS
        for turn in range(TRIES):
            asked_wait: float | None = None
            try:
                response = urllib.request.urlopen(_request(url), timeout=TIMEOUT_SECONDS)
                try:
                    return read(response)
                finally:
                    if not keep_open:
                        response.close()
            except urllib.error.HTTPError as error:
                why = f"status {error.code} {error.reason}"
                asked_wait = _retry_after(error.headers.get("Retry-After"))
                error.close()
                if error.code not in AGAIN:
                    raise _refusal(url, why) from None
            except urllib.error.URLError as error:
                why = str(getattr(error.reason, "strerror", None) or error.reason)
                if isinstance(error.reason, socket.gaierror):
                    why = f"its name is not known here ({why})"
            except (TimeoutError, OSError, http.client.HTTPException) as error:
                why = str(error) or type(error).__name__
            except (json.JSONDecodeError, UnicodeDecodeError) as error:
                why = f"the answer is not whole JSON ({error})"
            if turn + 1 < TRIES:
                # A random share keeps many users from repeating at the same moment.
                self._sleep(min(LONGEST_WAIT_SECONDS, asked_wait or wait * (1 + random.random() / 4)))
                wait *= 2
        raise _refusal(url, f"{why}; tried {TRIES} times")


def _request(url: str) -> urllib.request.Request:
    return urllib.request.Request(
        url, headers={"User-Agent": "linkworth", "Accept": "*/*", "Accept-Encoding": "identity"}
    )


def _retry_after(text: str | None) -> float | None:
    """Return the seconds of a Retry-After header: a number or a date (RFC 9110, 10.2.3)."""
    if text is None:
        return None
    if text.strip().isdecimal():
        return float(text)
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - time.time())
    except (TypeError, ValueError):
        return None


def _refusal(url: str, why: str) -> EnvironmentLacksError:
    shown = urllib.parse.urlsplit(url)
    return EnvironmentLacksError(
        f"no prices from {shown.scheme}://{shown.netloc}{shown.path}: {why}; the prices known so far are kept as they were"
    )
