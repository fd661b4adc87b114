//! Item 19: observations are a stream like any other, and a mapping is not
//! called verified where they could not be read (§10.7).
//!
//! Where the bytes cannot be had at all, this rests on no reading. That a chunk whose
//! checksum fails is not read is reading G103. What was observed lies on a flat line
//! of one delay, and whoever does not recompute answers `unverified`.

use ca3_spec::kind::Kind::{BadCrc, BadLength, DecompressFailed, Other};
use ca3_wire::records::ClockDomain;
use serde_json::json;

use super::super::{Page, plan_with};
use super::lines::{constant_delay, flat};
use super::{
    block_of, moved, observed, observing, observing_in, one_way, receipt_only, seen, shift_of,
};
use crate::draft::{Draft, Surfacing, surface};
use crate::plan::{Coded, Decoded, Observation, Plan, ZSTD, crc32c, observations};
use crate::verifying::{at_most_verified, unread};
use crate::{Ask, Values, zstd_frame};

pub(in super::super) fn cases(page: &Page) -> Vec<Draft> {
    vec![
        like_any_other(page),
        stale_checksum(page),
        one_chunk_of_two(page),
        broken_frame(page),
        half_an_observation(page),
        one_more_than_observed(page),
        none_named(page),
    ]
}

/// The constant delay's four observations in one chunk, and their mapping.
fn whole(v: &Values) -> (Plan, Vec<Observation>) {
    let shift = shift_of(v);
    let seen = seen(&constant_delay(), shift);
    let domain = moved(&receipt_only(flat()), shift);
    (observed(v, vec![observations(1, &seen)], &domain), seen)
}

fn like_any_other(page: &Page) -> Draft {
    let (valid, seen) = whole(&page.values("read-like-any-other"));
    let payloads: Vec<Vec<u8>> = seen.iter().map(Observation::payload).collect();
    let payloads: Vec<&[u8]> = payloads.iter().map(Vec::as_slice).collect();
    // A delta of 10^9 is stored as 80 94 EB DC 03: who passes over the checksum
    // finds another stamp, and the observations as they were.
    let flipped = valid
        .clone()
        .patch_field("Chunk 1", "message[1].stamp_delta", 0, &[0x81])
        .what("Chunk 1: one bit of the second message's stamp_delta is flipped");
    Draft::new(
        "read-like-any-other",
        &["CA3-10.7-01"],
        "observations come back from read like any message; with a bit flipped none does",
    )
    .readings(&["G103"])
    .valid_asked(valid, vec![Ask::read(), at_most_verified()])
    .invalid_asked(
        flipped,
        vec![
            Ask::read().surfaces(surface(&[BadCrc]).forbid(&payloads)),
            unread(&[BadCrc, Other]),
        ],
    )
}

fn stale_checksum(page: &Page) -> Draft {
    let (valid, _) = whole(&page.values("stale-checksum"));
    let stale = valid.clone().edit_chunk(
        "Chunk 1",
        "records_crc32c",
        "one bit of records_crc32c is flipped",
        |chunk| chunk.records_crc32c = Some(crc32c(&chunk.blob()) ^ 1),
    );
    Draft::new(
        "stale-checksum",
        &["CA3-10.7-04"],
        "the checksum over the observations does not match them: the mapping is not verified",
    )
    .readings(&["G103"])
    .valid_asked(valid, vec![at_most_verified()])
    .invalid_asked(stale, vec![unread(&[BadCrc, Other])])
}

/// The second of two chunks is damaged; the first alone lies on the same line.
fn one_chunk_of_two(page: &Page) -> Draft {
    let v = page.values("one-chunk-of-two");
    let shift = shift_of(&v);
    let all = seen(&constant_delay(), shift);
    let (first, second) = all.split_at(2);
    let chunks = vec![observations(1, first), observations(1, second)];
    let valid = observed(&v, chunks, &moved(&receipt_only(flat()), shift));
    let damaged = valid.clone().edit_chunk(
        "Chunk 2",
        "records_crc32c",
        "one bit of records_crc32c is flipped",
        |chunk| chunk.records_crc32c = Some(crc32c(&chunk.blob()) ^ 1),
    );
    Draft::new(
        "one-chunk-of-two",
        &["CA3-10.7-04"],
        "half of the observations cannot be read: what the rest implies is no verification",
    )
    .readings(&["G103"])
    .valid_asked(valid, vec![at_most_verified()])
    .invalid_asked(damaged, vec![unread(&[BadCrc, Other])])
}

