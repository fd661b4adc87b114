"""Item 5: strings and maps."""
import re

from registry import around, faults_of, within

fault = faults_of(5)


def lenient(errors):
    return lambda raw: raw.decode("utf-8", errors)


@fault("Replaces bytes that are not UTF-8.", "1.2-07", "1.2-08", "1.2-09")
def utf8_replaced(ca3):
    ca3.utf8 = lenient("replace")


@fault("Accepts encoded surrogates.", "1.2-08")
def surrogates_accepted(ca3):
    surrogate = re.compile(rb"\xed[\xa0-\xbf]")
    around(ca3, "utf8", lambda strict: lambda raw: (
        raw.decode("utf-8", "surrogatepass") if surrogate.search(raw) else strict(raw)))


@fault("Accepts overlong two-byte forms.", "1.2-08")
def overlong_accepted(ca3):
    def short(form):
        return bytes([(form[0][0] & 1) << 6 | form[0][1] & 0x3F])

    around(ca3, "utf8", lambda strict: lambda raw: (
        strict(re.sub(rb"[\xc0\xc1][\x80-\xbf]", short, raw))))


@fault("Leaves strings in maps unchecked.", "1.2-09")
def utf8_unchecked_in_maps(ca3):
    within(ca3.Cursor, "map", ca3, "utf8", lenient("replace"))


@fault("Does not look at the order of keys.", "1.3-01", "1.3-02", "1.3-03", "1.3-04")
def map_order_unchecked(ca3):
    ca3.in_order = lambda previous, key: True


@fault("Accepts a repeated key.", "1.3-02")
def repeated_key_accepted(ca3):
    ca3.in_order = lambda previous, key: previous <= key


@fault("Compares keys by UTF-16 units.", "1.3-03")
def map_order_utf16(ca3):
    def units(key):
        return key.decode("utf-8", "replace").encode("utf-16-be")

    ca3.in_order = lambda previous, key: units(previous) < units(key)


@fault("Checks the order of keys in the Header only.", "1.3-04")
def map_order_in_header_only(ca3):
    for place in ("decode_stream", "decode_checkpoint"):
        within(ca3, place, ca3, "in_order", lambda previous, key: True)
    strict = ca3.Cursor.fields

    def fields(cursor, layout):
        kept = ca3.in_order
        if layout == ca3.SESSION_FIELDS:
            ca3.in_order = lambda previous, key: True
        try:
            return strict(cursor, layout)
        finally:
            ca3.in_order = kept

    ca3.Cursor.fields = fields


@fault("Drops a byte order mark in front of a string.", "1.2-02")
def byte_order_mark_dropped(ca3):
    around(ca3, "utf8", lambda utf8: lambda raw: utf8(raw).removeprefix("\ufeff"))


@fault("Ends a string at a NUL.", "1.2-02")
def string_ends_at_nul(ca3):
    around(ca3, "utf8", lambda utf8: lambda raw: utf8(raw).split("\0")[0])


@fault("Normalises letters.", "1.2-02")
def letters_normalised(ca3):
    import unicodedata

    around(ca3, "utf8", lambda utf8: lambda raw: unicodedata.normalize("NFC", utf8(raw)))
