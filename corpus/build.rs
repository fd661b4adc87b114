//! Lists the corpus's files, so that a case dropped into its folder is embedded.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// The folders of the corpus, one a format.
const FORMATS: [&str; 1] = ["ca3"];

fn main() -> io::Result<()> {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR").map_err(io::Error::other)?);
    let out = env::var("OUT_DIR").map_err(io::Error::other)?;

    let mut files = Vec::new();
    for format in FORMATS {
        let folder = root.join(format);
        println!("cargo::rerun-if-changed={}", folder.display());
        if folder.is_dir() {
            walk(&folder, format, &mut files)?;
        }
    }
    files.sort();

    let mut source = String::from("&[\n");
    for (name, path) in files {
        source.push_str(&format!("    ({name:?}, include_bytes!({path:?})),\n"));
    }
    source.push_str("]\n");
    fs::write(Path::new(&out).join("corpus_files.rs"), source)
}

/// Collects `(name with slashes, path)` of every sidecar and vector.
fn walk(folder: &Path, name: &str, files: &mut Vec<(String, PathBuf)>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let Some(last) = path.file_name().map(|last| last.to_string_lossy()) else {
            continue;
        };
        if last.starts_with('.') {
            continue;
        }
        let name = format!("{name}/{last}");
        if path.is_dir() {
            walk(&path, &name, files)?;
        } else {
            files.push((name, path));
        }
    }
    Ok(())
}
