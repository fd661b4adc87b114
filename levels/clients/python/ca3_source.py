"""Bytes that are fetched only where they are looked at, from a file or over HTTP."""
from __future__ import annotations

import http.client
import os
import urllib.request

from ca3_reader import Violation, require

TIMEOUT_S = 10
# No proxy: what the environment names for other programs is none of a recording's business.
OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))
FAILURES = (OSError, ValueError, TypeError, http.client.HTTPException)


class Source:
    """Measured and sliced as bytes are; every slice is one fetch, but for what is kept."""

    def __init__(self, size: int):
        self.size = size
        self.kept_at, self.kept = 0, b""

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, part: slice) -> bytes:
        start, end, _ = part.indices(self.size)
        if start >= end:
            return b""
        if self.kept_at <= start and end <= self.kept_at + len(self.kept):
            return self.kept[start - self.kept_at:end - self.kept_at]
        try:
            data = self.fetch(start, end)
        except FAILURES as error:
            raise unreachable(error) from None
        require(len(data) == end - start, "other", "the file became shorter while it was read")
        return data

    def keep(self, start: int, end: int) -> None:
        """Fetches in one piece a range whose parts are about to be looked at."""
        start = max(0, start)
        self.kept_at, self.kept = start, self[start:end]

    def fetch(self, start: int, end: int) -> bytes:
        raise NotImplementedError

    def close(self) -> None:
        pass


class FileSource(Source):
    def __init__(self, path: str):
        self.file = open(path, "rb")
        super().__init__(os.fstat(self.file.fileno()).st_size)

    def fetch(self, start: int, end: int) -> bytes:
        self.file.seek(start)
        return self.file.read(end - start)

    def close(self) -> None:
        self.file.close()


class HttpSource(Source):
    def __init__(self, url: str):
        self.url = url
        with self.ask("HEAD") as response:
            super().__init__(int(response.headers["Content-Length"]))

    def ask(self, method: str, **headers: str):
        request = urllib.request.Request(self.url, method=method, headers=headers)
        return OPENER.open(request, timeout=TIMEOUT_S)

    def fetch(self, start: int, end: int) -> bytes:
        with self.ask("GET", Range=byte_range(start, end)) as response:
            require(response.status == 206, "other", "the server does not answer with a range")
            return response.read(end - start)


def byte_range(start: int, end: int) -> str:
    return f"bytes={start}-{end - 1}"  # HTTP counts the last byte in


def open_source(path, url=None) -> Source:
    place, kind = (path, FileSource) if url is None else (url, HttpSource)
    require(isinstance(place, str), "other", "neither a path nor an address")
    require(kind is FileSource or place.startswith("http://"), "other", "no http:// address")
    try:
        return kind(place)
    except FAILURES as error:
        raise unreachable(error) from None


def unreachable(error: Exception) -> Violation:
    return Violation("other", f"cannot read the file: {error}")
