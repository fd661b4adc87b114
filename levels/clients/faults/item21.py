"""Item 21: a device delay that the file does not carry is unknown, and what one is that it does."""
from __future__ import annotations

import ca3_delay
import ca3_messages
import ca3_time
from ca3_delay import DELAY_UNKNOWN, UNKNOWN, Delay
from level3 import concerning, on_clock, on_samples, unreported
from registry import around, faults_of

fault = faults_of(21)

NO_DELAY = {"delay_ns": 0, "uncertainty_ns": 0, "applicable": True}


def on_delays(change) -> None:
    """Lets `change(rows)` alter what `clock` says of the delays."""
    on_clock(lambda query, result: result.update(device_delays=change(result["device_delays"])))


def unknown_in_clock(substitute) -> None:
    on_delays(lambda rows: [{**row, "delay": substitute} if row["delay"] == UNKNOWN else row
                            for row in rows])


def unknown_in_times(substitute) -> None:
    def change(message, clock, sample):
        if sample["device_delay"] == UNKNOWN:
            sample["device_delay"] = substitute

    on_samples(change)


# ------------------------------------------------------------------ unknown (§10.9)


@fault("Gives a delay of 0 where the file has none.", "10.9-01")
def unknown_delay_is_zero(ca3):
    unknown_in_clock(NO_DELAY)
    unknown_in_times({"delay_ns": 0, "applied": True})


@fault("Gives a delay of 0 in times where the file has none.", "10.9-01")
def unknown_delay_is_zero_in_times(ca3):
    unknown_in_times({"delay_ns": 0, "applied": False})


@fault("Gives null where the file has no delay.", "10.9-01")
def unknown_delay_is_null(ca3):
    unknown_in_clock(None)
    unknown_in_times(None)


@fault("Lists the streams alone that have a delay.", "10.9-01")
def unknown_delays_left_out(ca3):
    on_delays(lambda rows: [row for row in rows if row["delay"] != UNKNOWN])


@fault("Gives a stream without a delay the one that the file has for another.", "10.9-01",
       "10.9-04")
def delay_of_another_stream(ca3):
    around(ca3_time, "candidates", lambda candidates: lambda evidence, stream: (
        candidates(evidence, stream) or [stated.message for stated in evidence.delays
                                         if stated.message["device_ref"] in evidence.devices]))


def unknown_uncertainty(change) -> None:
    """Lets `change(delay)` read one whose uncertainty is DELAY_UNKNOWN."""
    ca3_delay.is_known = lambda delay: True

    def make(delay_of):
        def changed(*arguments):
            delay = delay_of(*arguments)
            is_unknown = delay is not None and delay.uncertainty_ns == DELAY_UNKNOWN
            return change(delay) if is_unknown else delay
        return changed

    around(ca3_time, "delay_of", make)


@fault("Takes DELAY_UNKNOWN for 584 years of uncertainty.", "10.9-03")
def delay_sentinel_is_a_number(ca3):
    unknown_uncertainty(lambda delay: delay)


@fault("Takes DELAY_UNKNOWN for an uncertainty of 0.", "10.9-03")
def delay_sentinel_is_zero(ca3):
    unknown_uncertainty(lambda delay: delay._replace(uncertainty_ns=0))


@fault("Takes DELAY_UNKNOWN for an uncertainty of -1.", "10.9-03")
def delay_sentinel_is_minus_one(ca3):
    unknown_uncertainty(lambda delay: delay._replace(uncertainty_ns=-1))


@fault("Gives null for an uncertainty that is DELAY_UNKNOWN.", "10.9-03")
def delay_sentinel_is_null(ca3):
    def change(rows):
        return [{**row, "delay": {**row["delay"], "uncertainty_ns": None}}
                if row["delay"] != UNKNOWN and row["delay"]["uncertainty_ns"] == DELAY_UNKNOWN
                else row for row in rows]

    unknown_uncertainty(lambda delay: delay)
    on_delays(change)


@fault("Takes a delay of DELAY_UNKNOWN for one of 0.", "10.9-03", "10.9-01")
def unknown_statement_is_no_delay(ca3):
    unknown_uncertainty(lambda delay: delay._replace(delay_ns=0, uncertainty_ns=0))


# ------------------------------------------------------------------ the sign (§10.9)


@fault("Adds a delay to the time.", "10.9-02")
def delay_added(ca3):
    ca3_time.take_off = lambda time, delay: max(0, time + delay.delay_ns)


@fault("Takes off the size of a delay, whatever its sign.", "10.9-02")
def delay_without_its_sign(ca3):
    ca3_time.take_off = lambda time, delay: max(0, time - abs(delay.delay_ns))


@fault("Takes a negative delay for none.", "10.9-02")
def negative_delay_ignored(ca3):
    ca3_time.take_off = lambda time, delay: max(0, time - max(0, delay.delay_ns))


@fault("Reads delay_ns as a plain varint.", "10.9-02")
def delay_not_zigzag(ca3):
    ca3_messages.VALUES = {**ca3_messages.VALUES, "sint64": lambda raw: (
        raw - 2**64 if raw >> 63 else raw)}


@fault("Reads delay_ns as unsigned.", "10.9-02")
def delay_unsigned(ca3):
    around(ca3_messages, "sint64", lambda sint64: lambda raw: sint64(raw) % 2**64)
    ca3_messages.VALUES = {**ca3_messages.VALUES, "sint64": ca3_messages.sint64}


@fault("Takes delay_ns for microseconds.", "10.9-02")
def delay_in_microseconds(ca3):
    ca3_time.take_off = lambda time, delay: max(0, time - delay.delay_ns * 1000)


