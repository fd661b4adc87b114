"""What a file's streams say of its clocks: observations, events and delays (§10.7, §10.9,
§10.10), and whether a stored mapping is what its observations imply.
"""
from __future__ import annotations

from collections import namedtuple

import ca3_estimator as estimator
from ca3_clock import DEVICE, PEER_HOST, SELF, told
from ca3_estimator import ROUND_TRIP, TRIGGER, Observation
from ca3_index import IndexedReader, blamed_on
from ca3_messages import ALIGNMENT_EVENT, CLOCK_OBSERVATION, DEVICE_DELAY, Shape, decode
from ca3_reader import ANSWER_LIMIT, REFUSES_FILE, SESSION, Violation, spent

VERIFIED, INCONSISTENT, UNVERIFIED = "verified", "inconsistent", "unverified"
EVIDENCE_LIMIT = 4 * ANSWER_LIMIT  # what is kept of all these messages while a request is answered

Stated = namedtuple("Stated", "stream_ref message")  # a decoded message, and where it stood
Sighting = namedtuple("Sighting", "domain reference")  # two observations of one event


class Evidence:
    def __init__(self, reader: IndexedReader):
        self.reader = reader
        self.problems: list[dict] = []
        self.budget = EVIDENCE_LIMIT
        self.malformed: set[int] = set()  # streams with a payload that is no message of theirs
        self.observed: dict[int, list[dict] | None] = {}
        self.devices = {device["device_ref"]: device for device in devices_of(reader)}
        self.events = self.read(ALIGNMENT_EVENT, self.streams_of(ALIGNMENT_EVENT))
        self.delays = self.read(DEVICE_DELAY, self.streams_of(DEVICE_DELAY))

    def report(self, kind: str, message: str, **named) -> None:
        self.problems.append({"kind": kind, "message": message, **named})

    # Messages of ca3.time.v1. A chunk that does not decode refuses the request, but for
    # observations: without them the mapping is unverified, and all else stands.

    def streams_of(self, shape: Shape) -> list[int]:
        return [ref for ref in sorted(self.reader.streams) if self.carries(ref, shape)]

    def carries(self, ref: int, shape: Shape) -> bool:
        """A declared stream whose schema is this message, by name and encoding alone."""
        stream = self.reader.streams.get(ref)
        schema = stream and self.reader.schemas.get(stream["schema_ref"])
        return (bool(schema) and schema["schema_id"] == shape.name
                and schema["encoding"] == "protobuf")

    def read(self, shape: Shape, refs: list[int]) -> list[Stated]:
        """In file order: chunks by their place in the file, messages as they are stored."""
        found = []
        entries = [entry for ref in refs for entry in self.reader.entries_of(ref)]
        for entry in in_file_order(entries):
            for message in self.reader.messages_of(entry):
                decoded = self.decoded(shape, message)
                if decoded is not None:
                    found.append(Stated(message["stream_ref"], decoded))
        return found

    def decoded(self, shape: Shape, message: dict) -> dict | None:
        try:
            decoded = decode(shape, message["payload"])
        except Violation as violation:
            if violation.report["kind"] in REFUSES_FILE:
                raise
            self.report_malformed(message["stream_ref"], violation)
            return None
        self.afford(message["payload"], decoded)
        return decoded

    def afford(self, payload: bytes, decoded: dict) -> None:
        self.budget = spent(self.budget, payload)
        for repeated in (value for value in decoded.values() if isinstance(value, list)):
            for _ in repeated:
                self.budget = spent(self.budget, b"")

    def report_malformed(self, ref: int, violation: Violation) -> None:
        """Once a stream: a stream of another schema would fill an answer with this."""
        if ref not in self.malformed:
            self.malformed.add(ref)
            self.problems.append({**violation.report, "stream_ref": ref})

    def clock_observations(self, ref: int) -> list[dict] | None:
        """All of a stream's, None where they cannot all be read."""
        if ref not in self.observed:
            self.observed[ref] = self.readable_observations(ref)
        return self.observed[ref]

    def readable_observations(self, ref: int) -> list[dict] | None:
        try:
            found = self.read(CLOCK_OBSERVATION, [ref])
        except Violation as violation:
            if violation.report["kind"] in REFUSES_FILE:
                raise
            self.problems.append({**violation.report, "stream_ref": ref})
            return None
        return None if ref in self.malformed else [stated.message for stated in found]

    # What a mapping was fitted from (§10.7)

    def verification(self, domain: dict) -> str:
        """Whatever is not recomputed is not verified."""
        if not (is_recomputable(domain) and self.carries(domain["observations_stream"],
                                                         shape_for(domain["method"]))):
            return UNVERIFIED
        if domain["method"] == TRIGGER:
            return self.trigger_verification(domain)
        stated = self.clock_observations(domain["observations_stream"])
        if stated is None:
            return UNVERIFIED
        if domain["method"] == ROUND_TRIP and lacks_sent(stated):
            return INCONSISTENT
        return verdict(domain, [observation_for(domain["method"], one) for one in stated])

    def trigger_verification(self, domain: dict) -> str:
        ref = domain["observations_stream"]
        if ref in self.malformed or domain["kind"] not in (DEVICE, PEER_HOST, SELF):
            return UNVERIFIED
        sightings = self.sightings(domain, [stated.message for stated in self.events
                                            if stated.stream_ref == ref])
        observations = [estimator.by_event(pair.domain["stamp_ns"], pair.reference["stamp_ns"])
                        for pair in sightings]
        return verdict(domain, observations, anchor_uncertainty(sightings))

    def sightings(self, domain: dict, events: list[dict]) -> list[Sighting]:
        """§10.10: the events that the domain and the reference both observed."""
        pairs = [Sighting(self.first_sight(event, lambda stream: self.is_of(domain, stream)),
                          self.first_sight(event, self.is_of_reference)) for event in events]
        return [pair for pair in pairs if pair.domain and pair.reference]

    def first_sight(self, event: dict, is_wanted) -> dict | None:
        streams = self.reader.streams
        return next((sight for sight in event["observations"] if sight["stream_ref"] in streams
                     and is_wanted(streams[sight["stream_ref"]])), None)

    def is_of(self, domain: dict, stream: dict) -> bool:
        """Whether a stream's sight of an event is on this domain's clock. One of the reference
        pair is on the reference's, though a domain may have the same host's name."""
        if domain["kind"] == DEVICE:
            return stream["source_clock_domain"] == domain["domain"] != ""
        return (is_on_host(stream) and stream["host_id"] == domain["domain"]
                and not self.reader.clocks.is_reference(stream))

    def is_of_reference(self, stream: dict) -> bool:
        return is_on_host(stream) and self.reader.clocks.is_reference(stream)


