"""Item 15: clock domains, the mapping both ways, and the basis of every result."""
from __future__ import annotations

import struct

import ca3_clock
import ca3_index
import ca3_query
from ca3_clock import BILLION, EXACT, PEER_HOST, SELF, UNMAPPED, StreamClock
from ca3_query import Query
from registry import around, faults_of

fault = faults_of(15)


def on_messages(change) -> None:
    """Lets `change(clock, message)` alter every message of an answer."""
    def of_state(state_of):
        def changed(query, ref, t):
            result = state_of(query, ref, t)
            if result["message"]:
                result["message"] = change(query.clock_of(ref), dict(result["message"]))
            return result
        return changed

    def of_window(window_of):
        return lambda query, ref, t1, t2: [change(query.clock_of(ref), dict(message))
                                           for message in window_of(query, ref, t1, t2)]

    around(Query, "state_of", of_state)
    around(Query, "window_of", of_window)


# ------------------------------------------------------------------ raw stamps (§0.3, §4.1, §7.3)


@fault("Hands out the mapped time in the place of the stamp.", "0.3-01")
def stamp_replaced_by_time(ca3):
    def change(clock, message):
        message["monotonic_timestamp_ns"] = clock.to_reference(message["monotonic_timestamp_ns"])
        return message

    on_messages(change)


@fault("Maps record_ts_ns as well.", "4.1-02")
def receipt_mapped(ca3):
    def change(clock, message):
        if message["record_ts_ns"] is not None:
            message["record_ts_ns"] = clock.to_reference(message["record_ts_ns"])
        return message

    on_messages(change)


def with_mapped_index(fields: tuple[str, ...], table: str) -> None:
    def changed(query):
        rows = [dict(row) for row in getattr(query.reader, table)]
        for row in rows:
            clock = query.clock_of(row["stream_ref"])
            row.update({field: clock.to_reference(row[field]) for field in fields})
        result = Query.plain_index(query)
        return {**result, table: rows}

    Query.plain_index = Query.index
    Query.index = changed


@fault("Maps the directory's stamps onto the reference.", "7.3-06")
def directory_mapped(ca3):
    with_mapped_index(("first_stamp_ns", "last_stamp_ns"), "directory")


@fault("Maps the index's keys onto the reference.", "9.1-04")
def index_mapped(ca3):
    with_mapped_index(("min_stamp_ns", "max_stamp_ns", "prefix_max_stamp_ns"), "entries")


# ------------------------------------------------------------------ domains (§4.1, §10.3, §10.4)


@fault("Compares hosts without their boots.", "4.1-01", "9.1-14")
def boots_are_one(ca3):
    ca3_clock.host_domain = lambda stated: (stated["host_id"], "")
    around(ca3_clock, "reference_domain", lambda find: lambda header, block: (
        find(header, block)[0], ""))


@fault("Takes an empty host for any host.", "4.1-03")
def empty_host_is_any(ca3):
    around(ca3_clock.Clocks, "of", lambda of: lambda clocks, stream: (
        StreamClock(EXACT, None) if clocks.reference[0] == "" else of(clocks, stream)))


@fault("Takes an empty host for no host at all.", "4.1-03")
def empty_host_is_none(ca3):
    around(ca3_clock.Clocks, "of", lambda of: lambda clocks, stream: (
        StreamClock(UNMAPPED, None) if stream["host_id"] == "" else of(clocks, stream)))


@fault("Applies the block's only domain to every stream.", "9.1-02", "10.4-10", "10.12-01")
def any_domain_matches(ca3):
    ca3_clock.matches = lambda domain, stream: True


@fault("Matches hosts by the beginning of their names.", "10.4-10")
def host_by_prefix(ca3):
    ca3_clock.matches = lambda domain, stream: (
        domain["kind"] in (PEER_HOST, SELF) and stream["host_id"].startswith(domain["domain"]))


@fault("Ignores what a domain's kind says its name is the name of.", "10.4-10")
def kind_ignored(ca3):
    ca3_clock.matches = lambda domain, stream: (
        domain["domain"] in (stream["host_id"], stream["source_clock_domain"]))


@fault("Takes the last of two domains that match.", "10.4-12")
def last_domain_applies(ca3):
    around(ca3_clock.Clocks, "domain_of", lambda find: lambda clocks, stream: next(
        (domain for domain in reversed(clocks.domains) if ca3_clock.matches(domain, stream)), None))


@fault("Maps a stream that is in the reference domain already.", "9.1-01")
def own_domain_mapped(ca3):
    def of(clocks, stream):
        domain = next(iter(clocks.domains), None)
        if domain is None:
            return StreamClock(EXACT, None)
        return StreamClock(ca3_clock.basis_word(domain["quality"]), ca3_clock.mapping_of(domain))

    ca3_clock.Clocks.of = of


