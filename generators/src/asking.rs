//! One question to a file and what is owed, for cases that ask more than `read`.
//!
//! Expected values name records by label, through [`offset_of`]: where a
//! record lies is known when the file is laid out.

use ca3_spec::kind::Kind;
use ca3_spec::protocol::{Decimal, Hex};
use ca3_spec::vector::{Expect, OverHttp, Step, Stretch, Surface};
use ca3_wire::records::ChunkHeader;
use serde_json::{Map, Value, json};

use crate::plan::{EPOCH, HOST, Layout, Placed, Plan, Sample, wide};

/// The key of a stand-in for a record's file offset.
const OFFSET_OF: &str = "@offset_of";
/// The key of a stand-in for the file's size.
const SIZE_OF_FILE: &str = "@size_of_file";

/// A question, and what is owed.
#[derive(Clone, Debug)]
pub struct Ask {
    op: &'static str,
    arguments: Map<String, Value>,
    fresh: bool,
    /// Labels of the chunks whose records may not all be fetched, where the
    /// file is offered over HTTP.
    unfetched: Option<Vec<String>>,
    /// Whether `index` owes what the SummaryOffset records say.
    groups: bool,
    owed: Owed,
}

#[derive(Clone, Debug)]
enum Owed {
    /// `ok`, with the plan's own answer where there is one, these members
    /// replaced or added.
    Answer {
        members: Map<String, Value>,
        may_report: Vec<Kind>,
        may_report_any: bool,
        may_refuse: Vec<Kind>,
    },
    /// The violation is surfaced.
    Surface(Surface),
}

impl Ask {
    fn new(op: &'static str, arguments: Value) -> Self {
        Ask {
            op,
            arguments: arguments.as_object().cloned().unwrap_or_default(),
            fresh: false,
            unfetched: None,
            groups: false,
            owed: Owed::Answer {
                members: Map::new(),
                may_report: Vec::new(),
                may_report_any: false,
                may_refuse: Vec::new(),
            },
        }
    }

    /// `read`: the plan's own answer.
    pub fn read() -> Self {
        Ask::new("read", json!({}))
    }

    /// `index`: the index and the directory as laid out, and what is said of the
    /// spine; not the SummaryOffsets, whose layout is a reading (G09).
    pub fn index() -> Self {
        Ask::new("index", json!({}))
    }

    /// `state_at` for all streams; `t` in the reference domain, ns.
    pub fn state_at(t: u64, results: &[Value]) -> Self {
        Ask::new("state_at", json!({"t": Decimal(t)})).holds(json!({"results": results}))
    }

    /// `state_at` for these streams.
    pub fn state_of(t: u64, streams: &[u32], results: &[Value]) -> Self {
        let arguments = json!({"t": Decimal(t), "streams": streams});
        Ask::new("state_at", arguments).holds(json!({"results": results}))
    }

    /// `window` from `t1` to `t2` inclusive, in the reference domain, ns.
    pub fn window(t1: u64, t2: u64, streams: &[u32], messages: &[Value]) -> Self {
        let arguments = json!({"t1": Decimal(t1), "t2": Decimal(t2), "streams": streams});
        Ask::new("window", arguments).holds(json!({"messages": messages}))
    }

    /// `loss`: one element a declared stream.
    pub fn loss(streams: &[Value]) -> Self {
        Ask::new("loss", json!({})).holds(json!({"streams": streams}))
    }

    /// `clock`, the answer holding these members.
    pub fn clock(members: Value) -> Self {
        Ask::new("clock", json!({})).holds(members)
    }

    /// `times` of a stream: one element a sample.
    pub fn times(stream_ref: u32, samples: &[Value]) -> Self {
        Ask::new("times", json!({"stream_ref": stream_ref})).holds(json!({"samples": samples}))
    }

    /// `recover`: what is owed is said by `recovering`.
    pub(crate) fn recover() -> Self {
        Ask::new("recover", json!({}))
    }

    /// `index` also owes the groups that the SummaryOffsets name.
    pub fn with_groups(self) -> Self {
        Ask {
            groups: true,
            ..self
        }
    }

