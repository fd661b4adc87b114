//! What is typed, taken apart.

use clap::CommandFactory;

use super::*;

#[test]
fn the_command_line_holds_together() {
    Cli::command().debug_assert();
}

#[test]
fn a_report_is_a_format_and_perhaps_a_file() {
    let json = Target {
        format: ReportFormat::Json,
        file: Some(PathBuf::from("a=b")),
    };
    assert_eq!(super::report("json=a=b"), Ok(json));
    assert_eq!(super::report("text").unwrap().file, None);
    assert!(super::report("yaml").unwrap_err().contains("yaml"));
    assert!(super::report("json=").is_err());
}

#[test]
fn times_are_seconds_above_zero() {
    assert_eq!(seconds("0.5"), Ok(Duration::from_millis(500)));
    assert!(seconds("0").is_err() && seconds("-1").is_err() && seconds("inf").is_err());
}

#[test]
fn items_are_numbers_and_several_stand_behind_commas() {
    let parsed = |words: &[&str]| {
        let words = ["ca3-conform"].iter().chain(words);
        Cli::try_parse_from(words).map(|cli| cli.run.selection.item)
    };
    assert_eq!(
        parsed(&["--item", "4,8", "--item", "1"]).unwrap(),
        [4, 8, 1]
    );
    assert_eq!(parsed(&["--item", "1", "4"]).unwrap(), [1, 4]);
    let why = parsed(&["--item", "5.9"]).unwrap_err().to_string();
    assert!(why.contains("numbers of the document's §16"), "{why}");
}
