//! The requests that a file is asked, and the file that they are about.

use std::fs::{self, File, FileTimes};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use ca3_spec::protocol::Request;
use ca3_spec::vector::{Step, Vector};
use serde_json::Value;
use tempfile::TempDir;

use crate::implementation::{Claims, HELLO_ID, Implementation, Reply};
use crate::range_server::RangeServer;

/// What every vector's times say, so that a reader that takes them for its
/// answer is seen: 2020-01-01T00:00:00Z.
const FIXED_TIME: Duration = Duration::from_secs(1_577_836_800);

/// Why a vector could not be put where an implementation can open it.
#[derive(Debug, thiserror::Error)]
#[error(
    "cannot write vectors to {}: {source}\n\
     Set TMPDIR to a folder that can be written and has some room.",
    path.display()
)]
pub struct ScratchError {
    path: PathBuf,
    source: io::Error,
}

/// A folder for vectors under names that mean nothing, each used once.
#[derive(Debug)]
pub struct Scratch {
    folder: TempDir,
}

impl Scratch {
    /// A new folder, removed when this value goes.
    pub fn new() -> Result<Scratch, ScratchError> {
        match tempfile::Builder::new().prefix("ca3-").tempdir() {
            Ok(folder) => Ok(Scratch { folder }),
            Err(source) => Err(ScratchError {
                path: std::env::temp_dir(),
                source,
            }),
        }
    }

    /// Writes a file under a name drawn from `random`; it goes with the value.
    pub fn place(
        &self,
        bytes: &[u8],
        random: &mut fastrand::Rng,
    ) -> Result<PlacedFile, ScratchError> {
        loop {
            let path = self
                .folder
                .path()
                .join(format!("{:016x}.ca3", random.u64(..)));
            match write(&path, bytes) {
                Ok(()) => return Ok(PlacedFile { path }),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(source) => return Err(ScratchError { path, source }),
            }
        }
    }
}

fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = File::create_new(path)?;
    file.write_all(bytes)?;
    let time = SystemTime::UNIX_EPOCH + FIXED_TIME;
    file.set_times(FileTimes::new().set_accessed(time).set_modified(time))
}

/// A vector where an implementation can open it, removed when this value goes.
#[derive(Debug)]
pub struct PlacedFile {
    path: PathBuf,
}

impl PlacedFile {
    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for PlacedFile {
    fn drop(&mut self) {
        // A reader that still holds it open keeps it on some systems; the
        // folder's own end tries again.
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Numbers the requests of one worker; `hello` has the first number.
#[derive(Debug)]
pub struct Ids(u64);

impl Default for Ids {
    fn default() -> Self {
        Ids(HELLO_ID)
    }
}

impl Ids {
    fn next(&mut self) -> u64 {
        self.0 += 1;
        self.0
    }
}

/// The request for a step about a file of this path.
pub fn request(step: &Step, path: &Path, id: u64) -> Request {
    Request {
        id,
        op: step.op.clone(),
        path: Some(path.to_string_lossy().into_owned()),
        arguments: step.arguments.clone(),
    }
}

/// Asks every step of a vector, in order; `None` where this program was told to
/// stop meanwhile. A step `hello` is answered by what was said at the start: it
/// is asked once a run. `heard` sees each request and reply as they go.
pub fn hold(
    vector: &Vector,
    path: &Path,
    implementation: &mut dyn Implementation,
    claims: &Claims,
    ids: &mut Ids,
    mut heard: impl FnMut(&Request, &Reply),
) -> Option<Vec<Reply>> {
    let mut replies = Vec::with_capacity(vector.steps.len());
    for step in &vector.steps {
        let (request, reply) = if step.op == "hello" {
            let reply = Reply::Answer {
                answer: claims.answer.clone(),
                stderr: String::new(),
                died_before: None,
            };
            (crate::implementation::hello_request(), reply)
        } else {
            if step.fresh {
                implementation.restart();
            }
            match step.over_http {
                None => {
                    let request = request(step, path, ids.next());
                    let reply = implementation.ask(&request);
                    (request, reply)
                }
                Some(_) => over_http(step, path, implementation, claims, ids),
            }
        };
        heard(&request, &reply);
        if reply.is_interrupted() {
            return None;
        }
        replies.push(reply);
    }
    Some(replies)
}

/// Asks a step of a file that is offered over HTTP, where the implementation
/// lists that.
fn over_http(
    step: &Step,
    path: &Path,
    implementation: &mut dyn Implementation,
    claims: &Claims,
    ids: &mut Ids,
) -> (Request, Reply) {
    let mut request = Request {
        path: None,
        ..request(step, path, ids.next())
    };
    if !claims.http {
        let why = "hello's `io` does not list http".to_owned();
        return (request, Reply::NotAsked { why });
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let server = fs::read(path).and_then(|bytes| RangeServer::start(bytes, &name));
    match server {
        Ok(server) => {
            let url = Value::from(server.url());
            request.arguments.insert("url".to_owned(), url);
            let reply = Box::new(implementation.ask(&request));
            let fetched = server.fetched();
            (request, Reply::OverHttp { reply, fetched })
        }
        Err(error) => {
            let why = format!("the file could not be offered over HTTP: {error}");
            (request, Reply::NotAsked { why })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_placed_file_has_a_meaningless_name_and_a_fixed_time_and_goes() {
        let scratch = Scratch::new().unwrap();
        let mut random = fastrand::Rng::with_seed(1);
        let placed = scratch.place(b"bytes", &mut random).unwrap();
        let other = scratch.place(b"bytes", &mut random).unwrap();
        assert_ne!(placed.path(), other.path());
        let path = placed.path().to_owned();
        assert_eq!(std::fs::read(&path).unwrap(), b"bytes");
        let modified = std::fs::metadata(&path).unwrap().modified().unwrap();
        assert_eq!(modified, SystemTime::UNIX_EPOCH + FIXED_TIME);
        let stem = path.file_stem().unwrap().to_str().unwrap();
        assert!(stem.len() == 16 && stem.bytes().all(|byte| byte.is_ascii_hexdigit()));
        drop(placed);
        assert!(!path.exists());
    }
}
