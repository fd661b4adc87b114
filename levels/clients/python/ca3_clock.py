"""ClockBlock, and how a stream's own time and the reference domain's become one another (§10).

Whole numbers throughout: Python's never overflow. Elsewhere, products want 128 bits.
"""
from __future__ import annotations

from collections import namedtuple

from ca3_reader import Cursor

BILLION = 10**9
DEVICE, PEER_HOST, SELF = 0, 1, 2  # §10.4: what the name of a domain is the name of
EXACT, UNMAPPED = "exact", "unmapped"
BIAS_UNBOUNDED = SKEW_NOT_ESTIMATED = 2**64 - 1  # §10.4: two sentinels, and no numbers
UNBOUNDED, NOT_ESTIMATED = "unbounded", "not-estimated"

BLOCK_FIELDS = "reference_host_id:string reference_host_clock_epoch:string"
DOMAIN_FIELDS = """domain:string kind:u8 method:u8 quality:u8 offset_ns:i64 skew_ppb:i64
    reference_source_ns:u64 residual_spread_ns:u64 min_rtt_present:u8 min_rtt_ns:u64
    bias_low_ns:u64 bias_high_ns:u64 skew_uncertainty_ppb:u64 observation_count:u64
    observations_stream:u32 estimator_version:u32"""
INTERVAL_FIELDS = "stream_ref:u32 from_ns:u64 to_ns:u64 reason:string"

Mapping = namedtuple("Mapping", "offset_ns skew_ppb reference_source_ns")


def decode_clock_block(content: bytes) -> dict:
    """§10.4. Bytes behind the intervals are a later version's (§14)."""
    cursor = Cursor(content)
    return {
        **cursor.fields(BLOCK_FIELDS),
        "domains": cursor.array(lambda cursor: cursor.fields(DOMAIN_FIELDS)),
        "degraded_intervals": cursor.array(lambda cursor: cursor.fields(INTERVAL_FIELDS)),
    }


class Clocks:
    """Which clock each stream is on, and what is known of that clock."""

    def __init__(self, header: dict, block: dict | None, streams: dict[int, dict]):
        self.reference = reference_domain(header, block)
        self.domains = block["domains"] if block else []
        self.intervals = block["degraded_intervals"] if block else []
        self.streams = streams

    def of(self, stream: dict) -> StreamClock:
        """§10.12: already in the reference domain, mapped onto it, or neither."""
        if self.is_reference(stream):
            return StreamClock(EXACT, None)
        return clock_by(self.domain_of(stream))

    def is_reference(self, stream: dict) -> bool:
        return host_domain(stream) == self.reference

    def domain_of(self, stream: dict) -> dict | None:
        """The first that matches. A host's name says nothing of its boots (§4.1): where streams
        of several boots are under it, nobody knows which of them it was fitted for."""
        domain = next((domain for domain in self.domains if matches(domain, stream)), None)
        if domain and self.boots_of(stream["host_id"]) > 1:
            return None
        return domain

    def source_of(self, stream: dict) -> StreamClock:
        """The clock of the stream's source_timestamp_ns. No device is the reference (§10.3)."""
        return clock_by(self.source_domain_of(stream))

    def source_domain_of(self, stream: dict) -> dict | None:
        return next((domain for domain in self.domains if matches_source(domain, stream)), None)

    def intervals_of(self, ref: int) -> list[dict]:
        return [interval for interval in self.intervals if interval["stream_ref"] == ref]

    def boots_of(self, host_id: str) -> int:
        return len({stream["host_clock_epoch"] for stream in self.streams.values()
                    if stream["host_id"] == host_id})


def reference_domain(header: dict, block: dict | None) -> tuple[str, str]:
    """§10.3: the block's; in a file without one, the file's own (§4.1)."""
    if block is None:
        return host_domain(header)
    return block["reference_host_id"], block["reference_host_clock_epoch"]


def host_domain(stated: dict) -> tuple[str, str]:
    """§4.1: the pair, never the host alone."""
    return stated["host_id"], stated["host_clock_epoch"]


def matches(domain: dict, stream: dict) -> bool:
    """Whether a domain maps a stream's stamps, which are on its host's clock, device or not."""
    return domain["kind"] in (PEER_HOST, SELF) and domain["domain"] == stream["host_id"]


