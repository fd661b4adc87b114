"""Item 4: varints."""
from registry import around, faults_of, within

fault = faults_of(4)


def leb128(ca3, data, at, end):
    """Without any of the rules. Returns the value, the offset behind it and the byte count."""
    value, start = 0, at
    while True:
        ca3.require(at < end, "bad-length", "no end of a varint")
        value |= (data[at] & 0x7F) << 7 * (at - start)
        at += 1
        if data[at - 1] < 0x80:
            return value, at, at - start


def shortest_form_unchecked(ca3):
    """read_varint that takes longer forms as well."""
    strict = ca3.read_varint

    def lenient(data, at, end):
        try:
            return strict(data, at, end)
        except ca3.Violation as violation:
            if violation.report["kind"] != "varint-not-canonical":
                raise
            return leb128(ca3, data, at, end)[:2]

    return lenient


@fault("Accepts a varint that is longer than it need be.", "1.4-04", "1.4-05")
def long_form_accepted(ca3):
    ca3.read_varint = shortest_form_unchecked(ca3)


@fault("Accepts a longer form for len only.", "1.4-05")
def long_form_of_len_accepted(ca3):
    within(ca3, "message_extent", ca3, "read_varint", shortest_form_unchecked(ca3))


@fault("Accepts a longer form in the fields of bits 8 to 15 only.", "1.4-05")
def long_form_of_unknown_field_accepted(ca3):
    within(ca3.Chunk, "skip_unknown_fields", ca3, "read_varint", shortest_form_unchecked(ca3))


def too_long_accepted(ca3, accept):
    """Takes varints that are too long where `accept(value, count)` gives a value."""
    def make(strict):
        def lenient(data, at, end):
            try:
                return strict(data, at, end)
            except ca3.Violation as violation:
                value, behind, count = leb128(ca3, data, at, end)
                value = accept(value, count)
                if violation.report["kind"] != "varint-too-long" or value is None:
                    raise
                return value, behind
        return lenient

    around(ca3, "read_varint", make)


@fault("Reads varints of any length, and keeps 64 bits of them.", "1.4-02")
def eleven_bytes_accepted(ca3):
    too_long_accepted(ca3, lambda value, count: value % 2**64 if count > 10 else None)


@fault("Cuts a ten-byte varint that passes 64 bits down to 64.", "1.4-03")
def overflow_truncated(ca3):
    too_long_accepted(ca3, lambda value, count: value % 2**64 if count == 10 else None)


@fault("Refuses varints of ten bytes.", "1.4-02", "1.4-03")
def nine_bytes_at_most(ca3):
    def make(strict):
        def changed(data, at, end):
            value, behind = strict(data, at, end)
            ca3.require(behind - at < 10, "varint-too-long", "a varint of ten bytes")
            return value, behind
        return changed

    around(ca3, "read_varint", make)