def devices_of(reader: IndexedReader) -> list[dict]:
    """§11: of the Session in force, the last one, which the summary restates."""
    places = reader.group(SESSION) or [place for place in reader.spine if place.opcode == SESSION]
    for place in places[-1:]:
        with blamed_on(place.offset):
            reader.record(SESSION, place.offset, reader.content(place))
    return reader.session["devices"] if reader.session else []


def in_file_order(entries: list[dict]) -> list[dict]:
    return sorted(entries, key=lambda entry: entry["chunk_offset"])


def is_on_host(stream: dict) -> bool:
    """§10.10: what a device stamps is on its own clock, wherever its stream is published."""
    return stream["source_clock_domain"] == ""


def is_recomputable(domain: dict) -> bool:
    """§10.8: another version's arithmetic is not known here, nor another method's."""
    return (domain["estimator_version"] == estimator.VERSION
            and domain["method"] in estimator.METHODS)


def shape_for(method: int) -> Shape:
    """A trigger mapping is fitted from events, every other one from observations."""
    return ALIGNMENT_EVENT if method == TRIGGER else CLOCK_OBSERVATION


def lacks_sent(stated: list[dict]) -> bool:
    """No round trip's line follows from these. A trip below zero is left to the comparison: no
    stored min_rtt_ns is below zero."""
    return any(one["sent_ns"] is None for one in stated)


def observation_for(method: int, one: dict) -> Observation:
    if method == ROUND_TRIP:
        return estimator.round_trip(one["source_ns"], one["sent_ns"], one["receipt_ns"])
    return estimator.one_way(one["source_ns"], one["receipt_ns"])


def anchor_uncertainty(sightings: list[Sighting]) -> int:
    """§10.5: of the first event, both ends of the correspondence."""
    return sum(sight["uncertainty_ns"] for pair in sightings[:1] for sight in pair)


def verdict(domain: dict, observations: list[Observation], anchor: int = 0) -> str:
    """§10.7. Nothing follows from no observations but that there is no mapping."""
    if not observations:
        return UNVERIFIED if domain["quality"] == 0 else INCONSISTENT
    implied = estimator.estimate(domain["method"], observations, anchor)
    return VERIFIED if agrees(told(domain), implied) else INCONSISTENT


def agrees(stored: dict, implied: dict) -> bool:
    """In all that the estimator computes. Quality is the writer's own judgement."""
    return all(stored[field] == implied[field] for field in implied)
