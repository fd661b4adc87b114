"""What a seeded fault is: a function that spoils one small part of the client module."""
from __future__ import annotations

from typing import Callable, NamedTuple, Optional


class Fault(NamedTuple):
    name: str
    item: Optional[int]
    rules: tuple[str, ...]
    summary: str
    apply: Callable


FAULTS: dict[str, Fault] = {}


def faults_of(item: Optional[int]):
    """The decorator of one module: `@fault(summary, *rules)` over `def some_name(ca3)`."""

    def fault(summary: str, *rules: str):
        def register(apply):
            name = apply.__name__.replace("_", "-")
            assert name not in FAULTS, name
            FAULTS[name] = Fault(name, item, tuple(f"CA3-{rule}" for rule in rules), summary, apply)
            return apply

        return register

    return fault


def around(owner, name: str, make: Callable) -> None:
    """Puts `make(original)` in the place of a function or method."""
    setattr(owner, name, make(getattr(owner, name)))


def within(owner, name: str, inner_owner, inner_name: str, substitute) -> None:
    """Replaces an inner function only while an outer one runs."""
    outer = getattr(owner, name)

    def run(*arguments):
        inner = getattr(inner_owner, inner_name)
        setattr(inner_owner, inner_name, substitute)
        try:
            return outer(*arguments)
        finally:
            setattr(inner_owner, inner_name, inner)

    setattr(owner, name, run)


def result_of(ca3, change: Callable) -> None:
    """Lets `change(reader, result)` alter a finished answer."""
    read = ca3.Reader.read

    def changed(reader):
        result = read(reader)
        change(reader, result)
        return result

    ca3.Reader.read = changed


def with_data(ca3, change: Callable) -> None:
    """Lets the reader see `change(data)` instead of the file."""
    start = ca3.Reader.__init__
    ca3.Reader.__init__ = lambda reader, data: start(reader, change(data))


def on_record(ca3, act: Callable) -> None:
    """Lets `act(reader, opcode, offset, content)` take a record; when it returns False the
    client takes it."""
    record = ca3.Reader.record

    def changed(reader, opcode, offset, content):
        if act(reader, opcode, offset, content) is False:
            record(reader, opcode, offset, content)

    ca3.Reader.record = changed


def empty_recording() -> dict:
    """What a reader makes up that takes nothing for a recording."""
    return {"sealed": True, "complete": True, "stopped_at": None, "header": {},
            "calendar_time": "none", "session": None, "schemas": [], "streams": [],
            "messages": [], "skipped": [], "problems": []}
