"""Item 1: the magic."""
from registry import around, empty_recording, faults_of

fault = faults_of(1)


@fault("Compares only the first four bytes of the magic.", "2.1-01", "2.1-02")
def magic_four_bytes(ca3):
    ca3.is_magic = lambda found: found[:4] == ca3.MAGIC[:4]


@fault("Takes any major version byte.", "2.1-02")
def any_major_version(ca3):
    ca3.is_magic = lambda found: found[:4] + found[5:] == ca3.MAGIC[:4] + ca3.MAGIC[5:]


@fault("Compares seven bits a byte, so that a stripped high bit goes unnoticed.", "2.1-01")
def magic_high_bit_ignored(ca3):
    ca3.is_magic = lambda found: bytes(byte & 0x7F for byte in found) == b"\x09" + ca3.MAGIC[1:]


@fault("Takes an empty or very short file for a complete recording of nothing.", "2.1-03")
def short_file_accepted(ca3):
    around(ca3.Reader, "read", lambda read: lambda reader: (
        empty_recording() if len(reader.data) < len(ca3.MAGIC) else read(reader)))