    /// The answer holds this, in the place of what the plan says.
    pub fn holds(mut self, members: Value) -> Self {
        if let (Owed::Answer { members: held, .. }, Value::Object(more)) = (&mut self.owed, members)
        {
            held.extend(more);
        }
        self
    }

    /// The chunks of these labels are fetched; those of `may` may be; no other is.
    pub fn reads(self, must: &[&str], may: &[&str]) -> Self {
        let offsets = |labels: &[&str]| -> Vec<Value> {
            labels.iter().map(|label| offset_of(label)).collect()
        };
        let (must, may) = (offsets(must), offsets(may));
        self.holds(json!({"chunks_read": {"$members": {"must": must, "may": may}}}))
    }

    /// Problems of these kinds may be reported beside the answer.
    pub fn may_report(mut self, kinds: &[Kind]) -> Self {
        if let Owed::Answer { may_report, .. } = &mut self.owed {
            may_report.extend_from_slice(kinds);
        }
        self
    }

    /// Problems of any kind may be reported beside the answer; no list stands
    /// beside that.
    pub(crate) fn may_report_anything(mut self) -> Self {
        if let Owed::Answer { may_report_any, .. } = &mut self.owed {
            *may_report_any = true;
        }
        self
    }

    /// As it is asked of a damaged file: what `recover` says of the damage is
    /// not judged where an answer is owed. Nobody must name it, and which kind
    /// it is depends on the way that a reader goes.
    pub(crate) fn of_a_damaged_file(self) -> Self {
        if self.op == "recover" {
            self.may_report_anything()
        } else {
            self
        }
    }

    /// A refusal is right as well, by one of these kinds.
    pub fn or_refused(mut self, kinds: &[Kind]) -> Self {
        if let Owed::Answer { may_refuse, .. } = &mut self.owed {
            may_refuse.extend_from_slice(kinds);
        }
        self
    }

    /// The violation is surfaced here, in the place of an answer.
    pub fn surfaces(self, surface: Surface) -> Self {
        Ask {
            owed: Owed::Surface(surface),
            ..self
        }
    }

    /// A process that has answered nothing yet is asked.
    pub fn afresh(self) -> Self {
        Ask {
            fresh: true,
            ..self
        }
    }

    /// The file is offered over HTTP; of these chunks the records behind the
    /// header may not all be fetched.
    pub fn over_http(self, unfetched: &[&str]) -> Self {
        let labels = unfetched.iter().map(|label| (*label).to_owned());
        Ask {
            unfetched: Some(labels.collect()),
            ..self
        }
    }

    /// The question as a step of a vector.
    ///
    /// # Errors
    /// A label that the layout does not have.
    pub(crate) fn step(self, plan: &Plan, layout: &Layout) -> Result<Step, String> {
        let over_http = self.unfetched.map(|labels| {
            let unfetched: Result<Vec<Stretch>, String> = labels
                .iter()
                .map(|label| records_of(label, layout))
                .collect();
            unfetched.map(|unfetched| OverHttp { unfetched })
        });
        let expect = match self.owed {
            Owed::Surface(surface) => Expect::Surface(Surface {
                result: resolved(surface.result, layout)?,
                or_result: resolved(surface.or_result, layout)?,
                ..surface
            }),
            Owed::Answer {
                members,
                may_report,
                may_report_any,
                may_refuse,
            } => {
                let mut result = match self.op {
                    "read" => plan.expected(layout),
                    "index" => expected_index(layout, self.groups),
                    _ => json!({}),
                };
                if let Value::Object(result) = &mut result {
                    if matches!(self.op, "index" | "state_at" | "window") {
                        result.insert("spine".to_owned(), either_spine());
                    }
                    for (name, member) in members {
                        result.insert(name, resolved(member, layout)?);
                    }
                }
                Expect::Answer {
                    result,
                    may_report: if may_report_any {
                        Vec::new()
                    } else {
                        may_report
                    },
                    may_report_any,
                    may_refuse,
                }
            }
        };
        Ok(Step {
            op: self.op.to_owned(),
            arguments: self.arguments,
            fresh: self.fresh,
            over_http: over_http.transpose()?,
            expect,
        })
    }
}

