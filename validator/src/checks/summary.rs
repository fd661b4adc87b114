//! The summary's groups and their offsets (§2.2, §2.4, §13.4).

use std::collections::BTreeMap;
use std::io;

use ca3_reports::{Finding, Severity};
use ca3_spec::opcode::{self, op};
use ca3_wire::frame::RecordFrame;
use ca3_wire::records::SummaryOffset;

use super::footer::at;
use crate::findings::Findings;
use crate::scan::{Group, Scan, Section};

/// Groups that every sealed file has.
const REQUIRED: [u8; 3] = [op::CHUNK_INDEX, op::STREAM_DIRECTORY, op::STATISTICS];

fn name(opcode: u8) -> &'static str {
    opcode::entry(opcode).map_or("(unknown)", |entry| entry.name)
}

/// The name, with the opcode where version 1 has none.
fn called(opcode: u8) -> String {
    match opcode::entry(opcode) {
        Some(entry) => entry.name.to_owned(),
        None => format!("opcode {opcode:#04x}"),
    }
}

/// Places of the fewest groups without which the opcodes ascend strictly.
fn out_of_order(groups: &[&Group]) -> Vec<usize> {
    // The longest ascending run that ends with each opcode, and its last place.
    let mut runs: BTreeMap<u8, (usize, usize)> = BTreeMap::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(groups.len());
    for (place, group) in groups.iter().enumerate() {
        let best = runs
            .range(..group.opcode)
            .map(|(_, run)| *run)
            .max_by_key(|(length, place)| (*length, std::cmp::Reverse(*place)));
        before.push(best.map(|(_, place)| place));
        let length = best.map_or(1, |(length, _)| length.saturating_add(1));
        let run = runs.entry(group.opcode).or_insert((length, place));
        if length > run.0 {
            *run = (length, place);
        }
    }
    let longest = runs
        .values()
        .max_by_key(|(length, place)| (*length, std::cmp::Reverse(*place)));
    let mut kept = vec![false; groups.len()];
    let mut next = longest.map(|(_, place)| *place);
    while let Some(place) = next {
        if let Some(kept) = kept.get_mut(place) {
            *kept = true;
        }
        next = before.get(place).copied().flatten();
    }
    (0..groups.len())
        .filter(|place| kept.get(*place) == Some(&false))
        .collect()
}