def matches_source(domain: dict, stream: dict) -> bool:
    """Whether it maps the device's own. An empty name is the absence of a source clock (§5.7)."""
    return domain["kind"] == DEVICE and domain["domain"] == stream["source_clock_domain"] != ""


def clock_by(domain: dict | None) -> StreamClock:
    if domain is None or not is_usable(domain):
        return StreamClock(UNMAPPED, None)
    return StreamClock(basis_word(domain["quality"]), mapping_of(domain), domain)


def is_usable(domain: dict) -> bool:
    """§10.6: an unavailable mapping maps nothing; at -10^9 ppb and below no inverse exists."""
    return basis_word(domain["quality"]) != UNMAPPED and domain["skew_ppb"] > -BILLION


def basis_word(quality: int) -> str:
    """§10.4, §10.12: a quality that is not defined promises nothing."""
    return {1: "degraded", 2: "ok"}.get(quality, UNMAPPED)


def mapping_of(domain: dict) -> Mapping:
    return Mapping(*(domain[field] for field in Mapping._fields))


def reasons_at(intervals: list[dict], stamp: int) -> list[str]:
    """§10.12: word for word, one for each interval that the stamp lies in."""
    return [interval["reason"] for interval in intervals if holds(interval, stamp)]


def holds(interval: dict, stamp: int) -> bool:
    """On the stream's own clock, both ends included."""
    return interval["from_ns"] <= stamp <= interval["to_ns"]


def told(domain: dict) -> dict:
    """§10.4: a domain as it is stored, but for an absent round trip and words for sentinels."""
    stored = {name: value for name, value in domain.items() if name != "min_rtt_present"}
    return {**stored, "min_rtt_ns": min_rtt(domain), "bias_low_ns": bound(domain["bias_low_ns"]),
            "bias_high_ns": bound(domain["bias_high_ns"]),
            "skew_uncertainty_ppb": skew_uncertainty(domain["skew_uncertainty_ppb"])}


def min_rtt(domain: dict) -> int | None:
    """Absent is a round trip that nobody measured, zero one that takes no time."""
    return domain["min_rtt_ns"] if is_present(domain["min_rtt_present"]) else None


def is_present(flag: int) -> bool:
    return flag != 0


def bound(stored: int) -> int | str:
    return UNBOUNDED if stored == BIAS_UNBOUNDED else stored


def skew_uncertainty(stored: int) -> int | str:
    return NOT_ESTIMATED if stored == SKEW_NOT_ESTIMATED else stored


class StreamClock(namedtuple("StreamClock", "basis mapping domain", defaults=(None,))):
    """What a query needs of one clock, and the domain that the mapping is of. Without a mapping,
    times stand as they are."""

    def to_stream(self, t: int) -> int:
        return t if self.mapping is None else inverse_map(t, self.mapping)

    def to_reference(self, stamp: int) -> int:
        return stamp if self.mapping is None else map_to_reference(stamp, self.mapping)

    def reasons(self) -> list[str]:
        return {UNMAPPED: ["no usable mapping onto the reference domain"],
                "degraded": ["the mapping's own quality is degraded"]}.get(self.basis, [])


def map_to_reference(stamp: int, m: Mapping) -> int:
    """§10.6, forward."""
    return not_negative(stamp + m.offset_ns + drift(elapsed(stamp, m), m.skew_ppb))


def elapsed(stamp: int, m: Mapping) -> int:
    return stamp - m.reference_source_ns  # may be negative


def drift(elapsed_ns: int, skew_ppb: int) -> int:
    return toward_zero(elapsed_ns * skew_ppb, BILLION)


def inverse_map(t: int, m: Mapping) -> int:
    """§10.6, inverse, with both sides of the fraction multiplied by 10^9."""
    numerator = (t - m.offset_ns) * BILLION + m.reference_source_ns * m.skew_ppb
    return not_negative(nearest(numerator, BILLION + m.skew_ppb))


def toward_zero(numerator: int, denominator: int) -> int:
    """A cast drops the fraction. Python's // rounds down instead, so the sign is set apart."""
    quotient = abs(numerator) // denominator
    return -quotient if numerator < 0 else quotient


def nearest(numerator: int, denominator: int) -> int:
    """Halves go away from zero."""
    quotient = (2 * abs(numerator) + denominator) // (2 * denominator)
    return -quotient if numerator < 0 else quotient


def not_negative(t: int) -> int:
    return max(0, t)
