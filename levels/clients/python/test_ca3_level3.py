"""Level 3 against files assembled by hand from the document: python3 -m unittest"""
from __future__ import annotations

import itertools
import json
import os
import tempfile
import unittest
from unittest import mock

import ca3_estimator as estimator
import ca3_evidence
import ca3_messages
import ca3_query
from ca3_estimator import ONE_WAY_MIN_FILTER, RECEIPT_ONLY, ROUND_TRIP, TRIGGER
from ca3_messages import ALIGNMENT_EVENT, CLOCK_OBSERVATION, DEVICE_DELAY, decode
from ca3_reader import HELLO, Violation, crc32c, protocol_form, respond
from ca3_time import ask
from test_ca3_level2 import Recorded, Rows, answer as asked, clock_block, indexed, peer, zigzag
from test_ca3_reader import (chunk, header, message, record, schema, session, stream, string, u,
                             unsealed, varint)

MAX = 2**64 - 1
BILLION = 10**9
OWN, PEER, OBSERVED, EVENTS, DELAYS = range(1, 6)  # the streams of a file of `timed`


def answer(data: bytes, op: str, **arguments):
    try:
        return protocol_form(ask(Recorded(data), {"op": op, **arguments}))
    except Violation as violation:
        return protocol_form(violation.report)


# ca3.time.v1 byte by byte: a field's number and wire type, then its value


def number(place, value) -> bytes:
    return varint(place << 3) + varint(value)


def fixed(place, value) -> bytes:
    return varint(place << 3 | 1) + u(8, value)


def text(place, value) -> bytes:
    raw = value if isinstance(value, bytes) else value.encode()
    return varint(place << 3 | 2) + varint(len(raw)) + raw


def observation(source, receipt, sent=None) -> bytes:
    return fixed(1, source) + fixed(2, receipt) + (b"" if sent is None else fixed(3, sent))


def delay(ns, device=1, ref=0, uncertainty=0, firmware="") -> bytes:
    return (number(1, device) + number(2, ref) + number(3, zigzag(ns)) + fixed(4, uncertainty)
            + text(5, "led") + fixed(6, 7) + text(7, "lab") + text(8, firmware)
            + text(9, text(1, "fps") + text(2, "30")))


def event(*sights, ident=1, kind=0, method="ttl") -> bytes:
    return (number(1, ident) + number(2, kind) + text(3, method) + text(4, "us") + b"".join(
        text(5, number(1, ref) + fixed(2, stamp) + fixed(3, unsure))
        for ref, stamp, unsure in sights))


class Payload(bytes):
    """A payload that Rows takes as it is."""

    def encode(self):
        return bytes(self)


def rows(ref, *payloads) -> list:
    return [Rows(*((i, Payload(p)) for i, p in enumerate(payloads)), ref=ref)] if payloads else []


def stamped(ref, *pairs) -> Rows:
    """Each a stamp, and the device's own or None."""
    made = Rows(*((stamp, "x") for stamp, _ in pairs), ref=ref)
    base = max([source for _, source in pairs if source is not None], default=0)
    made.bytes = chunk(*(message(stamp - made.low, 0 if source is None else
                                 zigzag(source - base) + 1) for stamp, source in pairs),
                       ref=ref, mask=4, low=made.low, high=made.high, source_base=base)
    return made


def line(name="peer", kind=1, method=RECEIPT_ONLY, quality=2, offset=0, skew=0, origin=0, spread=0,
         rtt=None, low=MAX, high=0, unsure=MAX, count=0, stream_ref=0, version=1) -> bytes:
    """A ClockDomain."""
    return (string(name) + u(1, kind) + u(1, method) + u(1, quality) + u(8, offset % 2**64)
            + u(8, skew % 2**64) + u(8, origin) + u(8, spread) + u(1, rtt is not None)
            + u(8, rtt or 0) + u(8, low) + u(8, high) + u(8, unsure) + u(8, count)
            + u(4, stream_ref) + u(4, version))


def block(*lines, intervals=(), **more) -> bytes:
    tail = b"".join(u(4, ref) + u(8, low) + u(8, high) + string(reason)
                    for ref, low, high, reason in intervals)
    return clock_block(*lines, intervals=len(intervals), tail=tail, **more)


def device_list(*devices) -> bytes:
    return u(4, len(devices)) + b"".join(
        u(4, ref) + string("camera") + string("s") + string(firmware) + string(domain)
        for ref, domain, firmware in devices)


SCHEMAS = b"".join(schema(ref, f"ca3.time.v1.{name}") for ref, name in [
    (1, "ClockObservation"), (2, "AlignmentEvent"), (3, "DeviceDelay")])


def timed(*chunks, lines=(), intervals=(), observations=(), events=(), delays=(),
          devices=((1, "dev", "2.1"),), streams=None, schemas=SCHEMAS, clock=None, **more) -> bytes:
    declared = {OWN: stream(), PEER: peer(), OBSERVED: stream(OBSERVED, 1),
                EVENTS: stream(EVENTS, 2), DELAYS: stream(DELAYS, 3), **(streams or {})}
    evidence = rows(OBSERVED, *observations) + rows(EVENTS, *events) + rows(DELAYS, *delays)
    groups = {0x03: schemas, 0x06: session(devices=device_list(*devices)),
              **more.pop("replace", {})}
    return indexed(*chunks, *evidence, streams=declared, replace=groups,
                   clock=clock or block(*lines, intervals=intervals), **more)


def clock(data: bytes) -> dict:
    return answer(data, "clock")


def kinds(result: dict) -> list:
    return [(problem["kind"], problem.get("stream_ref", problem.get("domain")))
            for problem in result["problems"]]


def verification(*lines, **more):
    result = clock(timed(lines=lines, **more))
    return [domain["verification"] for domain in result["domains"]], kinds(result)


def times(data: bytes, ref: int) -> list:
    return answer(data, "times", stream_ref=ref)["samples"]


def sample(data: bytes, ref: int) -> dict:
    [found] = times(data, ref)
    return found


def bounds(data: bytes, ref: int):
    found = sample(data, ref)["uncertainty"]
    return found if isinstance(found, str) else (found["low"], found["high"])


def delay_of(data: bytes, ref: int):
    return {row["stream_ref"]: row["delay"] for row in clock(data)["device_delays"]}[ref]


def told_delay(ns, uncertainty=0, applicable=True) -> dict:
    return {"delay_ns": str(ns), "uncertainty_ns": str(uncertainty), "applicable": applicable}


def device_stream(ref=PEER, name="dev", host="peer", **more) -> dict:
    return {ref: stream(ref, topic=f"t{ref}", device=name, host=host, **more)}


def one_way(*pairs) -> list:
    return [estimator.one_way(source, source + delta) for source, delta in pairs]


