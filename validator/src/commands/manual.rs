//! `completions SHELL` and `man`.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use clap::CommandFactory as _;
use clap_complete::Shell;
use clap_mangen::Man;

use super::Failure;
use crate::NAME;
use crate::cli::Cli;

/// What makes a shell complete the options.
pub(super) fn completions(shell: Shell) -> (String, u8) {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), NAME, &mut script);
    (String::from_utf8_lossy(&script).into_owned(), 0)
}

/// The manual: its main page, or a page a subcommand in a folder.
pub(super) fn man(out: Option<&Path>) -> Result<(String, u8), Failure> {
    let Some(folder) = out else {
        return Ok((page(Cli::command())?, 0));
    };
    let unwritten = |path: PathBuf, error: io::Error| {
        Failure::Unreadable(format!(
            "{} was not written: {error}; make room for it, or name another folder",
            path.display()
        ))
    };
    fs::create_dir_all(folder).map_err(|error| unwritten(folder.to_owned(), error))?;
    let mut command = Cli::command();
    command.build();
    let mut pages = vec![(NAME.to_owned(), Cli::command())];
    for subcommand in command.get_subcommands() {
        if subcommand.get_name() != "help" {
            let name = format!("{NAME}-{}", subcommand.get_name());
            pages.push((name, subcommand.clone()));
        }
    }
    for (name, command) in pages {
        let path = folder.join(format!("{name}.1"));
        fs::write(&path, page(command)?).map_err(|error| unwritten(path, error))?;
    }
    Ok((String::new(), 0))
}

fn page(command: clap::Command) -> Result<String, Failure> {
    let mut page = Vec::new();
    Man::new(command).render(&mut page)?;
    Ok(String::from_utf8_lossy(&page).into_owned())
}
