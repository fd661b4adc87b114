"""Item 29: recovery says where it stopped, what it left out, and that it is no whole recording."""
from __future__ import annotations

from ca3_reader import CHUNK, CHUNK_HEAD, COLUMNAR_CHUNK, FRAME, SESSION, Chunk, Cursor, Violation
from ca3_recover import Recovery
from ca3_walk import DamagedFile, Stop
from level4 import is_damaged, on_recovered, recovered_nothing_where, refused_where
from registry import around, faults_of

fault = faults_of(29)


def on_stop(change) -> None:
    """Lets `change(recovery, stop)` say where the forward walk stopped, and why."""
    around(DamagedFile, "walk_on", lambda walk_on: lambda recovery, start: change(
        recovery, walk_on(recovery, start)))


def is_odd(stop) -> bool:
    return stop.reason not in (None, "end-of-file")


# ------------------------------------------------------------------ the Session (§11)


def on_session(change) -> None:
    """Lets `change(before, session)` make one of a Session and of the one before it."""
    def make(record):
        def changed(recovery, opcode, offset, content):
            before = recovery.session
            record(recovery, opcode, offset, content)
            if opcode == SESSION and before is not None:
                recovery.session = change(before, recovery.session)
        return changed

    around(DamagedFile, "record", make)


@fault("Recovers the first Session.", "11-09")
def first_session_recovered(ca3):
    on_session(lambda before, session: before)


@fault("Recovers no Session.", "11-09")
def no_session_recovered(ca3):
    on_recovered(lambda recovery, result: result.update(session=None))


@fault("Recovers a Session from a record that the end of the file cuts.", "11-09")
def cut_session_recovered(ca3):
    def change(recovery, stop):
        if is_odd(stop) and recovery.data[stop.offset] == SESSION:
            content = recovery.data[stop.offset + FRAME.size:]
            try:
                recovery.session = Cursor(content + bytes(200)).fields(ca3.SESSION_FIELDS)
            except Violation:
                pass
        return stop

    on_stop(change)


@fault("Recovers no Session from a file that ends inside a record.", "11-09")
def session_lost_with_the_tail(ca3):
    on_recovered(lambda recovery, result: (
        result.update(session=None) if result["stop_reason"] == "truncated-record" else None))


# ------------------------------------------------------------------ where it stopped (§16, §8.3)


@fault("Refuses a file with anything in its tail that is no record.", "16-07", "16-08", "8.3-24")
def odd_tail_refused(ca3):
    refused_where(lambda recovery, result: is_odd(
        Stop(result["stopped_at"], result["stop_reason"])))


@fault("Finds nothing in a file with anything in its tail that is no record.", "16-07", "16-08",
       "8.3-24")
def odd_tail_gives_nothing(ca3):
    recovered_nothing_where(lambda recovery, result: is_odd(
        Stop(result["stopped_at"], result["stop_reason"])))


@fault("Refuses a file that is not sealed.", "16-07", "8.4-03", "8.4-01")
def unsealed_file_refused(ca3):
    refused_where(lambda recovery, result: not recovery.sealed, "truncated-record")


@fault("Says that it stopped at the end, wherever it did.", "16-07", "16-08", "8.3-22")
def walk_stopped_at_the_end(ca3):
    on_stop(lambda recovery, stop: stop._replace(
        offset=None if stop.offset is None else len(recovery.data)))


@fault("Says nowhere where it stopped.", "16-07", "16-08", "8.3-22")
def walk_stopped_nowhere(ca3):
    on_stop(lambda recovery, stop: Stop())


@fault("Says that it stopped nine bytes behind the place.", "16-07", "16-08")
def walk_stopped_behind_the_frame(ca3):
    on_stop(lambda recovery, stop: stop._replace(
        offset=min(stop.offset + FRAME.size, len(recovery.data))) if is_odd(stop) else stop)


@fault("Says that it stopped at the last record that it took.", "16-07", "16-08", "8.3-22")
def walk_stopped_at_the_last_record(ca3):
    last = []
    around(DamagedFile, "take_record", lambda take: lambda recovery, place: (
        last.append(place.offset), take(recovery, place))[1])
    on_stop(lambda recovery, stop: stop._replace(
        offset=last[-1] if last and stop.offset is not None else stop.offset))


@fault("Stops for the end of the file, whatever it met.", "8.3-22", "16-07", "16-08")
def walk_stopped_for_the_end_of_file(ca3):
    def change(recovery, stop):
        if not is_odd(stop):
            return stop
        recovery.problems.clear()
        return stop._replace(reason="end-of-file")

    on_stop(change)


@fault("Takes every end of an unsealed file for a cut.", "8.3-22")
def always_stopped_by_a_cut(ca3):
    on_stop(lambda recovery, stop: stop._replace(
        reason="truncated-record" if stop.reason == "end-of-file" else stop.reason))


@fault("Says that it stopped nowhere in an unsealed file of whole records.", "8.3-22")
def whole_records_stop_nowhere(ca3):
    on_stop(lambda recovery, stop: stop if is_odd(stop) else Stop())


@fault("Says of a sealed file that it stopped at its end.", "8.3-22")
def sealed_file_stopped_at_its_end(ca3):
    def change(recovery, result):
        if recovery.sealed and result["stopped_at"] is None:
            result.update(stopped_at=len(recovery.data), stop_reason="end-of-file")

    on_recovered(change)