@fault("Says that a delay was taken off, and leaves the time as it is.", "10.9-02")
def delay_applied_in_word_alone(ca3):
    ca3_time.take_off = lambda time, delay: time


@fault("Never takes a delay off.", "10.9-02", "10.11-03")
def delay_never_applied(ca3):
    ca3_time.may_be_taken_off = lambda delay: False


@fault("Lets a time below a delay wrap.", "10.9-02")
def corrected_time_wraps(ca3):
    ca3_time.take_off = lambda time, delay: (time - delay.delay_ns) % 2**64


@fault("Clamps a corrected time past 64 bits.", "10.9-02")
def corrected_time_clamped(ca3):
    around(ca3_time, "take_off", lambda take_off: lambda time, delay: min(
        take_off(time, delay), 2**64 - 1))


# ------------------------------------------------------------------ whose delay (§10.9)


@fault("Takes a delay without a stream for one of every stream.", "10.9-04")
def device_delay_for_all_streams(ca3):
    concerning(lambda device, stream: True)


@fault("Takes a delay without a stream for one of no stream.", "10.9-04")
def device_delay_for_no_stream(ca3):
    concerning(lambda device, stream: False)


@fault("Matches a device's streams by the beginning of its clock domain.", "10.9-04")
def device_delay_by_prefix(ca3):
    concerning(lambda device, stream: device["clock_domain"] != "" and (
        stream["source_clock_domain"].startswith(device["clock_domain"])))


@fault("Takes streams without a source clock domain for those of a device without one.",
       "10.9-04")
def empty_domains_match(ca3):
    concerning(lambda device, stream: device["clock_domain"] == stream["source_clock_domain"])


@fault("Takes a device's reference for that of a stream.", "10.9-04")
def device_ref_is_a_stream(ca3):
    concerning(lambda device, stream: device["device_ref"] == stream["stream_ref"])


@fault("Gives a device's delay to the first of its streams alone.", "10.9-04")
def device_delay_for_its_first_stream(ca3):
    def is_first(evidence, delay, stream):
        device = evidence.devices[delay["device_ref"]]
        return stream["stream_ref"] == min(
            ref for ref, other in evidence.reader.streams.items()
            if ca3_delay.concerns(delay, device, other))

    candidates = ca3_delay.candidates
    ca3_time.candidates = lambda evidence, stream: [
        delay for delay in candidates(evidence, stream)
        if delay["stream_ref"] or is_first(evidence, delay, stream)]


@fault("Wants a stream that a delay names to be of the device's domain.", "10.9-04", "10.9-08")
def named_stream_must_be_the_devices(ca3):
    around(ca3_delay, "concerns", lambda concerns: lambda delay, device, stream: (
        concerns(delay, device, stream)
        and concerns({**delay, "stream_ref": 0}, device, stream)))


@fault("Gives a delay that names a stream to all streams of its device.", "10.9-04")
def named_delay_for_the_device(ca3):
    around(ca3_delay, "concerns", lambda concerns: lambda delay, device, stream: (
        concerns(delay, device, stream) or concerns({**delay, "stream_ref": 0}, device, stream)))


# ------------------------------------------------------------------ firmware (§10.9)


def holding_under(is_applicable) -> None:
    """Lets `is_applicable(stated, firmware)` compare."""
    ca3_delay.is_applicable = lambda delay, device: is_applicable(
        delay["valid_firmware"], device["firmware"])


@fault("Never compares the firmware.", "10.9-05")
def firmware_never_compared(ca3):
    holding_under(lambda stated, firmware: True)


@fault("Compares the firmware by its beginning.", "10.9-05")
def firmware_by_prefix(ca3):
    holding_under(lambda stated, firmware: firmware.startswith(stated))


@fault("Compares the firmware's first number alone.", "10.9-05")
def firmware_by_major_number(ca3):
    holding_under(lambda stated, firmware: (
        stated == "" or stated.split(".")[0] == firmware.split(".")[0]))


@fault("Takes a newer firmware for one that a delay holds under.", "10.9-05")
def newer_firmware_fits(ca3):
    holding_under(lambda stated, firmware: stated <= firmware)


@fault("Takes an empty valid_firmware for one that no device has.", "10.9-05")
def empty_firmware_is_a_condition(ca3):
    holding_under(lambda stated, firmware: stated == firmware)


@fault("Takes off a delay that it calls not applicable.", "10.9-05")
def inapplicable_delay_applied(ca3):
    ca3_time.may_be_taken_off = lambda delay: delay is not None and not delay.is_covered


@fault("Passes over a delay that is not applicable, without a word.", "10.9-05")
def inapplicable_delay_passed_over(ca3):
    around(ca3_time, "candidates", lambda candidates: lambda evidence, stream: [
        delay for delay in candidates(evidence, stream) if ca3_delay.fits(evidence, delay)])


@fault("Gives a delay that is not applicable as one of 0.", "10.9-05", "10.9-01")
def inapplicable_delay_is_zero(ca3):
    around(ca3_time, "delay_of", lambda delay_of: lambda *arguments: (
        delay if (delay := delay_of(*arguments)) is None or delay.is_applicable
        else Delay(0, 0, True, delay.is_covered, False)))
    unreported("delay-not-applicable")


@fault("Compares the firmware of the first device, whichever the delay is of.", "10.9-05")
def firmware_of_the_first_device(ca3):
    ca3_delay.fits = ca3_time.fits = lambda evidence, delay: ca3_delay.is_applicable(
        delay, next(iter(evidence.devices.values())))
