//! `ca3-validate`: see [`ca3_validate`].

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    ca3_validate::commands::dispatch(ca3_validate::cli::Cli::parse())
}
