//! A report and where it goes, as every program of the kit is told: `F[=FILE]`.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// Names of what is open in a process: bytes go to it, and it stays what it is.
const STREAMS: [&str; 4] = ["/dev/stdout", "/dev/stderr", "/dev/fd", "/proc"];

/// A rendering and where it goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target<F> {
    /// Which rendering.
    pub format: F,
    /// The file; standard output without one.
    pub file: Option<PathBuf>,
}

impl<F: Copy> Target<F> {
    /// What `F[=FILE]` means, where F is one of the formats.
    ///
    /// # Errors
    /// A line for people where it means nothing.
    pub fn parse(text: &str, formats: &[(&str, F)]) -> Result<Self, String> {
        let (name, file) = match text.split_once('=') {
            Some((_, "")) => return Err("there is no file behind the `=`".to_owned()),
            Some((name, "-")) => {
                return Err(format!(
                    "standard output is {name} alone, and a file named - is {name}=./-"
                ));
            }
            Some((name, file)) => (name, Some(PathBuf::from(file))),
            None => (text, None),
        };
        match formats.iter().find(|(known, _)| *known == name) {
            Some((_, format)) => Ok(Target {
                format: *format,
                file,
            }),
            None => Err(format!(
                "there is no report {name}; there are {}",
                list(formats)
            )),
        }
    }
}

fn list<F>(formats: &[(&str, F)]) -> String {
    let names: Vec<&str> = formats.iter().map(|(name, _)| *name).collect();
    match names.as_slice() {
        [first @ .., last] if !first.is_empty() => format!("{} and {last}", first.join(", ")),
        names => names.join(", "),
    }
}

/// Writes a file whole or not at all: beside its place, and then there. A device
/// or a pipe takes the bytes as they come.
///
/// # Errors
/// Where it cannot be written; what stood there before stands there still.
pub fn write_whole(path: &Path, text: &str) -> io::Result<()> {
    if STREAMS.iter().any(|stream| path.starts_with(stream)) {
        return stream(path, text);
    }
    // What a link leads to is replaced, and not the link.
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let before = match fs::metadata(&path) {
        Ok(there) if there.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
        Ok(there) if !there.is_file() => return stream(&path, text),
        Ok(there) => Some(there.permissions()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    // The name of the temporary file is another one each time, and no news.
    beside(folder, &path, text, before).map_err(|error| error.kind().into())
}

fn stream(path: &Path, text: &str) -> io::Result<()> {
    let mut out = OpenOptions::new().append(true).open(path)?;
    out.write_all(text.as_bytes())?;
    out.flush()
}

fn beside(
    folder: &Path,
    path: &Path,
    text: &str,
    before: Option<fs::Permissions>,
) -> io::Result<()> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".ca3-report-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        // As for any new file, less what the umask takes.
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    let mut file = builder.tempfile_in(folder)?;
    file.write_all(text.as_bytes())?;
    if let Some(before) = before {
        file.as_file().set_permissions(before)?;
    }
    file.persist(path).map_err(|failed| failed.error)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORMATS: [(&str, u8); 3] = [("text", 0), ("json", 1), ("junit", 2)];

    #[test]
    fn a_target_is_a_format_and_perhaps_a_file() {
        let json = Target {
            format: 1,
            file: Some(PathBuf::from("a=b")),
        };
        assert_eq!(Target::parse("json=a=b", &FORMATS), Ok(json));
        assert_eq!(Target::parse("text", &FORMATS).unwrap().file, None);
        assert_eq!(
            Target::parse("yaml", &FORMATS).unwrap_err(),
            "there is no report yaml; there are text, json and junit"
        );
        assert!(Target::parse("json=", &FORMATS).is_err());
        assert!(
            Target::parse("json=-", &FORMATS)
                .unwrap_err()
                .contains("./-")
        );
    }

    #[test]
    fn a_file_is_replaced_whole_and_nothing_is_left_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.json");
        write_whole(&path, "one").unwrap();
        write_whole(&path, "two").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "two");
        let nowhere = folder.path().join("none").join("a.json");
        let error = write_whole(&nowhere, "x").unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
        let error = write_whole(folder.path(), "x").unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::IsADirectory);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn links_modes_and_devices_stay_what_they_are() {
        use std::os::unix::fs::{FileTypeExt as _, PermissionsExt as _, symlink};
        let folder = tempfile::tempdir().unwrap();
        let (path, link) = (folder.path().join("a"), folder.path().join("link"));
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        symlink(&path, &link).unwrap();
        write_whole(&link, "new").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o640);
        write_whole(Path::new("/dev/null"), "x").unwrap();
        let device = fs::metadata("/dev/null").unwrap().file_type();
        assert!(device.is_char_device());
    }
}