@fault("Maps the host's own stamps by the device that the stream names.", "9.1-01")
def device_line_for_host_stamps(ca3):
    def changed(of):
        def prefer_device(clocks, stream):
            named = [domain for domain in clocks.domains if domain["kind"] == ca3_clock.DEVICE
                     and domain["domain"] == stream["source_clock_domain"] != ""]
            for domain in named:
                return StreamClock(ca3_clock.basis_word(domain["quality"]),
                                   ca3_clock.mapping_of(domain))
            return of(clocks, stream)
        return prefer_device

    around(ca3_clock.Clocks, "of", changed)


@fault("Maps by a host's line whichever boot the stream is of.", "9.1-14")
def one_line_for_all_boots(ca3):
    ca3_clock.Clocks.boots_of = lambda clocks, host_id: 1


@fault("Takes the Header's pair for the reference, whatever the block says.", "10.3-04")
def header_is_the_reference(ca3):
    ca3_clock.reference_domain = lambda header, block: ca3_clock.host_domain(header)


# ------------------------------------------------------------------ bases (§9.1, §10.12)


@fault("Says ok for every mapping that there is.", "9.1-03", "10.12-01", "10.4-13")
def every_mapping_is_ok(ca3):
    around(ca3_clock, "basis_word", lambda word: lambda quality: "ok" if quality else UNMAPPED)


@fault("Says exact where there is no mapping.", "9.1-02", "4.1-01", "10.12-01", "10.6-05")
def unmapped_is_exact(ca3):
    around(ca3_clock.Clocks, "of", lambda of: lambda clocks, stream: (
        StreamClock(EXACT, None) if of(clocks, stream).mapping is None else of(clocks, stream)))


@fault("Reports no reason for a stream without a mapping.", "9.1-02")
def unmapped_without_a_reason(ca3):
    StreamClock.reasons = lambda clock: []


@fault("Says exact for a mapped time.", "9.1-03", "10.12-01")
def mapped_is_exact(ca3):
    around(ca3_clock, "basis_word", lambda word: lambda quality: (
        EXACT if word(quality) != UNMAPPED else UNMAPPED))


@fault("Uses a mapping of quality 0.", "10.6-05")
def unavailable_is_used(ca3):
    around(ca3_clock, "basis_word", lambda word: lambda quality: word(quality or 2))


@fault("Searches for T on the stream's clock as it stands.", "9.1-03", "9.1-04", "10.6-06")
def state_query_not_mapped(ca3):
    def state_of(query, ref, t):
        clock = query.clock_of(ref)
        message = query.last_message(ref, t)
        return {"stream_ref": ref, "message": message, **query.label(message, clock)}

    Query.state_of = state_of


@fault("Searches a window on the stream's clock as it stands.", "9.2-08")
def window_query_not_mapped(ca3):
    around(Query, "window_of", lambda window_of: lambda query, ref, t1, t2: window_of(
        query, ref, query.clock_of(ref).to_reference(t1), query.clock_of(ref).to_reference(t2)))


# ------------------------------------------------------------------ the block's bytes (§1, §10.4)


@fault("Reads method and quality in the wrong order.", "10.4-02")
def quality_before_method(ca3):
    ca3_clock.DOMAIN_FIELDS = ca3_clock.DOMAIN_FIELDS.replace(
        "method:u8 quality:u8", "quality:u8 method:u8")


@fault("Reads skew in front of offset.", "10.4-02")
def skew_before_offset(ca3):
    ca3_clock.DOMAIN_FIELDS = ca3_clock.DOMAIN_FIELDS.replace(
        "offset_ns:i64 skew_ppb:i64", "skew_ppb:i64 offset_ns:i64")


@fault("Reads signed fields as unsigned ones.", "1.2-01")
def signed_read_as_unsigned(ca3):
    ca3.Cursor.i64 = ca3.Cursor.u64


@fault("Reads skew as a double.", "1.1-02")
def skew_is_a_double(ca3):
    around(ca3_clock, "drift", lambda drift: lambda elapsed, skew: int(
        elapsed * struct.unpack("<d", struct.pack("<q", skew))[0] / BILLION))


@fault("Passes over a block that it cannot decode.", "10.4-01", "10.4-02", "14-05")
def spoilt_block_ignored(ca3):
    def changed(decode):
        def lenient(content):
            try:
                return decode(content)
            except ca3.Violation:
                return None
        return lenient

    around(ca3_index, "decode_clock_block", changed)


@fault("Refuses bytes behind the intervals.", "14-05")
def grown_block_refused(ca3):
    def strict(content):
        cursor = ca3.Cursor(content)
        block = {**cursor.fields(ca3_clock.BLOCK_FIELDS),
                 "domains": cursor.array(lambda c: c.fields(ca3_clock.DOMAIN_FIELDS)),
                 "degraded_intervals": cursor.array(lambda c: c.fields(ca3_clock.INTERVAL_FIELDS))}
        ca3.require(cursor.at == len(content), "bad-length", "bytes behind the intervals")
        return block

    ca3_index.decode_clock_block = strict


