//! `ca3-reader`: answers the reader protocol on standard input and output.

use std::io::{self, BufRead, Write};
use std::process::ExitCode;

use ca3_reader::answer;
use ca3_reader::l1::Limits;
use ca3_spec::kind::Kind;
use ca3_spec::protocol::{Answer, AnswerOutcome, Report, Request};
use clap::Parser;
use serde_json::Value;

/// Reads CA3 files for a conformance harness.
///
/// Requests come in on standard input, one JSON object a line; each is answered
/// by one line on standard output. The program ends with its input.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    /// Bytes of memory that one file may take
    #[arg(long, value_name = "BYTES", default_value_t = Limits::default().memory)]
    memory: u64,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let limits = Limits {
        memory: arguments.memory,
    };
    match serve(&mut io::stdin().lock(), &mut io::stdout().lock(), &limits) {
        Ok(()) => ExitCode::SUCCESS,
        // Nobody is listening any more: the end, as well.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            // Nothing is left to do where standard error cannot be written.
            let _ = writeln!(io::stderr(), "ca3-reader: {error}");
            ExitCode::FAILURE
        }
    }
}

fn serve(input: &mut impl BufRead, output: &mut impl Write, limits: &Limits) -> io::Result<()> {
    let mut line = Vec::new();
    while input.read_until(b'\n', &mut line)? > 0 {
        if !line.trim_ascii().is_empty() {
            output.write_all(&answer_line(&line, limits)?)?;
            output.flush()?;
        }
        line.clear();
    }
    Ok(())
}

fn answer_line(line: &[u8], limits: &Limits) -> io::Result<Vec<u8>> {
    let answer = match serde_json::from_slice::<Request>(line) {
        Ok(request) => answer::answer_within(&request, limits),
        Err(error) => refused(id_of(line), Kind::Other, format!("not a request: {error}")),
    };
    let mut text = serde_json::to_vec(&answer)?;
    text.push(b'\n');
    Ok(text)
}

/// The number of a line that is no request, so that it can be answered.
fn id_of(line: &[u8]) -> u64 {
    let value: Value = serde_json::from_slice(line).unwrap_or_default();
    value.get("id").and_then(Value::as_u64).unwrap_or_default()
}

fn refused(id: u64, kind: Kind, message: String) -> Answer {
    Answer {
        id,
        outcome: AnswerOutcome::Refused {
            error: Report::new(kind, message),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_answered_by_one_line_in_order() {
        let input = concat!(
            "{\"id\":1,\"op\":\"hello\",\"protocol\":1,\"kit\":\"0.1.0\"}\n",
            "\n",
            "{\"id\":2,\"op\":\"read\",\"path\":\"/nowhere/at/all.ca3\"}\n",
            "{\"id\":3,\"op\":7}\n",
            "not JSON\n",
            "{\"id\":4,\"op\":\"window\",\"path\":\"x\",\"t1\":\"0\"}\n",
            "{\"id\":5,\"op\":\"derive\",\"path\":\"x\"}",
        );
        let mut output = Vec::new();
        serve(&mut input.as_bytes(), &mut output, &Limits::default()).unwrap();
        let answers: Vec<Value> = String::from_utf8(output)
            .unwrap()
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        let heads: Vec<(u64, &str)> = answers
            .iter()
            .map(|answer| {
                (
                    answer["id"].as_u64().unwrap(),
                    answer["status"].as_str().unwrap(),
                )
            })
            .collect();
        let expected = [
            (1, "ok"),
            (2, "refused"),
            (3, "refused"),
            (0, "refused"),
            (4, "refused"),
            (5, "unsupported"),
        ];
        assert_eq!(heads, expected);
    }
}
