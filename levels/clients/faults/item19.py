"""Item 19: no mapping is verified whose observations were not read."""
from __future__ import annotations

import ca3_evidence
import ca3_reader
import ca3_time
from ca3_evidence import INCONSISTENT, UNVERIFIED, VERIFIED, Evidence
from ca3_messages import CLOCK_OBSERVATION
from ca3_reader import Violation
from level3 import unreported, verified_where
from registry import around, faults_of, result_of

fault = faults_of(19)


# ------------------------------------------------------------------ verified, unread (§10.7)


@fault("Calls every mapping verified and reads no observations.", "10.7-04", "10.4-08",
       "10.7-01")
def verified_unread(ca3):
    Evidence.verification = lambda evidence, domain: VERIFIED


@fault("Calls every mapping verified that is of quality 2.", "10.7-04", "10.4-08")
def ok_is_verified(ca3):
    verified_where(lambda evidence, domain, found: (
        VERIFIED if domain["quality"] == 2 and found == UNVERIFIED else found))


@fault("Calls a mapping verified that names a stream of observations, without reading it.",
       "10.7-04", "10.7-01")
def verified_by_its_reference(ca3):
    Evidence.verification = lambda evidence, domain: (
        VERIFIED if domain["observations_stream"] in evidence.reader.streams else UNVERIFIED)


@fault("Calls a mapping verified that states how many observations it was fitted from.",
       "10.7-04", "10.4-08")
def verified_by_its_count(ca3):
    verified_where(lambda evidence, domain, found: (
        VERIFIED if found == UNVERIFIED and domain["observation_count"] else found))


@fault("Calls no mapping verified, and none inconsistent.", "10.7-02", "10.7-04")
def nothing_is_verified(ca3):
    verified_where(lambda evidence, domain, found: UNVERIFIED)


# ------------------------------------------------------------------ stream 0 (§10.4)


@fault("Calls a mapping verified that names no observations.", "10.4-08", "10.7-04")
def no_stream_is_verified(ca3):
    verified_where(lambda evidence, domain, found: (
        VERIFIED if domain["observations_stream"] == 0 else found))


@fault("Seeks a stream 0 for a mapping that names none.", "10.4-08")
def stream_zero_is_sought(ca3):
    around(ca3_time, "named_streams", lambda named: lambda clocks, evidence: [
        *named(clocks, evidence), *(domain["observations_stream"] for domain in clocks.domains)])


@fault("Takes 0 for the file's first stream.", "10.4-08", "10.7-04")
def stream_zero_is_the_first(ca3):
    around(Evidence, "verification", lambda verification: lambda evidence, domain: verification(
        evidence, {**domain, "observations_stream": domain["observations_stream"]
                   or min((ref for ref in evidence.reader.streams
                           if evidence.carries(ref, CLOCK_OBSERVATION)), default=0)}))


@fault("Does not report a stream of observations that nothing declares.", "10.4-08")
def undeclared_observations_unreported(ca3):
    unreported("unresolved-reference")


@fault("Calls a mapping verified whose observations are of a stream that nothing declares.",
       "10.4-08", "10.7-04")
def undeclared_observations_verified(ca3):
    verified_where(lambda evidence, domain, found: (
        found if domain["observations_stream"] in (0, *evidence.reader.streams) else VERIFIED))


# ------------------------------------------------------------------ what cannot be read (§10.7)


def unreadable(says) -> None:
    """Lets `says()` give the word of a mapping of which a chunk does not decode."""
    def make(verification):
        def changed(evidence, domain):
            found = verification(evidence, domain)
            ref = domain["observations_stream"]
            unread = ref in evidence.observed and evidence.observed[ref] is None
            return says() if unread else found
        return changed

    around(Evidence, "verification", make)


@fault("Reports damaged observations and calls the mapping verified all the same.",
       "10.7-01", "10.7-04")
def damaged_observations_verified(ca3):
    unreadable(lambda: VERIFIED)


@fault("Passes over a damaged chunk and verifies a mapping by the others.", "10.7-01", "10.7-04")
def damaged_chunk_left_out(ca3):
    def make(read):
        def changed(evidence, shape, refs):
            messages_of = evidence.reader.messages_of
            evidence.reader.messages_of = lambda entry: undamaged(evidence, messages_of, entry)
            try:
                return read(evidence, shape, refs)
            finally:
                del evidence.reader.messages_of
        return changed

    def undamaged(evidence, messages_of, entry):
        try:
            return messages_of(entry)
        except Violation as violation:
            evidence.problems.append(violation.report)
            return []

    around(Evidence, "read", make)
    verdict = ca3_evidence.verdict
    ca3_evidence.verdict = lambda domain, observations, anchor=0: (
        verdict({**domain, "observation_count": len(observations)}, observations, anchor)
        if observations else UNVERIFIED)


@fault("Reads observations without their checksum.", "10.7-01", "10.7-04")
def observations_unchecked(ca3):
    def make(readable):
        def changed(evidence, ref):
            check_crc = ca3_reader.check_crc
            ca3_reader.check_crc = lambda stored, expected: None
            try:
                return readable(evidence, ref)
            finally:
                ca3_reader.check_crc = check_crc
        return changed

    around(Evidence, "readable_observations", make)


@fault("Passes over payloads that are no observations and verifies a mapping by the others.",
       "10.7-04")
def spoilt_payloads_left_out(ca3):
    Evidence.report_malformed = lambda evidence, ref, violation: None


# ------------------------------------------------------------------ an ordinary stream (§10.7)


def is_evidence(schema) -> bool:
    return schema is not None and schema["schema_id"] == CLOCK_OBSERVATION.name


@fault("Hands out no observations: they are taken for internal.", "10.7-01")
def observations_withheld(ca3):
    def change(reader, result):
        result["messages"] = [
            message for message in result["messages"] if not is_evidence(
                reader.schemas.get(reader.streams[message["stream_ref"]]["schema_ref"]))]

    result_of(ca3, change)


@fault("Leaves streams of observations out of a file's streams.", "10.7-01")
def observation_streams_left_out(ca3):
    def change(reader, result):
        result["streams"] = [stream for stream in result["streams"] if not is_evidence(
            reader.schemas.get(stream["schema_ref"]))]

    result_of(ca3, change)