class Estimator(unittest.TestCase):
    """Reading G04, worked out by hand."""

    def fit(self, method, observations, anchor=0):
        found = estimator.estimate(method, observations, anchor)
        return found["offset_ns"], found["skew_ppb"], found["residual_spread_ns"]

    def test_a_constant_delay(self):
        observations = one_way((100, 1000), (200, 1000), (300, 1000), (400, 1000))
        for method in (RECEIPT_ONLY, ONE_WAY_MIN_FILTER):
            self.assertEqual({
                "offset_ns": 1000, "skew_ppb": 0, "reference_source_ns": 100,
                "residual_spread_ns": 0, "min_rtt_ns": None, "bias_low_ns": "unbounded",
                "bias_high_ns": 0, "skew_uncertainty_ppb": "not-estimated",
                "observation_count": 4}, estimator.estimate(method, observations))

    def test_the_first_receipt_alone(self):
        # 900 is the first, 500 the least: residuals 0 and 400, of which rank ceil(1.9) = 2
        self.assertEqual((900, 0, 400), self.fit(RECEIPT_ONLY, one_way((0, 900), (BILLION, 500))))

    def test_the_least_of_either_half(self):
        # the span is 4 * 10^9, its middle 1000 + 2 * 10^9. a: 500 at +10^9, b: 506 at +4 * 10^9.
        # skew = 6 * 10^9 / (3 * 10^9) = 2; offset = 500 - 10^9 * 2 / 10^9 = 498
        # residuals 900 - 498 = 402; 500 - 498 - 2 = 0; 506 - 498 - 8 = 0: rank ceil(2.85) = 3
        self.assertEqual((498, 2, 402), self.fit(ONE_WAY_MIN_FILTER, one_way(
            (1000, 900), (1000 + BILLION, 500), (1000 + 4 * BILLION, 506))))

    def test_division_drops_the_fraction(self):
        # -3 * 10^9 / (2 * 10^9) is -1.5 and becomes -1; then b: 497 - 500 - (-2) = -1, of which 1
        self.assertEqual((500, -1, 1), self.fit(ONE_WAY_MIN_FILTER, one_way(
            (0, 500), (2 * BILLION, 497))))
        # drift from O[0] to a: 5 * 10^8 * -3 / 10^9 = -1.5, so -1, and the offset is 500 + 1
        # (skew: (497 - 500) * 10^9 / 10^9 = -3); O[0]: 900 - 501 = 399
        self.assertEqual((501, -3, 399), self.fit(ONE_WAY_MIN_FILTER, one_way(
            (0, 900), (BILLION // 2, 500), (3 * BILLION // 2, 497))))

    def test_the_earliest_of_equals(self):
        # from 0 to 1000: 10^9 / 1000. From 100 it would be 1111111
        self.assertEqual(10**6, self.fit(ONE_WAY_MIN_FILTER, one_way(
            (0, 5), (100, 5), (1000, 6)))[1])

    def test_where_the_span_begins_and_ends(self):
        # from 100 to 300: the middle is 200. From the least source, 0, it would be 150
        first, second = estimator.halves(one_way((100, 0), (0, 0), (300, 0), (180, 0), (200, 0)))
        self.assertEqual([[100, 0, 180, 200], [300]], [[o.source for o in first],
                                                       [o.source for o in second]])
        # 0 to 5: 5/2 is 2
        first, second = estimator.halves(one_way((0, 0), (2, 0), (3, 0), (5, 0)))
        self.assertEqual(([0, 2], [3, 5]), ([o.source for o in first], [o.source for o in second]))

    def test_without_a_second_half(self):
        self.assertEqual((7, 0, 2), self.fit(ONE_WAY_MIN_FILTER, one_way(
            (50, 9), (50, 7), (20, 8))))
        one = [estimator.round_trip(50, 60, 64)]
        self.assertEqual("not-estimated",
                         estimator.estimate(ROUND_TRIP, one)["skew_uncertainty_ppb"])

    def test_a_round_trip(self):
        # rtt 401 and 301, so halves of 200 and 150; delta 5000 + 200 - 1000 = 4200 and
        # 1005000 + 150 - 1001000 = 4150. skew = -50 * 10^9 / 10^6, its doubt 350 * 10^9 / 10^6
        observations = [estimator.round_trip(1000, 5000, 5401),
                        estimator.round_trip(1_001_000, 1_005_000, 1_005_301)]
        self.assertEqual({
            "offset_ns": 4200, "skew_ppb": -50_000, "reference_source_ns": 1000,
            "residual_spread_ns": 0, "min_rtt_ns": 301, "bias_low_ns": 150, "bias_high_ns": 150,
            "skew_uncertainty_ppb": 350_000, "observation_count": 2},
            estimator.estimate(ROUND_TRIP, observations))
        # chosen by rtt: 5000 + 50 - 1000 = 4050 is less than 5000 + 10 - 900 = 4110
        chosen = [estimator.round_trip(1000, 5000, 5100), estimator.round_trip(900, 5000, 5020)]
        self.assertEqual(4110, self.fit(ROUND_TRIP, chosen)[0])

    def test_a_trigger(self):
        events = [estimator.by_event(100, 1100), estimator.by_event(200, 1260)]
        found = estimator.estimate(TRIGGER, events, 33_001)
        self.assertEqual((1000, 0, 60, 0, 33_001, 33_001, "not-estimated"), tuple(
            found[field] for field in ("offset_ns", "skew_ppb", "residual_spread_ns", "min_rtt_ns",
                                       "bias_low_ns", "bias_high_ns", "skew_uncertainty_ppb")))

    def test_the_worked_rows(self):
        """Of the reading, each found again by hand."""
        fields = ("offset_ns", "skew_ppb", "reference_source_ns", "residual_spread_ns",
                  "min_rtt_ns", "bias_low_ns", "bias_high_ns", "skew_uncertainty_ppb")
        # deltas 1000, 990, 1030: residuals 0, 10, 30
        first = one_way((100, 1000), (200, 990), (300, 1030))
        # deltas 500, 490, 485, 480, 480. The span is 1001, its middle 1000 + 500. a: 490 at 1200,
        # b: 480 at 1801, the first of two. skew: -10 * 10^9 / 601 = -16638935.1. From 1000 to a
        # -3.3, so -3: offset 493. Residuals 7; -3 + 3; -8 + 8; -13 + 13; -13 + 16 = 3
        second = one_way((1000, 500), (1200, 490), (1501, 485), (1801, 480), (2001, 480))
        # rtt 401 and 301, halves 200 and 150; deltas 5200 - 100 and 1005200 - 1000100, both 5100;
        # 350 * 10^9 / 10^6
        third = [estimator.round_trip(100, 5000, 5401),
                 estimator.round_trip(1_000_100, 1_005_050, 1_005_351)]
        for method, observations, expected in [
            (RECEIPT_ONLY, first, (1000, 0, 100, 30, None, "unbounded", 0, "not-estimated")),
            (ONE_WAY_MIN_FILTER, second,
             (493, -16638935, 1000, 7, None, "unbounded", 0, "not-estimated")),
            (ROUND_TRIP, third, (5100, 0, 100, 0, 301, 150, 150, 350_000)),
        ]:
            found = estimator.estimate(method, observations)
            self.assertEqual(expected, tuple(found[field] for field in fields))
            self.assertEqual(len(observations), found["observation_count"])

    def test_the_nearest_rank(self):
        for count, expected in [(1, 1), (2, 2), (19, 19), (20, 19), (21, 20), (40, 38), (100, 95)]:
            self.assertEqual(expected, estimator.percentile_95(list(range(count, 0, -1))), count)


class Messages(unittest.TestCase):
    def test_every_field(self):
        self.assertEqual({"source_ns": 1, "receipt_ns": MAX, "sent_ns": 0},
                         decode(CLOCK_OBSERVATION, observation(1, MAX, 0)))
        self.assertEqual({"device_ref": 2**32 - 1, "stream_ref": 4, "delay_ns": -5,
                          "uncertainty_ns": 6, "method": "led", "measured_unix_ns": 7,
                          "measured_by": "lab", "valid_firmware": "2.1",
                          "valid_config": [{"key": "fps", "value": "30"}]},
                         decode(DEVICE_DELAY, delay(-5, 2**32 - 1, 4, 6, "2.1")))
        self.assertEqual({"event_id": 8, "kind": 1, "method": "clap", "observed_by": "us",
                          "observations": [{"stream_ref": 1, "stamp_ns": 2, "uncertainty_ns": 3},
                                           {"stream_ref": 4, "stamp_ns": 5, "uncertainty_ns": 6}]},
                         decode(ALIGNMENT_EVENT, event((1, 2, 3), (4, 5, 6), ident=8, kind=1,
                                                       method="clap")))

    def test_what_does_not_stand_has_its_default(self):
        self.assertEqual({"source_ns": 0, "receipt_ns": 0, "sent_ns": None},
                         decode(CLOCK_OBSERVATION, b""))
        self.assertEqual([], decode(ALIGNMENT_EVENT, b"")["observations"])

    def test_what_is_passed_over(self):
        unknown = (number(15, 2**40) + fixed(2000, 1) + text(16, b"\xff") + varint(17 << 3 | 5)
                   + b"four" + b"\x93\x01" + number(1, 9) + b"\x9b\x01\x9c\x01" + b"\x94\x01")
        found = decode(CLOCK_OBSERVATION, unknown + observation(3, 4) + unknown + fixed(1, 5))
        self.assertEqual({"source_ns": 5, "receipt_ns": 4, "sent_ns": None}, found)
        self.assertEqual(1, decode(DEVICE_DELAY, b"\x08\x81\x80\x00")["device_ref"])  # not shortest
        self.assertEqual(1, decode(DEVICE_DELAY, number(1, 2**32 + 1))["device_ref"])

    def test_what_is_no_message(self):
        for shape, payload in [
            (CLOCK_OBSERVATION, b"\x09\x01"), (CLOCK_OBSERVATION, number(1, 5)),
            (CLOCK_OBSERVATION, b"\x0b\x0c"), (CLOCK_OBSERVATION, b"\x00\x00"),
            (CLOCK_OBSERVATION, b"\x0f\x01"), (CLOCK_OBSERVATION, b"\x0e"),
            (CLOCK_OBSERVATION, b"\x80" * 11), (CLOCK_OBSERVATION, b"\x80"),
            (CLOCK_OBSERVATION, b"\x7b"), (CLOCK_OBSERVATION, b"\x7b\x84\x01"),
            (CLOCK_OBSERVATION, b"\x7c"), (CLOCK_OBSERVATION, varint(2**29 << 3) + b"\0"),
            (DEVICE_DELAY, text(8, b"\xff")), (DEVICE_DELAY, b"\x42\x05abc"),
            (DEVICE_DELAY, text(9, number(1, 1))), (ALIGNMENT_EVENT, text(5, b"\x09")),
            (ALIGNMENT_EVENT, number(5, 1)),
        ]:
            with self.assertRaises(Violation, msg=payload):
                decode(shape, payload)

    def test_any_damage_is_a_violation_or_a_message(self):
        for shape, whole in [(CLOCK_OBSERVATION, observation(1, 2, 3)), (DEVICE_DELAY, delay(-7)),
                             (ALIGNMENT_EVENT, event((1, 2, 3), (2, 3, 4)))]:
            spoilt = [whole[:at] for at in range(len(whole))] + [
                whole[:at] + bytes([byte]) + whole[at + 1:]
                for at, byte in itertools.product(range(len(whole)), range(256))]
            for payload in [*spoilt, b"\x7b" * 10_000]:
                try:
                    decode(shape, payload)
                except Violation:
                    pass


class Item17(unittest.TestCase):
    """The total uncertainty."""

    PEER_AT_5000 = Rows((5000, "a"), ref=PEER)

    def bounds(self, clock_line, stamp=5000):
        return bounds(timed(Rows((stamp, "a"), ref=PEER), lines=[clock_line]), PEER)

    def test_terms_add_up_and_sides_stay_apart(self):
        self.assertEqual(("210", "310"), self.bounds(line(method=ROUND_TRIP, low=200, high=300,
                                                          spread=10)))
        self.assertEqual(("unbounded", "10"), self.bounds(line(spread=10)))
        self.assertEqual(("7", "unbounded"), self.bounds(line(low=0, high=MAX, spread=7)))

    def test_the_skews_share_grows_with_the_distance(self):
        # 3000 ppb over 10^9 ns are 3000 ns, before and behind
        for stamp in (BILLION, 3 * BILLION):
            self.assertEqual(("3200", "3200"), self.bounds(
                line(method=ROUND_TRIP, low=200, high=200, unsure=3000, origin=2 * BILLION), stamp))
        # 1 ppb over 10^9 is 1, over 1.5 * 10^9 is 1.5 and over a nanosecond next to nothing: both
        # are rounded up, to 2 and to 1
        for stamp, expected in ((0, "0"), (1, "1"), (BILLION, "1"), (3 * BILLION // 2, "2")):
            self.assertEqual((expected, expected), self.bounds(line(low=0, unsure=1), stamp))
        self.assertEqual(("0", "0"), self.bounds(line(low=0, unsure=MAX), BILLION))

    def test_exact_and_unmapped(self):
        data = timed(Rows((5, "a")), Rows((5, "b"), ref=PEER))
        self.assertEqual(("0", "0"), bounds(data, OWN))
        self.assertEqual("cannot", bounds(data, PEER))
        self.assertEqual("cannot", self.bounds(line(quality=0, low=5)))

    def test_a_method_that_is_not_defined(self):
        data = timed(self.PEER_AT_5000, lines=[line(method=9, low=5, high=5, offset=1)])
        self.assertEqual(("unbounded", "unbounded"), bounds(data, PEER))
        self.assertEqual(("ok", "5001"), (sample(data, PEER)["basis"], sample(data, PEER)["time"]))

    def test_a_sum_that_leaves_64_bits(self):
        self.assertEqual(("unbounded", "2"), self.bounds(line(low=MAX - 1, spread=2)))
        self.assertEqual(("unbounded", "unbounded"), self.bounds(
            line(low=0, unsure=MAX - 1), 2 * BILLION))
        self.assertEqual((str(MAX), "2"), self.bounds(line(low=MAX - 2, spread=2)))


class Item18(unittest.TestCase):
    """Mappings are recomputed."""

    STEADY = [observation(source, source + 1000) for source in (100, 200, 300, 400)]
    RIGHT = {"method": ONE_WAY_MIN_FILTER, "offset": 1000, "origin": 100, "count": 4,
             "stream_ref": OBSERVED}

    def verify(self, observations=STEADY, **changes):
        return verification(line(**{**self.RIGHT, **changes}), observations=observations)

    def test_right_and_wrong(self):
        wrong = (["inconsistent"], [("mapping-inconsistent", "peer")])
        self.assertEqual((["verified"], []), self.verify())
        self.assertEqual((["verified"], []), self.verify(quality=1))
        self.assertEqual((["verified"], []), self.verify(method=RECEIPT_ONLY))
        for changes in ({"offset": 1000 + BILLION}, {"skew": 1}, {"origin": 200}, {"spread": 500},
                        {"rtt": 0}, {"low": 0}, {"high": 1}, {"low": MAX - 1}, {"unsure": 0},
                        {"count": 5}):
            self.assertEqual(wrong, self.verify(**changes), changes)

    def test_observations_come_in_file_order(self):
        later = Rows((50, Payload(observation(100, 1100))), ref=OBSERVED)  # first in the index
        first = Rows((60, Payload(observation(200, 1200))), ref=OBSERVED)
        for origin, expected in ((200, "verified"), (100, "inconsistent")):
            data = timed(first, later, lines=[line(**{**self.RIGHT, "origin": origin, "count": 2})])
            self.assertEqual(expected, clock(data)["domains"][0]["verification"])

    def test_round_trips(self):
        right = {"method": ROUND_TRIP, "offset": 4200, "origin": 1000, "rtt": 400, "low": 200,
                 "high": 200, "count": 1}  # 5000 + 400 / 2 - 1000
        self.assertEqual((["verified"], []),
                         self.verify([observation(1000, 5400, 5000)], **right))
        for observations, changes in [
            ([observation(1000, 5400)], {}), ([observation(1000, 5000, 5400)], {}),
            ([observation(1000, 5000, 5400)], {"offset": 4200, "rtt": MAX, "low": 0}),
            ([observation(1000, 5400, 5000)], {"rtt": None}),
            ([observation(1000, 5400, 5000)], {"low": 400, "high": 400}),
            ([observation(1000, 5401, 5000)], {"rtt": 401, "low": 201, "high": 201}),
        ]:
            self.assertEqual(["inconsistent"], self.verify(observations, **{**right, **changes})[0])
        self.assertEqual(["verified"], self.verify(
            [observation(1000, 5401, 5000)], **{**right, "rtt": 401})[0])

    def test_a_result_that_its_field_cannot_hold(self):
        # an offset of 2^63 would be stored as -2^63
        self.assertEqual(["inconsistent"], self.verify([observation(0, 2**63)], count=1, origin=0,
                                                       offset=2**63)[0])

    def test_no_observations(self):
        self.assertEqual(["inconsistent"], self.verify([])[0])
        self.assertEqual((["unverified"], []), self.verify([], quality=0))

    def test_what_is_not_recomputed(self):
        for changes in ({"stream_ref": 0}, {"version": 0}, {"version": 2}, {"stream_ref": OWN},
                        {"stream_ref": EVENTS}, {"method": 9}, {"method": TRIGGER}):
            self.assertEqual((["unverified"], []), self.verify(**changes), changes)
        xml = SCHEMAS.replace(schema(1, "ca3.time.v1.ClockObservation"),
                              schema(1, "ca3.time.v1.ClockObservation", encoding="xml"))
        self.assertEqual((["unverified"], []), verification(
            line(**self.RIGHT), observations=self.STEADY, schemas=xml))

    def test_trigger_mappings(self):
        # the peer stamps what the own stream stamps 1000 later; 1 us and 33 ms of doubt
        right = {"method": TRIGGER, "offset": 1000, "origin": 500, "rtt": 0, "low": 33_001_000,
                 "high": 33_001_000, "count": 2, "stream_ref": EVENTS}
        events = [event((PEER, 400, 0), ident=1),
                  event((OWN, 1500, 1000), (PEER, 500, 33_000_000), ident=2),
                  event((PEER, 600, 5), (OWN, 1600, 5), ident=3)]
        self.assertEqual((["verified"], []), verification(line(**right), events=events))
        for changes in ({"low": 0, "high": 0}, {"low": 1000, "high": 1000}, {"offset": 1001},
                        {"origin": 600}, {"rtt": None}, {"count": 3}, {"offset": 0}):
            self.assertEqual(["inconsistent"], verification(
                line(**{**right, **changes}), events=events)[0], changes)
        self.assertEqual(["inconsistent"], verification(line(**right), events=events[:1])[0])
        self.assertEqual(["unverified"], verification(line(**{**right, "stream_ref": 0}),
                                                      events=events)[0])
        self.assertEqual(["unverified"], verification(line(kind=9, **right), events=events)[0])

    def test_who_observed_an_event(self):
        right = {"method": TRIGGER, "offset": 1000, "origin": 500, "rtt": 0, "low": 0, "high": 0,
                 "count": 1, "stream_ref": EVENTS}
        device = {6: stream(6, device="dev"), 7: stream(7), 8: peer(8, device="dev")}
        # stream 6 is on its device's clock, though its host is the reference
        sights = (6, 500, 0), (7, 1500, 0), (OWN, 1600, 0), (8, 510, 0), (PEER, 700, 0)
        self.assertEqual(["verified"], verification(line("dev", kind=0, **right), streams=device,
                                                    events=[event(*sights)])[0])
        self.assertEqual(["verified"], verification(
            line(**{**right, "offset": 800, "origin": 700}), streams=device,
            events=[event(*sights)])[0])
        # host "host" has another boot, whose stream the domain's sight is: OWN's is the reference's
        boots = {6: stream(6, epoch="e2")}
        own_name = {**right, "kind": 1, "stream_ref": EVENTS}
        for sights in (((OWN, 1500, 0), (6, 500, 0)), ((6, 500, 0), (OWN, 1500, 0))):
            self.assertEqual(["verified"], verification(
                line("host", **own_name), streams=boots, events=[event(*sights)])[0])
        self.assertEqual(["inconsistent"], verification(
            line("host", **{**own_name, "offset": 0, "origin": 1500}),
            events=[event((OWN, 1500, 0))])[0])
        # a stream that nothing declares observed nothing
        self.assertEqual((["verified"], [("unresolved-reference", 9)]), verification(
            line("dev", kind=0, **right), streams=device, events=[event((9, 1, 0), *sights)]))


class Item19(unittest.TestCase):
    """Nothing is verified whose observations were not read."""

    def test_payloads_that_are_no_observations(self):
        found = verification(line(**Item18.RIGHT), observations=[*Item18.STEADY, b"\x09", b"\x09"])
        self.assertEqual((["unverified"], [("bad-length", OBSERVED)]), found)
        found = verification(line(method=TRIGGER, stream_ref=EVENTS), events=[b"\x08"])
        self.assertEqual((["unverified"], [("bad-length", EVENTS)]), found)

    def test_a_damaged_chunk(self):
        data = timed(lines=[line(**Item18.RIGHT)], observations=Item18.STEADY)
        at = data.index(observation(300, 1300))
        result = clock(data[:at + 1] + b"\x55" + data[at + 2:])
        self.assertEqual(["unverified"], [d["verification"] for d in result["domains"]])
        self.assertEqual([("bad-crc", OBSERVED)], kinds(result))
        self.assertTrue(result["problems"][0]["offset"].isdigit())
        for ref, evidence in ((EVENTS, {"events": [event((1, 2, 3))]}),
                              (DELAYS, {"delays": [delay(5)]})):
            data = timed(**evidence)
            at = data.index(b"us" if ref == EVENTS else b"led")
            spoilt = data[:at] + b"?" + data[at + 1:]
            self.assertEqual("bad-crc", clock(spoilt)["kind"])
            self.assertEqual("bad-crc", answer(spoilt, "times", stream_ref=OWN)["kind"])

    def test_an_unknown_codec_refuses_the_request(self):
        spoilt = Rows((0, Payload(observation(1, 2))), ref=OBSERVED, codec=7)
        data = timed(spoilt, lines=[line(**Item18.RIGHT)])
        self.assertEqual("unknown-codec", clock(data)["kind"])

    def test_references_to_nothing(self):
        found = verification(line(**{**Item18.RIGHT, "stream_ref": 9}), intervals=[(8, 1, 2, "x")])
        self.assertEqual((["unverified"], [("unresolved-reference", 8),
                                           ("unresolved-reference", 9)]), found)

    def test_limits_of_the_program(self):
        # each observation counts 256 and twice its 18 bytes: three are 876, four are 1168
        with mock.patch.object(ca3_evidence, "EVIDENCE_LIMIT", 1000):
            self.assertEqual((["verified"], []), Item18().verify(Item18.STEADY[:3], count=3))
            result = clock(timed(lines=[line(**Item18.RIGHT)], observations=Item18.STEADY))
            self.assertEqual("limit-exceeded", result["kind"])
        events = [event((OWN, 1, 2), (PEER, 3, 4))]
        for limit, is_over in ((1, True), (2, False)):
            with mock.patch.object(ca3_messages, "REPEATED_LIMIT", limit):
                self.assertEqual(is_over, clock(timed(events=events)).get("kind")
                                 == "limit-exceeded")
        whole = clock(timed(events=events))
        self.assertEqual(1, len(whole["alignment_events"]))
        with mock.patch.object(ca3_query, "ANSWER_LIMIT", 1000):  # two texts and two sights
            self.assertEqual("limit-exceeded", clock(timed(events=events))["kind"])


class Item20(unittest.TestCase):
    """Degraded intervals, in all three answers."""

    def reasons(self, data, ref, stamps):
        """Of times and of window, which must agree; of state_at at the last of the stamps."""
        samples = times(data, ref)
        messages = asked(data, "window", t1="0", t2=str(MAX), streams=[ref])["messages"]
        self.assertEqual([str(stamp) for stamp in stamps],
                         [found["monotonic_timestamp_ns"] for found in samples])
        self.assertEqual([found["degraded"] for found in samples],
                         [found["degraded"] for found in messages])
        last = asked(data, "state_at", t=str(2**63), streams=[ref])["results"][0]
        self.assertEqual(samples[-1]["degraded"], last["degraded"])
        return [found["degraded"] for found in samples]

    def test_both_ends_on_the_streams_own_clock(self):
        stamps = 9, 10, 20, 21
        data = timed(Rows(*((stamp, "a") for stamp in stamps), ref=PEER),
                     lines=[line(offset=1000)], intervals=[(PEER, 10, 20, "probe lost")])
        self.assertEqual([[], ["probe lost"], ["probe lost"], []],
                         self.reasons(data, PEER, stamps))

    def test_word_for_word_and_nothing_else(self):
        intervals = [(OWN, 0, 15, "a, b"), (PEER, 0, 99, "other"), (OWN, 15, 15, ""),
                     (OWN, 20, 10, "backwards"), (OWN, 15, 99, "ä")]
        data = timed(Rows((15, "a")), Rows((15, "b"), ref=PEER), intervals=intervals)
        self.assertEqual([["a, b", "", "ä"]], self.reasons(data, OWN, [15]))
        [found] = self.reasons(data, PEER, [15])  # unmapped, which has a reason of its own
        self.assertEqual(("other", 2), (found[0], len(found)))
        data = timed(Rows((15, "b"), ref=PEER), lines=[line(quality=1)])
        self.assertEqual([1], [len(found) for found in self.reasons(data, PEER, [15])])

    def test_without_a_message(self):
        data = timed(Rows((15, "a")), intervals=[(OWN, 0, 99, "x")])
        found = asked(data, "state_at", t="9", streams=[OWN])["results"][0]
        self.assertEqual((None, []), (found["message"], found["degraded"]))

    def test_as_stored(self):
        found = clock(timed(intervals=[(PEER, 10, 20, "probe lost"), (OWN, 5, 1, "")]))
        self.assertEqual([
            {"stream_ref": PEER, "from_ns": "10", "to_ns": "20", "reason": "probe lost"},
            {"stream_ref": OWN, "from_ns": "5", "to_ns": "1", "reason": ""}],
            found["degraded_intervals"])
        damaged = block(intervals=[(OWN, 1, 2, "xyz")])[9:-1]
        self.assertEqual("bad-length", clock(timed(clock=record(0x0A, damaged)))["kind"])

    def test_long_reasons_are_counted(self):
        data = timed(Rows(*((stamp, "a") for stamp in range(600))),
                     intervals=[(OWN, 0, 999, "x" * (1 << 16))])  # 600 times, 2 bytes a letter
        for op in ("window", "times"):
            ask_for = asked if op == "window" else answer
            self.assertEqual("limit-exceeded", ask_for(data, op, t1="0", t2="999", streams=[OWN],
                                                       stream_ref=OWN)["kind"])


class Item21(unittest.TestCase):
    """Delays inside devices."""

    def test_none_is_unknown(self):
        data = timed(Rows((5, "a")))
        self.assertEqual("unknown", delay_of(data, OWN))
        self.assertEqual(("unknown", "5"), (sample(data, OWN)["device_delay"],
                                            sample(data, OWN)["time"]))
        unknown = timed(Rows((5, "a")), delays=[delay(3, ref=OWN), delay(3, ref=OWN,
                                                                         uncertainty=MAX)])
        self.assertEqual("unknown", delay_of(unknown, OWN))
        self.assertEqual(("unknown", "5"), (sample(unknown, OWN)["device_delay"],
                                            sample(unknown, OWN)["time"]))

    def test_a_positive_delay_makes_the_time_earlier(self):
        for ns, time in ((300, "4700"), (-300, "5300"), (5001, "0")):
            data = timed(Rows((5000, "a")), delays=[delay(ns, ref=OWN, uncertainty=7)])
            found = sample(data, OWN)
            self.assertEqual((time, "exact", {"low": "7", "high": "7"}, "5000"),
                             (found["time"], found["basis"], found["uncertainty"],
                              found["monotonic_timestamp_ns"]))
            self.assertEqual({"delay_ns": str(ns), "applied": True}, found["device_delay"])
            state = asked(data, "state_at", t="5000", streams=[OWN])["results"][0]
            self.assertEqual("5000", state["time"])
        above = timed(Rows((MAX, "a")), delays=[delay(-1, ref=OWN)])
        self.assertEqual("limit-exceeded", answer(above, "times", stream_ref=OWN)["kind"])

    def test_all_streams_of_a_device(self):
        streams = {6: stream(6, device="dev"), 7: stream(7, device="de"), 8: peer(8, device="dev")}
        data = timed(delays=[delay(5)], streams=streams)
        self.assertEqual([OWN, PEER, OBSERVED, EVENTS, DELAYS, 6, 7, 8],
                         [row["stream_ref"] for row in clock(data)["device_delays"]])
        self.assertEqual([told_delay(5), "unknown", told_delay(5), "unknown"],
                         [delay_of(data, ref) for ref in (6, 7, 8, OWN)])
        nameless = timed(delays=[delay(5)], devices=[(1, "", "2.1")])
        self.assertEqual("unknown", delay_of(nameless, OWN))

    def test_which_of_several(self):
        streams = {**device_stream(6), **device_stream(7)}
        later = Rows((1, Payload(delay(4, ref=6))), ref=DELAYS)  # the index has it first
        first = Rows((2, Payload(delay(3, ref=6))), (3, Payload(delay(1))), ref=DELAYS)
        data = timed(first, later, streams=streams)
        self.assertEqual([told_delay(4), told_delay(1)], [delay_of(data, ref) for ref in (6, 7)])
        data = timed(delays=[delay(4, ref=6), delay(1), delay(2, uncertainty=9)], streams=streams)
        self.assertEqual([told_delay(4), told_delay(2, 9)], [delay_of(data, ref) for ref in (6, 7)])

    def test_firmware(self):
        for firmware, applicable in (("2.1", True), ("", True), ("2.3", False), ("2.10", False),
                                     ("2", False)):
            data = timed(Rows((50, "a")), delays=[delay(5, ref=OWN, firmware=firmware)])
            self.assertEqual(told_delay(5, 0, applicable), delay_of(data, OWN))
            found = answer(data, "times", stream_ref=OWN)
            [first] = found["samples"]
            self.assertEqual({"delay_ns": "5", "applied": applicable}, first["device_delay"])
            self.assertEqual("45" if applicable else "50", first["time"])
            expected = [] if applicable else [("delay-not-applicable", OWN)]
            self.assertEqual(expected, kinds(found))
            self.assertEqual(expected, kinds(clock(data)))

    def test_what_fits_comes_first(self):
        stale, odd = [("delay-not-applicable", 6)], {"firmware": "1"}
        unknown = {"uncertainty": MAX}
        for delays, expected, reported in [
            # firmware, before a name, before the place in the file
            ([delay(1), delay(2, ref=6, **odd)], told_delay(1), stale),
            ([delay(1, ref=6), delay(2, ref=6, **odd)], told_delay(1), stale),
            ([delay(1, ref=6, **odd), delay(2)], told_delay(2), stale),
            ([delay(1, ref=6), delay(2), delay(3)], told_delay(1), []),
            # where none fits, the rest decides
            ([delay(1, ref=6, **odd), delay(2, **odd)], told_delay(1, 0, False), stale),
            ([delay(1, **odd), delay(2, **odd)], told_delay(2, 0, False), stale),
            # one that says that nothing is known is chosen like any other
            ([delay(1), delay(2, ref=6, **unknown)], "unknown", []),
            ([delay(1), delay(2, ref=6, **unknown, **odd)], told_delay(1), stale),
            ([delay(1, **odd), delay(2, **unknown)], "unknown", stale),
        ]:
            data = timed(stamped(6, (50, None)), delays=delays, streams=device_stream(6))
            self.assertEqual(expected, delay_of(data, 6))
            self.assertEqual(reported, kinds(clock(data)))
            self.assertEqual(reported, kinds(answer(data, "times", stream_ref=6)))

    def test_the_session_in_force(self):
        # the summary's, and without one the last of the data section
        old, new = (session(devices=device_list((1, "dev", firmware))) for firmware in ("1", "2"))
        delays = [delay(5, ref=OWN, firmware="2")]
        for groups, records in (({0x06: new}, old), ({0x06: None}, old + new)):
            data = timed(delays=delays, replace=groups, data=records)
            self.assertEqual(told_delay(5), delay_of(data, OWN))
        data = timed(delays=delays, replace={0x06: None})
        self.assertEqual("unknown", delay_of(data, OWN))
        self.assertEqual(["unresolved-reference"], [p["kind"] for p in clock(data)["problems"]])

    def test_a_device_or_stream_that_nothing_declares(self):
        data = timed(delays=[delay(5, device=9, ref=OWN), delay(6, ref=9)])
        self.assertEqual("unknown", delay_of(data, OWN))
        self.assertEqual([("unresolved-reference", 9), ("unresolved-reference", None)],
                         kinds(clock(data)))

    def test_payloads_that_are_no_delays(self):
        data = timed(Rows((50, "a")), delays=[b"\x42\x01\xff", delay(5, ref=OWN), b"\x08"])
        self.assertEqual(told_delay(5), delay_of(data, OWN))
        self.assertEqual([("bad-utf8", DELAYS)], kinds(clock(data)))
        self.assertEqual([("bad-utf8", DELAYS)], kinds(answer(data, "times", stream_ref=OWN)))

    def test_a_delay_corrects_the_devices_own_time(self):
        device = line("dev", kind=0, method=ROUND_TRIP, quality=1, offset=1000, low=20, high=30)
        data = timed(stamped(PEER, (5000, 400), (6000, None)), streams=device_stream(),
                     lines=[line(offset=7, low=1), device], delays=[delay(50, uncertainty=3)])
        with_source, without = times(data, PEER)
        self.assertEqual({"timestamp_ns": "400", "basis": "degraded", "time": "1350",
                          "uncertainty": {"low": "23", "high": "33"}}, with_source["source"])
        self.assertEqual(("5007", {"low": "1", "high": "0"}, {"delay_ns": "50", "applied": True}),
                         (with_source["time"], with_source["uncertainty"],
                          with_source["device_delay"]))
        self.assertEqual((None, "6007", {"delay_ns": "50", "applied": False}),
                         (without["source"], without["time"], without["device_delay"]))

    def test_a_devices_line_never_maps_stamps(self):
        data = timed(stamped(OWN, (5000, 400)), stamped(PEER, (5000, 400)),
                     lines=[line("dev", kind=0, offset=1000)],
                     streams={**device_stream(), **device_stream(OWN, host="host")})
        for ref, basis in ((OWN, "exact"), (PEER, "unmapped")):
            found = sample(data, ref)
            self.assertEqual((basis, "5000", "1400"),
                             (found["basis"], found["time"], found["source"]["time"]))

    def test_where_the_source_is_not_mapped(self):
        raw = {"timestamp_ns": "400", "basis": "unmapped", "time": "400", "uncertainty": "cannot"}
        for lines, name in [
            ([line(offset=7)], "dev"), ([line(offset=7), line("dev", kind=0, quality=0)], "dev"),
            ([line(offset=7), line("dev", kind=1)], "dev"),
            ([line(offset=7), line("", kind=0)], ""),
            ([line(offset=7), line("dev", kind=0)], "dev2"),
        ]:
            data = timed(stamped(PEER, (5000, 400)), lines=lines,
                         streams=device_stream(name=name), delays=[delay(50, ref=PEER)])
            found = sample(data, PEER)
            self.assertEqual((raw, "4957", {"delay_ns": "50", "applied": True}),
                             (found["source"], found["time"], found["device_delay"]))
        nowhere = timed(stamped(PEER, (5000, 400)), streams=device_stream(), delays=[delay(50)])
        found = sample(nowhere, PEER)
        self.assertEqual((raw, "5000", "unmapped", {"delay_ns": "50", "applied": False}),
                         (found["source"], found["time"], found["basis"], found["device_delay"]))


class Item22(unittest.TestCase):
    """Nothing is corrected twice."""

    TRIGGER = {"kind": 0, "method": TRIGGER, "offset": 1000, "low": 5, "high": 5, "rtt": 0}

    def both(self, lines, sights=(), **more):
        """Applied, source time, time and problems of stream 2, which has a delay of 50."""
        data = timed(stamped(PEER, (5000, 400)), lines=lines, streams=device_stream(host="host"),
                     delays=[delay(50, **more)], events=[event(*sights)] if sights else [])
        found = answer(data, "times", stream_ref=PEER)
        [first] = found["samples"]
        of_clock = [kind for kind in kinds(clock(data)) if kind[0] != "mapping-inconsistent"]
        self.assertEqual(of_clock, kinds(found))
        return (first["device_delay"]["applied"], first["source"]["time"], first["time"],
                kinds(found))

    def test_a_trigger_mapping(self):
        reported = [("delay-double-counted", PEER)]
        self.assertEqual((False, "1400", "5000", []), self.both(
            [line("dev", stream_ref=EVENTS, **self.TRIGGER)]))
        self.assertEqual((False, "1400", "5000", reported), self.both(
            [line("dev", **self.TRIGGER)]))
        self.assertEqual((False, "1400", "5000", reported), self.both(
            [line("dev", stream_ref=OBSERVED, **self.TRIGGER)]))  # which holds no events
        self.assertEqual((True, "1350", "5000", []), self.both(
            [line("dev", **{**self.TRIGGER, "method": ROUND_TRIP}), line("d2", **self.TRIGGER)]))

    def test_an_event(self):
        one_way = line("dev", kind=0, offset=1000)
        reported = [("delay-double-counted", PEER)]
        self.assertEqual((False, "1400", "5000", reported),
                         self.both([one_way], [(OWN, 1, 0), (PEER, 1, 0)]))
        self.assertEqual((True, "1350", "5000", []), self.both([one_way], [(OWN, 1, 0)]))
        self.assertEqual((False, "1400", "5000", []), self.both(
            [line("dev", stream_ref=EVENTS, **self.TRIGGER)], [(PEER, 1, 0)]))
        # a trigger mapping of another stream states nothing about this one
        self.assertEqual((False, "1400", "5000", reported), self.both(
            [one_way, line("dev2", stream_ref=EVENTS, **self.TRIGGER)], [(PEER, 1, 0)]))

    def test_the_hosts_trigger_mapping(self):
        trigger = {**self.TRIGGER, "kind": 1}
        data = timed(Rows((5000, "a"), ref=PEER), lines=[line(**trigger)],
                     delays=[delay(50, ref=PEER)])
        found = answer(data, "times", stream_ref=PEER)
        self.assertEqual([("delay-double-counted", PEER)], kinds(found))
        self.assertEqual("6000", found["samples"][0]["time"])
        # what is in the reference domain was mapped by nothing
        own = timed(Rows((5000, "a")), lines=[line("host", **{**trigger, "kind": 2})],
                    delays=[delay(50, ref=OWN)])
        found = answer(own, "times", stream_ref=OWN)
        self.assertEqual(("4950", []), (found["samples"][0]["time"], kinds(found)))

    def test_no_delay_is_no_second_correction(self):
        data = timed(lines=[line(**{**self.TRIGGER, "kind": 1})], events=[event((PEER, 1, 0))],
                     delays=[delay(5, ref=PEER, uncertainty=MAX), delay(5, ref=OWN)])
        self.assertEqual([], kinds(clock(data)))
        # nor is one under other firmware, which was never to be taken off
        data = timed(Rows((9, "a"), ref=PEER), lines=[line(**{**self.TRIGGER, "kind": 1})],
                     events=[event((PEER, 1, 0))], delays=[delay(5, ref=PEER, firmware="1")])
        for result in (clock(data), answer(data, "times", stream_ref=PEER)):
            self.assertEqual([("delay-not-applicable", PEER)], kinds(result))

    def test_which_mappings_count(self):
        reported = [("delay-double-counted", PEER)]
        quiet = line("dev", quality=0, **self.TRIGGER)
        # of quality 0 it maps nothing, and covers the stream all the same
        self.assertEqual((False, "400", "5000", reported), self.both([quiet]))
        # the host's, where the stream is not in the reference domain, beside the device's
        hosts = {**self.TRIGGER, "kind": 1}
        for lines, expected in [
            ([line("dev", kind=0), line(**hosts)], (False, reported)),
            ([line("dev", kind=0), line(stream_ref=EVENTS, **hosts)], (False, [])),
            ([line("dev", kind=0), line("other", **hosts)], (True, [])),
        ]:
            data = timed(stamped(PEER, (5000, 400)), lines=lines, streams=device_stream(),
                         delays=[delay(50)])
            found = answer(data, "times", stream_ref=PEER)
            self.assertEqual(expected, (found["samples"][0]["device_delay"]["applied"],
                                        kinds(found)))
        # two boots under one name: that mapping is used for neither
        boots = {PEER: peer(epoch="e1"), 6: peer(6, epoch="e2")}
        data = timed(Rows((5000, "a"), ref=PEER), lines=[line(**hosts)], streams=boots,
                     delays=[delay(50, ref=PEER)])
        found = answer(data, "times", stream_ref=PEER)
        self.assertEqual(("unmapped", []), (found["samples"][0]["basis"], kinds(found)))


class Item23(unittest.TestCase):
    """What a ClockBlock states, sentinels as words."""

    def test_every_field(self):
        stored = line("p", kind=1, method=2, quality=1, offset=-5, skew=-6, origin=7, spread=8,
                      rtt=9, low=10, high=11, unsure=12, count=13, stream_ref=0, version=14)
        self.assertEqual([{
            "domain": "p", "kind": 1, "method": 2, "quality": 1, "offset_ns": "-5",
            "skew_ppb": "-6", "reference_source_ns": "7", "residual_spread_ns": "8",
            "min_rtt_ns": "9", "bias_low_ns": "10", "bias_high_ns": "11",
            "skew_uncertainty_ppb": "12", "observation_count": "13", "observations_stream": 0,
            "estimator_version": 14, "verification": "unverified"}],
            clock(timed(lines=[stored]))["domains"])

    def test_sentinels_and_presence(self):
        fields = "min_rtt_ns", "bias_low_ns", "bias_high_ns", "skew_uncertainty_ppb"
        one_byte = line(rtt=0).replace(u(1, 1) + u(8, 0) + u(8, MAX), u(1, 2) + u(8, 6) + u(8, MAX))
        left = line().replace(u(1, 0) + u(8, 0) + u(8, MAX), u(1, 0) + u(8, 6) + u(8, MAX))
        for stored, expected in [
            (line(), (None, "unbounded", "0", "not-estimated")),
            (line(rtt=0, low=0, high=MAX, unsure=0), ("0", "0", "unbounded", "0")),
            (line(rtt=MAX, low=MAX - 1, unsure=MAX - 1),
             (str(MAX), str(MAX - 1), "0", str(MAX - 1))),
            (one_byte, ("6", "unbounded", "0", "not-estimated")),
            (left, (None, "unbounded", "0", "not-estimated")),
        ]:
            [domain] = clock(timed(lines=[stored]))["domains"]
            self.assertEqual(expected, tuple(domain[field] for field in fields))

    def test_numbers_that_are_not_defined(self):
        [domain] = clock(timed(lines=[line(kind=7, method=8, quality=9)]))["domains"]
        self.assertEqual((7, 8, 9), (domain["kind"], domain["method"], domain["quality"]))

    def test_the_reference(self):
        found = clock(timed(clock=block(host="h2", epoch="e1")))
        self.assertEqual({"host_id": "h2", "host_clock_epoch": "e1"}, found["reference"])
        found = clock(indexed(Rows((1, "a"))))
        self.assertEqual(({"host_id": "host", "host_clock_epoch": "boot"}, [], [], []),
                         (found["reference"], found["domains"], found["degraded_intervals"],
                          found["alignment_events"]))

    def test_events_in_file_order(self):
        later = Rows((1, Payload(event((OWN, 1, 2), ident=5, kind=1))), ref=EVENTS)
        first = Rows((2, Payload(event(ident=9, method="xcorr"))), ref=6)
        streams = {6: stream(6, 2)}
        self.assertEqual([
            {"event_id": 9, "kind": 0, "method": "xcorr", "observed_by": "us", "observations": []},
            {"event_id": 5, "kind": 1, "method": "ttl", "observed_by": "us", "observations": [
                {"stream_ref": OWN, "stamp_ns": "1", "uncertainty_ns": "2"}]}],
            clock(timed(first, later, streams=streams))["alignment_events"])


class Times(unittest.TestCase):
    def test_by_stamp_over_overlapping_chunks(self):
        data = timed(Rows((10, "a"), (40, "b")), Rows((20, "c"), (40, "d")), overlap=(OWN,))
        self.assertEqual(["10", "20", "40", "40"],
                         [found["monotonic_timestamp_ns"] for found in times(data, OWN)])
        self.assertEqual([{"monotonic_timestamp_ns": "10", "basis": "exact", "time": "10",
                           "degraded": [], "uncertainty": {"low": "0", "high": "0"},
                           "source": None, "device_delay": "unknown"}], times(data, OWN)[:1])
        self.assertEqual([], times(data, PEER))

    def test_results_that_leave_64_bits(self):
        data = timed(stamped(PEER, (5, MAX)), lines=[line("dev", kind=0, offset=1)],
                     streams=device_stream())
        self.assertEqual("limit-exceeded", answer(data, "times", stream_ref=PEER)["kind"])

    def test_arguments(self):
        data = timed(Rows((1, "a")))
        self.assertEqual(("unresolved-reference", 9), tuple(
            answer(data, "times", stream_ref=9)[name] for name in ("kind", "stream_ref")))
        for ref in (None, 1.0, 1.5, True, -1, [], {}, "x", "9" * 5000):
            self.assertEqual("other", answer(data, "times", stream_ref=ref)["kind"], ref)
        self.assertEqual("other", answer(data, "times")["kind"])
        self.assertEqual("unresolved-reference", answer(data, "times", stream_ref=2**70)["kind"])

    def test_only_what_is_wanted_is_fetched(self):
        source = Recorded(timed(Rows((1, "a" * 99)), Rows((1, "b" * 99), ref=PEER)))
        ask(source, {"op": "times", "stream_ref": PEER})
        at = source.data.index(b"a" * 99)
        self.assertFalse([f for f in source.fetches if f[0] < at + 99 and f[1] > at])


class Protocol(unittest.TestCase):
    def test_hello(self):
        self.assertEqual((4, True, True), (HELLO["level"], "clock" in HELLO["ops"],
                                           "times" in HELLO["ops"]))

    def test_files_that_are_not_sealed(self):
        for op, arguments in (("clock", {}), ("times", {"stream_ref": 1})):
            for data in (unsealed(header(), stream()), timed()[:-8], b""):
                self.assertIn(answer(data, op, **arguments)["kind"],
                              ("truncated-record", "bad-magic"))

    def test_by_path(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "x.ca3")
            with open(path, "wb") as file:
                file.write(timed(Rows((1, "a")), lines=[line()]))
            for op, arguments in (("clock", {}), ("times", {"stream_ref": 1})):
                found = respond({"op": op, "path": path, **arguments})
                self.assertEqual("ok", found["status"])
                json.dumps(found)
            self.assertEqual("refused", respond({"op": "times", "path": path})["status"])
            self.assertEqual("refused", respond({"op": "clock", "path": folder})["status"])

    def test_any_changed_byte_is_answered(self):
        data = timed(stamped(PEER, (5, 1)), streams=device_stream(), delays=[delay(5)],
                     lines=[line(**Item18.RIGHT), line("dev", **Item22.TRIGGER)],
                     observations=Item18.STEADY[:2], events=[event((PEER, 1, 2), (OWN, 3, 4))],
                     intervals=[(PEER, 1, 9, "x")])
        crc_at, sections = len(data) - 12, [int.from_bytes(data[at:at + 8], "little")
                                            for at in (len(data) - 36, len(data) - 28)]
        for at in range(len(data)):
            spoilt = data[:at] + bytes([(0x00, 0x7F, 0xFF)[at % 3]]) + data[at + 1:]
            if sections[0] <= at < sections[1]:  # or the checksum would hide what comes of it
                crc = crc32c(spoilt[sections[0]:sections[1]])
                spoilt = spoilt[:crc_at] + u(4, crc) + spoilt[crc_at + 4:]
            op, arguments = (("clock", {}), ("times", {"stream_ref": PEER}))[at % 2]
            json.dumps(answer(spoilt, op, **arguments))


if __name__ == "__main__":
    unittest.main()