/// The file offset of a labelled record's opcode byte, known once laid out.
pub fn offset_of(label: &str) -> Value {
    json!({ OFFSET_OF: label })
}

/// The size of the file in bytes, known once laid out.
pub fn size_of_file() -> Value {
    json!({ SIZE_OF_FILE: true })
}

/// What every reader may say of the data section's spine (item 16).
fn either_spine() -> Value {
    json!({"$one_of": ["walked", "not-walked"]})
}

/// A stream's message in force: its basis, stamp, time in the reference domain
/// (ns both) and payload.
pub fn in_force(stream_ref: u32, basis: &str, stamp: u64, time: u64, payload: &[u8]) -> Value {
    let message = message(stream_ref, stamp, payload);
    let result = json!({"stream_ref": stream_ref, "message": message});
    placed(result, basis, json!(Decimal(time)))
}

/// A stream without a message at or before the instant.
pub fn none_in_force(stream_ref: u32, basis: &str) -> Value {
    placed(
        json!({"stream_ref": stream_ref, "message": null}),
        basis,
        Value::Null,
    )
}

/// A message of a window, by stamp and payload, its other fields not judged.
pub fn emitted(stream_ref: u32, basis: &str, stamp: u64, time: u64, payload: &[u8]) -> Value {
    let message = message(stream_ref, stamp, payload);
    placed(message, basis, json!(Decimal(time)))
}

/// A message of a window with all of its stored fields.
pub fn emitted_whole(stream_ref: u32, basis: &str, time: u64, sample: &Sample) -> Value {
    let view = sample.decoded.view(stream_ref, &sample.payload);
    placed(json!(view), basis, json!(Decimal(time)))
}

/// A message by stamp and payload, its other fields not judged.
fn message(stream_ref: u32, stamp: u64, payload: &[u8]) -> Value {
    json!({
        "stream_ref": stream_ref,
        "monotonic_timestamp_ns": Decimal(stamp),
        "payload": Hex(payload.to_vec()),
    })
}

/// With a basis and a time; a stream without a usable mapping is reported
/// degraded (§9.1), by a reason or more.
fn placed(mut value: Value, basis: &str, time: Value) -> Value {
    if let Value::Object(members) = &mut value {
        members.insert("basis".to_owned(), json!(basis));
        members.insert("time".to_owned(), time);
        if basis == "unmapped" {
            let some = json!({"$contains": [{"$not": {"$absent": true}}]});
            members.insert("degraded".to_owned(), some);
        }
    }
    value
}

/// A window over everything, each stream by itself, owing the messages of an
/// answer to `read`; `None` where a stream is not on the recording host's clock.
pub(crate) fn whole_window(read: &Value) -> Option<Ask> {
    let rows = |name: &str| read.get(name).and_then(Value::as_array);
    let number = |value: &Value, name: &str| value.get(name).and_then(Value::as_u64);
    let mut streams: Vec<u32> = Vec::new();
    for stream in rows("streams")? {
        let own = stream.get("host_id")? == HOST && stream.get("host_clock_epoch")? == EPOCH;
        if !own {
            return None;
        }
        streams.push(u32::try_from(number(stream, "stream_ref")?).ok()?);
    }
    let mut messages = Vec::new();
    for stream_ref in &streams {
        let mut own: Vec<(u64, &Value)> = Vec::new();
        for message in rows("messages")? {
            if number(message, "stream_ref")? == u64::from(*stream_ref) {
                let stamp = message.get("monotonic_timestamp_ns")?.as_str()?;
                own.push((stamp.parse().ok()?, message));
            }
        }
        // Stable: equal stamps stay as they are stored (reading G117).
        own.sort_by_key(|(stamp, _)| *stamp);
        messages.extend(
            own.into_iter()
                .map(|(stamp, message)| placed(message.clone(), "exact", json!(Decimal(stamp)))),
        );
    }
    Some(Ask::window(0, u64::MAX, &streams, &messages))
}

