//! Lists the catalogue's files, one a section, so that adding one needs no second list.

use std::{env, fs, io, path::Path};

fn main() -> io::Result<()> {
    let root = env::var("CARGO_MANIFEST_DIR").map_err(io::Error::other)?;
    let out = env::var("OUT_DIR").map_err(io::Error::other)?;
    let folder = Path::new(&root).join("rules");
    println!("cargo::rerun-if-changed={}", folder.display());

    let mut sections: Vec<String> = Vec::new();
    for file in fs::read_dir(&folder)? {
        let path = file?.path();
        if path
            .extension()
            .is_some_and(|extension| extension == "toml")
            && let Some(stem) = path.file_stem()
        {
            sections.push(stem.to_string_lossy().into_owned());
        }
    }
    sections.sort();

    let mut source = String::from("&[\n");
    for section in sections {
        let file = folder.join(format!("{section}.toml"));
        source.push_str(&format!("    ({section:?}, include_str!({file:?})),\n"));
    }
    source.push_str("]\n");
    fs::write(Path::new(&out).join("rule_files.rs"), source)
}
