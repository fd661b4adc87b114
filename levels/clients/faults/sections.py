"""Rules that refine no item: hello, the anchor, descriptive bytes, alignment."""
import os

import ca3_clock
from ca3_index import IndexedReader
from level2 import after_open, decode_all_chunks
from registry import around, faults_of, result_of

fault = faults_of(None)


# ------------------------------------------------------------------ §0.5


@fault("States no level.", "0.5-01")
def level_missing(ca3):
    del ca3.HELLO["level"]


@fault("States level 5.", "0.5-01")
def level_five(ca3):
    ca3.HELLO["level"] = 5


# ------------------------------------------------------------------ §1.4


@fault("Decodes the varints of every chunk for what the index says.", "1.4-07")
def varints_decoded_for_the_index(ca3):
    after_open(decode_all_chunks)


# ------------------------------------------------------------------ §4


@fault("Always knows the calendar time.", "4.2-01")
def calendar_time_always_known(ca3):
    ca3.Reader.calendar_time = lambda reader: "known"


@fault("Never knows the calendar time.", "4.2-01")
def calendar_time_never_known(ca3):
    ca3.Reader.calendar_time = lambda reader: "none"


@fault("Decides about the anchor by its monotonic half.", "4.2-01", "4.2-02")
def anchor_tested_by_monotonic(ca3):
    ca3.Reader.calendar_time = lambda reader: (
        "known" if reader.header["anchor_monotonic_ns"] else "none")


@fault("Puts the file's own time in the place of a missing anchor.", "4.2-03")
def file_time_for_anchor(ca3):
    def make(read_file):
        def changed(path):
            result = read_file(path)
            if result["header"]["anchor_wall_unix_ns"] == 0:
                result["header"]["anchor_wall_unix_ns"] = os.stat(path).st_mtime_ns
                result["calendar_time"] = "known"
            return result
        return changed

    around(ca3, "read_file", make)


@fault("Assumes CLOCK_BOOTTIME where monotonic_source is empty.", "4.3-03")
def monotonic_source_assumed(ca3):
    result_of(ca3, lambda reader, result: result["header"].update(
        monotonic_source=result["header"]["monotonic_source"] or "clock_gettime(CLOCK_BOOTTIME)"))


# ------------------------------------------------------------------ §5.7, §11.3


def descriptive_byte(ca3, method, read):
    """Lets `read(stored)` give the meaning of a byte."""
    setattr(ca3.Cursor, method, lambda cursor: read(cursor.u8()))


@fault("Returns schema_conformance as it is stored.", "5.7-08", "5.7-09")
def conformance_raw(ca3):
    descriptive_byte(ca3, "conformance", lambda stored: stored)


@fault("Returns assertion bytes as they are stored.", "11.3-02")
def assertion_raw(ca3):
    descriptive_byte(ca3, "assertion", lambda stored: stored)


@fault("Lets an undefined assertion byte fall to the nearest value, 4.", "11.3-02")
def assertion_falls_to_unattested(ca3):
    descriptive_byte(ca3, "assertion", lambda stored: min(stored, 4))


@fault("Merges unattested into unspecified.", "11.3-01")
def assertion_4_read_as_0(ca3):
    descriptive_byte(ca3, "assertion", lambda stored: stored if stored < 4 else 0)


@fault("Returns the nominal rate in hertz.", "5.7-10")
def rate_in_hertz(ca3):
    def change(reader, result):
        for stream in result["streams"]:
            stream["nominal_rate_millihz"] /= 1000

    result_of(ca3, change)


# ------------------------------------------------------------------ §5.9


@fault("Exchanges block_alignment and block_offset.", "5.9-01")
def alignment_fields_exchanged(ca3):
    ca3.ALIGNMENT_FIELDS = "block_offset:u32 block_alignment:u32"
    ca3.is_alignment = lambda value: True


@fault("Wants both alignment fields in every Stream.", "5.9-02")
def alignment_fields_required(ca3):
    whole = f"{ca3.STREAM_FIELDS} {ca3.ALIGNMENT_FIELDS}"
    around(ca3, "decode_stream", lambda decode: lambda content: (
        ca3.Cursor(content).fields(whole) and decode(content)))


@fault("Accepts an alignment that is no power of two.", "5.9-03", "5.9-05")
def any_alignment_up_to_4096(ca3):
    ca3.is_alignment = lambda value: value <= 4096


@fault("Accepts a power of two above 4096.", "5.9-04")
def any_power_of_two(ca3):
    ca3.is_alignment = lambda value: value & (value - 1) == 0


@fault("Refuses a bad alignment without naming the stream.", "5.9-05")
def bad_alignment_unnamed(ca3):
    def make(decode):
        def changed(content):
            try:
                return decode(content)
            except ca3.Violation as violation:
                violation.report.pop("stream_ref", None)
                raise
        return changed

    around(ca3, "decode_stream", make)


def payload_offsets(reader, stream_ref):
    """Where the payloads of a stream lie in the file; found by their bytes."""
    at = 0
    for message in reader.messages:
        at = reader.data.find(message["payload"], at)
        if message["stream_ref"] == stream_ref and message["payload"]:
            yield message, at


@fault("Infers an alignment of 64 from where the blocks happen to lie.", "5.9-13")
def alignment_inferred(ca3):
    def change(reader, result):
        for stream in result["streams"]:
            offsets = [at for _, at in payload_offsets(reader, stream["stream_ref"])]
            for k in range(16 if offsets and stream["block_alignment"] == 0 else 0):
                if all((at + k) % 64 == 0 for at in offsets):
                    stream.update(block_alignment=64, block_offset=k)

    result_of(ca3, change)


@fault("Takes payloads from the boundary that the stream claims, wherever they are.", "5.9-14")
def alignment_believed(ca3):
    def change(reader, result):
        for stream in result["streams"]:
            boundary, k = stream["block_alignment"], stream["block_offset"]
            for message, at in payload_offsets(reader, stream["stream_ref"]) if boundary else ():
                at -= (at + k) % boundary
                message["payload"] = reader.data[at:at + len(message["payload"])]

    result_of(ca3, change)


# ------------------------------------------------------------------ §8.3


@fault("Ends the walk of an unsealed file at a chunk that does not decode.", "8.3-25")
def faulty_chunk_ends_the_walk(ca3):
    ca3.WITHHELD_ALONE.clear()


@fault("Withholds a chunk that does not decode in silence.", "8.3-25")
def faulty_chunk_unreported(ca3):
    def make(take_chunk):
        def changed(reader, opcode, content):
            try:
                take_chunk(reader, opcode, content)
            except ca3.Violation:
                if reader.sealed:
                    raise
        return changed

    around(ca3.Reader, "take_chunk", make)


@fault("Takes an unsealed file for one with an empty index.", "8.3-21")
def unsealed_is_empty(ca3):
    def make(open_):
        def changed(reader):
            ca3.Reader.open(reader)
            if reader.sealed:
                return open_(reader)
            walked = ca3.Reader(reader.data[:])
            walked.read()
            reader.header, reader.streams = walked.header, walked.streams
            reader.entries, reader.directory, reader.stated = [], [], []
            reader.clocks = ca3_clock.Clocks(reader.header, None, reader.streams)
        return changed

    around(IndexedReader, "open", make)
    around(IndexedReader, "entries_of", lambda entries_of: lambda reader, ref: (
        entries_of(reader, ref) if reader.sealed else []))


@fault("Goes by an index although its checksum betrays it.", "8.3-21")
def damaged_index_believed(ca3):
    IndexedReader.check_summary = lambda reader: None