/// What `loss` says of a stream: its topic, what is missing, the verdict.
pub fn lost(stream_ref: u32, topic: &str, missing: Option<u64>, verdict: &str) -> Value {
    json!({"stream_ref": stream_ref, "topic": topic, "missing": missing, "verdict": verdict})
}

/// What `index` says of a plan's file: its tables as they are stored.
pub(crate) fn index_of(plan: &Plan) -> Value {
    plan.layout()
        .map_or(Value::Null, |layout| expected_index(&layout, false))
}

/// §7.1, §7.3 and perhaps §13.4 as the layout holds them.
fn expected_index(layout: &Layout, with_groups: bool) -> Value {
    let entries = layout.tables.entries.iter().map(|entry| {
        json!({
            "chunk_offset": Decimal(entry.chunk_offset),
            "chunk_length": Decimal(entry.chunk_length),
            "min_stamp_ns": Decimal(entry.min_stamp_ns),
            "max_stamp_ns": Decimal(entry.max_stamp_ns),
            "prefix_max_stamp_ns": Decimal(entry.prefix_max_stamp_ns),
            "message_count": entry.message_count,
            "stream_ref": entry.stream_ref,
            "seq_first": entry.seq_first,
            "seq_last": entry.seq_last,
        })
    });
    let entries: Vec<Value> = entries.collect();
    let directory = layout.tables.directory.iter().map(|entry| {
        json!({
            "stream_ref": entry.stream_ref,
            "flags": entry.flags,
            "first_index": entry.first_index,
            "index_count": entry.index_count,
            "message_count": Decimal(entry.message_count),
            "chunk_count": Decimal(entry.chunk_count),
            "first_stamp_ns": Decimal(entry.first_stamp_ns),
            "last_stamp_ns": Decimal(entry.last_stamp_ns),
            "dropped_by_queue": Decimal(entry.dropped_by_queue),
            "never_arrived": Decimal(entry.never_arrived),
            "reordered": Decimal(entry.reordered),
            "sync_quality": entry.sync_quality,
            "sync_domain": entry.sync_domain,
        })
    });
    let directory: Vec<Value> = directory.collect();
    let groups = layout.tables.groups.iter().map(|group| {
        json!({
            "opcode": group.opcode,
            "start": Decimal(group.start),
            "length": Decimal(group.length),
        })
    });
    let groups: Vec<Value> = groups.collect();
    let mut index = json!({"entries": entries, "directory": directory});
    if let (true, Value::Object(members)) = (with_groups, &mut index) {
        members.insert("summary_groups".to_owned(), json!(groups));
    }
    index
}

/// The record of a label.
fn named<'l>(label: &str, layout: &'l Layout) -> Result<&'l Placed, String> {
    let placed = layout.record(label);
    placed.ok_or_else(|| format!("there is no record {label}"))
}

/// A chunk's records, behind its header (§6.1).
fn records_of(label: &str, layout: &Layout) -> Result<Stretch, String> {
    let placed = named(label, layout)?;
    Ok(Stretch {
        what: format!("the records of {label}, which belongs to no requested stream"),
        offset: Decimal(placed.content_offset.saturating_add(ChunkHeader::BYTES)),
        length: Decimal(placed.content_length.saturating_sub(ChunkHeader::BYTES)),
    })
}

/// A value with every stand-in replaced by the offset that it stands for.
fn resolved(value: Value, layout: &Layout) -> Result<Value, String> {
    Ok(match value {
        Value::Object(members) if members.contains_key(SIZE_OF_FILE) => {
            json!(Decimal(wide(layout.bytes.len())))
        }
        Value::Object(members) => match members.get(OFFSET_OF).and_then(Value::as_str) {
            Some(label) => json!(Decimal(named(label, layout)?.offset)),
            None => Value::Object(
                members
                    .into_iter()
                    .map(|(name, member)| Ok((name, resolved(member, layout)?)))
                    .collect::<Result<_, String>>()?,
            ),
        },
        Value::Array(elements) => Value::Array(
            elements
                .into_iter()
                .map(|element| resolved(element, layout))
                .collect::<Result<_, _>>()?,
        ),
        plain => plain,
    })
}
