//! `ca3-convert`: see [`ca3_convert`].

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    ca3_convert::commands::dispatch(&ca3_convert::cli::Cli::parse())
}
