"""Item 6: definitions and references."""
from registry import around, faults_of, result_of

fault = faults_of(6)


@fault("Makes up a stream for a chunk that names an undeclared one.", "5.7-05", "5-01")
def placeholder_stream(ca3):
    around(ca3.Reader, "resolve_stream", lambda resolve: lambda reader, ref: (
        reader.streams.setdefault(ref, {"stream_ref": ref, "schema_ref": 0, "topic": "unknown"}),
        resolve(reader, ref)))


@fault("Drops a chunk of an undeclared stream without a word.", "5.7-05", "5-01")
def chunk_of_undeclared_stream_dropped(ca3):
    def make(take_chunk):
        def changed(reader, opcode, content):
            if ca3.Cursor(content).u32() in reader.streams:
                take_chunk(reader, opcode, content)
        return changed

    around(ca3.Reader, "take_chunk", make)


@fault("Ignores that a stream names an undeclared schema.", "5.7-06")
def missing_schema_ignored(ca3):
    ca3.Reader.resolve_schema = lambda reader, stream: None


@fault("Resolves references when the whole file has been read.", "5-01")
def references_resolved_at_the_end(ca3):
    take_chunk, walk = ca3.Reader.take_chunk, ca3.Reader.walk

    def late(reader, offset, end):
        chunks = []
        reader.take_chunk = lambda opcode, content: chunks.append((opcode, content))
        stopped_at = walk(reader, offset, end)
        for opcode, content in chunks:
            take_chunk(reader, opcode, content)
        return stopped_at

    ca3.Reader.walk = late


@fault("Takes schema_ref 0 for an unresolved reference.", "5.7-07")
def undescribed_stream_refused(ca3):
    around(ca3.Reader, "resolve_schema", lambda resolve: lambda reader, stream: (
        ca3.require(stream["schema_ref"] != 0, "unresolved-reference", "no schema 0"),
        resolve(reader, stream)))


@fault("Wants a Schema ahead of the Stream that names it.", "5-05")
def schema_must_come_first(ca3):
    def make(define):
        def changed(reader, table, ref_name, entry, offset):
            if ref_name == "stream_ref":
                reader.resolve_schema(entry)
            define(reader, table, ref_name, entry, offset)
        return changed

    around(ca3.Reader, "define", make)


@fault("Passes over the definitions in a checkpoint.", "5-06")
def checkpoint_definitions_ignored(ca3):
    ca3.decode_checkpoint = lambda offset, content: ([], [])


def repeated(ca3, settle):
    """Lets `settle(reader, table, ref, entry)` decide about a reference that is declared."""
    def make(define):
        def changed(reader, table, ref_name, entry, offset):
            ref = entry[ref_name]
            if ref not in table or settle(reader, table, ref, entry) is False:
                define(reader, table, ref_name, entry, offset)
        return changed

    around(ca3.Reader, "define", make)


@fault("Refuses the summary's restatement of a definition.", "5.1-04", "8.3-23")
def restatement_refused(ca3):
    def settle(reader, table, ref, entry):
        raise ca3.Violation("duplicate-reference", f"{ref} is declared twice")

    repeated(ca3, settle)


@fault("Lists a definition again for its restatement in the summary.", "5.1-04")
def restatement_listed_twice(ca3):
    def settle(reader, table, ref, entry):
        vars(reader).setdefault("again", []).append(entry)

    def change(reader, result):
        for entry in vars(reader).get("again", []):
            result["streams" if "topic" in entry else "schemas"].append(entry)

    repeated(ca3, settle)
    result_of(ca3, change)


@fault("Lets a second definition replace the first.", "5.1-03", "5.7-04")
def second_definition_replaces(ca3):
    repeated(ca3, lambda reader, table, ref, entry: table.update({ref: entry}))


@fault("Refuses an empty encoding.", "5.1-08")
def empty_encoding_refused(ca3):
    def make(decode_schema):
        def changed(content):
            schema = decode_schema(content)
            ca3.require(schema["encoding"] != "", "other", "an empty encoding")
            return schema
        return changed

    around(ca3, "decode_schema", make)
