//! `ca3-conform`: see [`ca3_conform`].

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    ca3_conform::commands::dispatch(ca3_conform::cli::Cli::parse())
}