impl Scan<'_> {
    pub(crate) fn summary_offset(&mut self, content: &[u8], base: u64) -> io::Result<()> {
        // One that stands elsewhere names nothing.
        if let Some(record) = self.decode::<SummaryOffset>(content, base)
            && self.section == Section::Offsets
            && self.pay(size_of::<(u64, SummaryOffset)>(), base, "SummaryOffset")
        {
            self.facts.summary_offsets.push((base, record));
        }
        Ok(())
    }

    /// Order of the groups, those that must be there, and one offset each.
    pub(crate) fn groups_at_end(&mut self) {
        let Some((base, footer)) = self.facts.footer else {
            return;
        };
        if footer.summary_start != 0 && !self.boundary_known {
            return;
        }
        let mut found = self.findings.beside();
        let footer_offset = base.saturating_sub(RecordFrame::BYTES);
        let absent = |rule, byte: u64, field: &str, message: &str, expected: &str| {
            let path = format!("Footer.{field}");
            Finding::new(
                rule,
                Severity::Error,
                base.saturating_add(byte),
                path,
                message,
            )
            .in_record(footer_offset)
            .showing(expected, 0)
        };
        if self.facts.groups.is_empty() && footer.summary_start == 0 {
            let message = "the file has no summary: summary_start is 0";
            let expected = "a ChunkIndex, a StreamDirectory and Statistics at least";
            let field = "summary_start";
            found.add(
                absent("CA3-2.4-03", at::SUMMARY_START, field, message, expected).reading("G77"),
            );
            self.findings.absorb(found);
            return;
        }
        self.group_order(&mut found);
        let end = self.offsets_start.unwrap_or(footer_offset);
        for required in REQUIRED {
            let is_there = self
                .facts
                .groups
                .iter()
                .any(|group| group.opcode == required);
            // One that stands elsewhere was reported there.
            if !is_there && !self.facts.misplaced.contains(&required) {
                let message = format!("the summary has no {}", name(required));
                found.add(
                    Finding::new("CA3-2.4-03", Severity::Error, end, "summary", message)
                        .showing(name(required), "none"),
                );
            }
        }
        let has_offsets = self.offsets_start.is_some();
        if !has_offsets && footer.summary_offset_start == 0 {
            let message = "the file has no SummaryOffset section: summary_offset_start is 0";
            let (byte, field) = (at::SUMMARY_OFFSET_START, "summary_offset_start");
            let expected = "one SummaryOffset for each group of the summary";
            found.add(absent("CA3-2.4-04", byte, field, message, expected).reading("G88"));
        } else {
            self.group_offsets(&mut found);
        }
        self.single_records(&mut found);
        self.findings.absorb(found);
    }

    /// Groups ascend, but for the fewest that must be called out of place.
    fn group_order(&self, found: &mut Findings) {
        let groups: Vec<&Group> = self
            .facts
            .groups
            .iter()
            .filter(|group| !group.stray)
            .collect();
        for place in out_of_order(&groups) {
            let Some(group) = groups.get(place) else {
                continue;
            };
            let neighbour = |place: Option<usize>| place.and_then(|place| groups.get(place));
            let (side, other) = match neighbour(place.checked_sub(1)) {
                Some(before) if before.opcode > group.opcode => ("behind", Some(before)),
                _ => ("in front of", neighbour(place.checked_add(1))),
            };
            let earlier = groups
                .iter()
                .take(place)
                .find(|earlier| earlier.opcode == group.opcode);
            let message = match (earlier, other) {
                (Some(earlier), _) => format!(
                    "a second group of {}; the first is at {}",
                    called(group.opcode),
                    earlier.start
                ),
                (None, Some(other)) => format!(
                    "the group of {} stands {side} that of {}",
                    called(group.opcode),
                    called(other.opcode)
                ),
                (None, None) => format!("the group of {} stands apart", called(group.opcode)),
            };
            found.add(
                Finding::new(
                    "CA3-2.2-02",
                    Severity::Error,
                    group.start,
                    "summary",
                    message,
                )
                .showing(
                    "groups ascending by opcode, each once",
                    called(group.opcode),
                ),
            );
        }
    }

    /// Reading G109: of these, a summary has one record each.
    fn single_records(&self, found: &mut Findings) {
        let facts = &self.facts;
        let start = |base: u64| base.saturating_sub(RecordFrame::BYTES);
        let of_summary = facts.clock_blocks.iter().filter(|block| block.in_summary);
        let each: [(u8, Vec<u64>); 4] = [
            (
                op::CHUNK_INDEX,
                facts.indexes.iter().map(|it| it.offset).collect(),
            ),
            (
                op::STREAM_DIRECTORY,
                facts.directories.iter().map(|it| it.offset).collect(),
            ),
            (op::CLOCK_BLOCK, of_summary.map(|it| it.record).collect()),
            (
                op::STATISTICS,
                facts.statistics.iter().map(|it| start(it.base)).collect(),
            ),
        ];
        for (opcode, records) in each {
            let Some((first, others)) = records.split_first() else {
                continue;
            };
            for offset in others {
                let message = format!(
                    "a second {} in the summary; the first is at {first}",
                    name(opcode)
                );
                found.add(
                    Finding::new(
                        "CA3-2.4-11",
                        Severity::Error,
                        *offset,
                        name(opcode),
                        message,
                    )
                    .showing("one record", "another one"),
                );
            }
        }
    }

    fn group_offsets(&self, found: &mut Findings) {
        let mut groups: BTreeMap<u8, Vec<Group>> = BTreeMap::new();
        for group in &self.facts.groups {
            groups.entry(group.opcode).or_default().push(*group);
        }
        let mut named: BTreeMap<u8, u64> = BTreeMap::new();
        for (base, record) in &self.facts.summary_offsets {
            let path = |field: &str| format!("SummaryOffset.{field}");
            let record_offset = base.saturating_sub(RecordFrame::BYTES);
            let runs = groups.get(&record.opcode).map_or(&[][..], Vec::as_slice);
            // Of a second run, which was reported, the one that begins there.
            let run = runs
                .iter()
                .find(|group| group.start == record.start)
                .or_else(|| runs.first());
            let is_second = named.insert(record.opcode, *base).is_some();
            if is_second && (runs.len() < 2 || run.is_none_or(|run| run.start != record.start)) {
                let message = format!("{} has a SummaryOffset before", called(record.opcode));
                found.add(
                    Finding::new(
                        "CA3-2.4-04",
                        Severity::Error,
                        *base,
                        path("opcode"),
                        message,
                    )
                    .in_record(record_offset)
                    .showing("one a group", "another one"),
                );
                continue;
            }
            let Some(group) = run else {
                let message = format!("{} has no group in the summary", called(record.opcode));
                found.add(
                    Finding::new(
                        "CA3-2.4-04",
                        Severity::Error,
                        *base,
                        path("opcode"),
                        message,
                    )
                    .in_record(record_offset)
                    .showing(
                        "a group of the summary",
                        format_args!("{:#04x}", record.opcode),
                    ),
                );
                continue;
            };
            let length = group.end.saturating_sub(group.start);
            for (byte, field, right, stated) in [
                (1, "start", group.start, record.start),
                (9, "length", length, record.length),
            ] {
                if right != stated {
                    let message =
                        format!("{field} is not that of the {} group", name(record.opcode));
                    let offset = base.saturating_add(byte);
                    found.add(
                        Finding::new("CA3-13.4-01", Severity::Error, offset, path(field), message)
                            .in_record(record_offset)
                            .showing(right, stated)
                            .reading("G09"),
                    );
                }
            }
        }
        // One that did not decode may be the one that is missed.
        let lost = &self.facts.lost_offsets;
        let runs = groups.values().filter_map(|runs| runs.first());
        for group in runs.filter(|group| !group.stray) {
            if named.contains_key(&group.opcode)
                || lost.contains(&Some(group.opcode))
                || lost.contains(&None)
            {
                continue;
            }
            // Reading G115: what version 1 does not define is a group as well.
            let defined = matches!(
                opcode::disposition(group.opcode),
                opcode::Disposition::Defined(_)
            );
            let message = format!("the group of {} has no SummaryOffset", called(group.opcode));
            let severity = if defined {
                Severity::Error
            } else {
                Severity::Warning
            };
            let finding = Finding::new("CA3-2.4-04", severity, group.start, "summary", message)
                .showing("one SummaryOffset", "none");
            found.add(if defined {
                finding
            } else {
                finding.reading("G115")
            });
        }
    }
}
