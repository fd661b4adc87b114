"""Item 2: required features."""
from registry import around, faults_of, result_of

fault = faults_of(2)


def seeing(ca3, change):
    """Lets the reader see `change(required_features)`."""
    around(ca3.Reader, "missing_features",
           lambda missing: lambda reader, required: missing(reader, change(required)))


@fault("Never looks at required_features.", "3.3-01", "3.3-02")
def features_ignored(ca3):
    seeing(ca3, lambda required: 0)


@fault("Reads required_features as 32 bits.", "3.3-01", "3.3-03")
def features_as_32_bits(ca3):
    seeing(ca3, lambda required: required & 0xFFFFFFFF)


@fault("Refuses without naming the bits.", "3.3-03")
def feature_bits_not_named(ca3):
    def make(check_features):
        def changed(reader):
            try:
                check_features(reader)
            except ca3.Violation as violation:
                violation.report.pop("bits", None)
                violation.report.pop("names", None)
                raise
        return changed

    around(ca3.Reader, "check_features", make)


@fault("Reports features that it lacks as a problem, and reads the file nevertheless.", "3.3-04")
def features_only_a_problem(ca3):
    def make(check_features):
        def changed(reader):
            try:
                check_features(reader)
            except ca3.Violation as violation:
                if violation.report["kind"] != "unsupported-feature":
                    raise
                reader.problems.append(violation.report)
        return changed

    around(ca3.Reader, "check_features", make)


@fault("Refuses bit 1 by its number alone.", "15-07")
def stream_crypto_not_named(ca3):
    del ca3.FEATURE_NAMES[1]


@fault("Does not implement ColumnarChunk, and finds out at its opcode instead of at open.",
       "6.5-23")
def columnar_found_at_its_opcode(ca3):
    seeing(ca3, lambda required: required & ~4)
    ca3.FEATURES.remove(2)
    ca3.DEFINED.discard(ca3.COLUMNAR_CHUNK)


@fault("Refuses a declared feature that nothing in the file uses.", "3.3-05")
def over_declared_feature_refused(ca3):
    def change(reader, result):
        if reader.header["required_features"] & 1 and b"\x28\xb5\x2f\xfd" not in reader.data:
            raise ca3.Violation("other", "zstd is declared and not used")

    result_of(ca3, change)


@fault("Refuses a file that declares ColumnarChunk and holds none.", "3.3-05")
def over_declared_columnar_refused(ca3):
    def change(reader, result):
        if reader.header["required_features"] & 4 and not reader.columnar_seen:
            raise ca3.Violation("other", "ColumnarChunk is declared and not used")

    ca3.Reader.columnar_seen = False
    around(ca3.Reader, "take_chunk", lambda take: lambda reader, opcode, content: (
        setattr(reader, "columnar_seen", reader.columnar_seen or opcode == ca3.COLUMNAR_CHUNK),
        take(reader, opcode, content))[1])
    result_of(ca3, change)


@fault("Reads the whole Header before it looks at the feature bits.", "3.3-04", "3.3-01")
def features_after_the_header(ca3):
    def make(check):
        def changed(reader):
            start = len(ca3.MAGIC) + ca3.FRAME.size
            _, length = ca3.FRAME.unpack_from(reader.data, len(ca3.MAGIC))
            ca3.Cursor(reader.data[start:start + length]).fields(ca3.HEADER_FIELDS)
            check(reader)
        return changed

    around(ca3.Reader, "check_features", make)


@fault("Looks at the feature bits when everything has been read.", "3.3-04")
def features_checked_last(ca3):
    check = ca3.Reader.check_features
    ca3.Reader.check_features = lambda reader: None
    result_of(ca3, lambda reader, result: check(reader))