fn broken_frame(page: &Page) -> Draft {
    let v = page.values("broken-frame");
    let shift = shift_of(&v);
    let chunk = observations(1, &seen(&constant_delay(), shift)).zstd();
    let mut frame = zstd_frame::raw(&chunk.blob());
    let domain = moved(&receipt_only(flat()), shift);
    let valid = observing_in(plan_with(&v, ZSTD))
        .chunk(chunk)
        .clock_block(&block_of(&[domain]));
    // The frame begins with 28 B5 2F FD; the checksum is that of what is stored.
    if let Some(first) = frame.first_mut() {
        *first ^= 1;
    }
    let broken = valid.clone().edit_chunk(
        "Chunk 1",
        "records",
        "one bit of the zstd frame's first byte is flipped",
        move |chunk| chunk.stored = Some(frame),
    );
    Draft::new(
        "broken-frame",
        &["CA3-10.7-04"],
        "observations in a zstd chunk that does not decompress: the mapping is not verified",
    )
    .valid_asked(valid, vec![at_most_verified()])
    .invalid_asked(broken, vec![unread(&[DecompressFailed, Other])])
}

/// The checksum holds, and a payload is no ClockObservation.
fn half_an_observation(page: &Page) -> Draft {
    let (valid, seen) = whole(&page.values("half-an-observation"));
    let last = seen.last().map(Observation::payload).unwrap_or_default();
    let cut = last.len().saturating_sub(3);
    let halved = valid.clone().edit_chunk(
        "Chunk 1",
        "message[3].payload",
        "the last payload ends three bytes early, inside receipt_ns",
        move |chunk| {
            if let Some(message) = chunk.at(3) {
                message.payload.truncate(cut);
            }
        },
    );
    Draft::new(
        "half-an-observation",
        &["CA3-10.7-04"],
        "one payload of the observations stream is no ClockObservation: a problem, and no verification",
    )
    .readings(&["G05", "G127"])
    .valid_asked(valid, vec![at_most_verified()])
    .invalid_asked(
        halved,
        vec![unread(&[BadLength, Other])],
    )
}

/// What the sound observations imply stands in the mapping, their number too.
fn one_more_than_observed(page: &Page) -> Draft {
    let (valid, seen) = whole(&page.values("sound-observations-alone"));
    let last = seen.last().copied();
    let spoilt = valid.clone().edit_chunk(
        "Chunk 1",
        "message[4].payload",
        "a fifth message is added, whose payload ends inside receipt_ns",
        move |chunk| {
            if let Some(one) = last {
                let mut payload = one.payload();
                payload.truncate(payload.len().saturating_sub(3));
                let stamp = one.receipt_ns + 10;
                let delta = stamp - chunk.min_stamp_ns;
                let message = Coded::new(delta, &[], &payload, Decoded::at(stamp));
                chunk.messages.push(message);
            }
        },
    );
    Draft::new(
        "sound-observations-alone",
        &["CA3-10.7-04"],
        "a mapping as four observations imply it; a fifth payload is none, and so it is not verified",
    )
    .readings(&["G05", "G127"])
    .valid_asked(valid, vec![at_most_verified()])
    .invalid_asked(spoilt, vec![unread(&[BadLength, Other])])
}

/// Two mappings that stream 1 would bear out; both say that there is nothing.
fn none_named(page: &Page) -> Draft {
    let v = page.values("stream-0-beside-observations");
    let shift = shift_of(&v);
    let of = |domain: &str, line: ClockDomain| ClockDomain {
        domain: domain.to_owned(),
        observations_stream: 0,
        ..moved(&line, shift)
    };
    let domains = [
        of("peer-a", receipt_only(flat())),
        of("peer-b", one_way(flat())),
    ];
    let never = json!({"verification": {"$not": "verified"}});
    Draft::new(
        "stream-0-beside-observations",
        &["CA3-10.4-08", "CA3-10.7-04"],
        "mappings that name no observations, beside a stream of observations that they would fit",
    )
    .valid_asked(
        observing(&v)
            .chunk(observations(1, &seen(&constant_delay(), shift)))
            .clock_block(&block_of(&domains)),
        vec![Ask::clock(json!({"domains": [never.clone(), never]}))],
    )
    .wrong_answer("0 is taken for the file's first stream, or whichever stream fits is taken")
}
