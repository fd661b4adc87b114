//! Sessions: the one in force, restated (§11).

use std::io;

use ca3_reports::{Finding, Severity};
use ca3_wire::records::Session;
use sha2::{Digest, Sha256};

use crate::scan::{Scan, Section, SessionFact, field_offset};

impl Scan<'_> {
    pub(crate) fn session(&mut self, content: &[u8], base: u64) -> io::Result<()> {
        let Some(session) = self.decode::<Session>(content, base) else {
            self.facts.session_lost = true;
            return Ok(());
        };
        if session.operator_asserted_by > 4 {
            let field = "operator_asserted_by";
            let offset = field_offset::<Session>(content, base, field);
            self.findings.add(
                Finding::new(
                    "CA3-11.3-02",
                    Severity::Warning,
                    offset,
                    "Session.operator_asserted_by",
                    "the value is not defined and is read as unspecified",
                )
                .showing("0 to 4", session.operator_asserted_by),
            );
        }
        if self.pay(size_of::<SessionFact>(), base, "Session") {
            self.facts.sessions.push(SessionFact {
                offset: base.saturating_sub(9),
                digest: Sha256::digest(format!("{session:?}")).into(),
                in_summary: self.section >= Section::Summary,
            });
        }
        self.keep_devices(session, content.len(), base);
        Ok(())
    }

    /// Keeps the devices of the Session in force, in place of those before.
    fn keep_devices(&mut self, session: Session, length: usize, base: u64) {
        let in_data = self.section < Section::Summary;
        let mut sessions = self.facts.sessions.iter();
        if !in_data && sessions.any(|session| !session.in_summary) {
            return;
        }
        let before = std::mem::take(&mut self.facts.devices_bytes);
        self.budget
            .release(u64::try_from(before).unwrap_or_default());
        self.facts.devices = Vec::new();
        // Empty strings take four bytes each.
        let bytes = length.saturating_mul(8);
        if session.devices.is_empty() || !self.pay(bytes, base, "devices") {
            return;
        }
        self.facts.devices_bytes = bytes;
        self.facts.devices = session.devices;
    }

    pub(crate) fn sessions_at_end(&mut self) {
        if !self.boundary_known {
            return;
        }
        let sessions = &self.facts.sessions;
        let in_force = sessions.iter().rfind(|session| !session.in_summary);
        let mut restated = sessions.iter().filter(|session| session.in_summary);
        let first = restated.next();
        let mut found = self.findings.beside();
        let mut add = |offset, message: &str, expected: &str, value: &str| {
            found.add(
                Finding::new("CA3-11-08", Severity::Error, offset, "Session", message)
                    .showing(expected, value),
            );
        };
        for session in restated {
            let message = "the summary holds more than one Session";
            add(session.offset, message, "one Session", "another one");
        }
        match (in_force, first) {
            (Some(session), None) => {
                let message = "the Session is not restated in the summary";
                add(session.offset, message, "a copy in the summary", "none");
            }
            (Some(session), Some(copy)) if session.digest != copy.digest => {
                let message = "the summary's Session is not the data section's last";
                add(copy.offset, message, "the last Session", "another one");
            }
            _ => {}
        }
        self.findings.absorb(found);
    }
}