@fault("Walks over zeros in the tail.", "16-08")
def zeros_skipped(ca3):
    def make(walk):
        def changed(recovery, offset, end, take):
            while True:
                offset, violation = walk(recovery, offset, end, take)
                if violation is None or recovery.data[offset] != 0:
                    return offset, violation
                while offset < end and recovery.data[offset] == 0:
                    offset += 1
        return changed

    around(DamagedFile, "walk_frames", make)


@fault("Takes nine zeros for an empty record.", "16-08")
def zeros_are_records(ca3):
    around(DamagedFile, "check_opcode", lambda check: lambda recovery, opcode, offset: (
        check(recovery, opcode, offset) if opcode else None))


# ------------------------------------------------------------------ chunks that do not hold (§8.3)


def on_bad_chunk(act) -> None:
    """Lets `act(recovery, place, content)` say what comes of a chunk that does not hold."""
    def make(sound_messages):
        def changed(recovery, place, content):
            messages = sound_messages(recovery, place, content)
            return act(recovery, place, content) if messages is None else messages
        return changed

    around(DamagedFile, "sound_messages", make)


@fault("Recovers of a chunk that does not hold what comes in front of the fault.", "8.3-19",
       "8.3-09")
def part_of_a_bad_chunk_recovered(ca3):
    def act(recovery, place, content):
        chunk, part = Chunk(*Cursor(content).unpack(CHUNK_HEAD)), []
        try:
            for i, row in enumerate(chunk.split_blob(content[CHUNK_HEAD.size + 20:])):
                part.append(chunk.message(i, row))
        except Violation:
            pass
        recovery.problems.pop()
        recovery.messages += part
        return part

    on_bad_chunk(act)


@fault("Stops at a chunk that does not hold.", "8.3-19")
def bad_chunk_ends_recovery(ca3):
    def make(take_chunk_at):
        def changed(recovery, offset):
            if getattr(recovery, "given_up", False):
                return None
            before = len(recovery.problems)
            entry = take_chunk_at(recovery, offset)
            recovery.given_up = len(recovery.problems) > before
            return entry
        return changed

    around(DamagedFile, "take_chunk_at", make)


@fault("Leaves the entry of a chunk out that does not hold.", "8.3-19")
def bad_chunk_loses_its_entry(ca3):
    def make(entry):
        return lambda recovery, place, head, messages, listed: (
            None if messages is None else entry(recovery, place, head, messages, listed))

    around(DamagedFile, "entry", make)


@fault("Says nothing of a chunk that it leaves out.", "8.3-19", "8.3-09", "8.3-11")
def bad_chunk_in_silence(ca3):
    def act(recovery, place, content):
        recovery.problems.pop()

    on_bad_chunk(act)


@fault("Refuses a file for a chunk that does not hold.", "8.3-19", "8.3-09")
def bad_chunk_refuses(ca3):
    def act(recovery, place, content):
        raise Violation("other", "a chunk does not hold")

    on_bad_chunk(act)


# ------------------------------------------------------------------ whole or not (§8.4, §8.3)


@fault("Takes a sealed file with a damaged summary for a truncated one.", "8.3-20")
def damaged_file_is_truncated(ca3):
    on_recovered(lambda recovery, result: (
        result.update(truncated=True) if is_damaged(recovery, result) else None))


@fault("Takes every sealed file for complete.", "8.3-20")
def sealed_file_is_complete(ca3):
    Recovery.is_complete = lambda recovery, method: recovery.sealed


@fault("Takes no file for truncated.", "8.4-01")
def never_truncated(ca3):
    Recovery.is_truncated = lambda recovery: False


@fault("Takes every file for truncated.", "8.4-01")
def always_truncated(ca3):
    Recovery.is_truncated = lambda recovery: True


@fault("Takes a file for truncated only where it ends inside a record.", "8.4-01")
def truncated_inside_a_record(ca3):
    on_recovered(lambda recovery, result: result.update(
        truncated=result["stop_reason"] == "truncated-record"))


@fault("Takes every file for complete.", "8.4-02", "8.4-03", "8.3-20")
def recovery_always_complete(ca3):
    Recovery.is_complete = lambda recovery, method: True


@fault("Takes a file that ends between two records for complete.", "8.4-02", "8.4-03")
def recovered_between_records_is_complete(ca3):
    on_recovered(lambda recovery, result: result.update(
        complete=result["complete"] or result["stop_reason"] == "end-of-file"))


@fault("Takes what the chain gave for complete.", "8.4-02", "8.4-03")
def chain_is_complete(ca3):
    on_recovered(lambda recovery, result: result.update(
        complete=result["complete"] or result["method"] == "checkpoint-chain"))


@fault("Takes a walk that lost nothing for complete.", "8.4-02", "8.4-03")
def faultless_walk_is_complete(ca3):
    on_recovered(lambda recovery, result: result.update(
        complete=not result["problems"]))


@fault("Never takes a recovered file for complete.", "8.3-20", "8.4-02")
def recovery_never_complete(ca3):
    Recovery.is_complete = lambda recovery, method: False


@fault("Recovers a file that still grows as far as its last checkpoint.", "8.4-03")
def growing_file_to_its_last_checkpoint(ca3):
    around(DamagedFile, "walk_on", lambda walk_on: lambda recovery, start: (
        Stop(start, "end-of-file") if recovery.chain and not recovery.sealed
        else walk_on(recovery, start)))