# ------------------------------------------------------------------ forward (§10.6)


@fault("Subtracts the offset.", "10.6-01")
def offset_subtracted(ca3):
    ca3_clock.map_to_reference = lambda stamp, m: ca3_clock.not_negative(
        stamp - m.offset_ns + ca3_clock.drift(ca3_clock.elapsed(stamp, m), m.skew_ppb))


@fault("Counts elapsed from zero.", "10.6-02")
def elapsed_from_zero(ca3):
    ca3_clock.elapsed = lambda stamp, m: stamp


@fault("Lets elapsed wrap where it is negative.", "10.6-02")
def elapsed_wraps(ca3):
    ca3_clock.elapsed = lambda stamp, m: (stamp - m.reference_source_ns) % 2**64


@fault("Floors negative drift.", "10.6-03")
def drift_floored(ca3):
    ca3_clock.drift = lambda elapsed, skew: elapsed * skew // BILLION


@fault("Rounds drift.", "10.6-03")
def drift_rounded(ca3):
    ca3_clock.drift = lambda elapsed, skew: ca3_clock.nearest(elapsed * skew, BILLION)


@fault("Multiplies in 64 bits.", "10.6-03")
def product_wraps(ca3):
    around(ca3_clock, "toward_zero", lambda divide: lambda numerator, denominator: divide(
        (numerator + 2**63) % 2**64 - 2**63, denominator))


@fault("Maps through doubles.", "10.6-03")
def forward_in_doubles(ca3):
    ca3_clock.map_to_reference = lambda stamp, m: int(max(0.0, (
        float(stamp) + m.offset_ns + (float(stamp) - m.reference_source_ns) * m.skew_ppb / 1e9)))


@fault("Lets a time below zero wrap.", "10.6-04")
def negative_time_wraps(ca3):
    around(ca3_clock, "map_to_reference", lambda forward: lambda stamp, m: (
        stamp + m.offset_ns + ca3_clock.drift(ca3_clock.elapsed(stamp, m), m.skew_ppb)) % 2**64)


@fault("Takes a stamp past 2^63 for a negative one.", "10.6-11")
def stamps_are_signed(ca3):
    around(ca3_clock, "map_to_reference", lambda forward: lambda stamp, m: forward(
        (stamp + 2**63) % 2**64 - 2**63, m))


# ------------------------------------------------------------------ inverse (§10.6)


@fault("Turns the line's signs round for its inverse.", "10.6-06")
def inverse_by_turned_signs(ca3):
    ca3_clock.inverse_map = lambda t, m: ca3_clock.not_negative(t - m.offset_ns - ca3_clock.drift(
        t - m.offset_ns - m.reference_source_ns, m.skew_ppb))


@fault("Truncates the inverse.", "10.6-07")
def inverse_truncated(ca3):
    ca3_clock.nearest = ca3_clock.toward_zero


@fault("Rounds the inverse up.", "10.6-07")
def inverse_rounded_up(ca3):
    ca3_clock.nearest = lambda numerator, denominator: -(-numerator // denominator)


@fault("Lets an inverse below zero wrap.", "10.6-08")
def inverse_wraps(ca3):
    around(ca3_clock, "inverse_map", lambda inverse: lambda t, m: ca3_clock.nearest(
        (t - m.offset_ns) * BILLION + m.reference_source_ns * m.skew_ppb,
        BILLION + m.skew_ppb) % 2**64)


@fault("Divides by whatever 1 + skew is.", "10.6-09")
def any_skew_inverted(ca3):
    ca3_clock.is_usable = lambda domain: ca3_clock.basis_word(domain["quality"]) != UNMAPPED


@fault("Computes the inverse in doubles.", "10.6-10")
def inverse_in_doubles(ca3):
    def inverse(t, m):
        skew = m.skew_ppb / 1e9
        t_src = (float(t) - m.offset_ns + m.reference_source_ns * skew) / (1 + skew)
        return max(0, int(t_src + 0.5))

    ca3_clock.inverse_map = inverse


@fault("Rounds an exact half to the even neighbour.", "10.6-10")
def half_to_even(ca3):
    from fractions import Fraction
    ca3_clock.nearest = lambda numerator, denominator: round(Fraction(numerator, denominator))


@fault("Bends the inverse until it undoes the forward line.", "9.1-13")
def inverse_fits_forward(ca3):
    def bent(inverse):
        def changed(t, m):
            stamp = inverse(t, m)
            while ca3_clock.map_to_reference(stamp + 1, m) <= t:
                stamp += 1
            return stamp
        return changed

    around(ca3_clock, "inverse_map", bent)
