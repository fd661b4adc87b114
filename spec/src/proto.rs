//! The protobuf files of the packages that this format's schemas use.

/// A file of `spec/proto`, by the path that imports name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProtoFile {
    /// As in `import "ca3/options/v1/options.proto";`.
    pub path: &'static str,
    /// Its source.
    pub source: &'static str,
}

/// The options that carry a schema's declarations (§5.3).
pub const OPTIONS: ProtoFile = ProtoFile {
    path: "ca3/options/v1/options.proto",
    source: include_str!("../proto/ca3/options/v1/options.proto"),
};

/// Frame declarations (§5.5).
pub const FRAMES: ProtoFile = ProtoFile {
    path: "ca3/options/v1/frames.proto",
    source: include_str!("../proto/ca3/options/v1/frames.proto"),
};

/// Observations of clocks, delays and events (§10).
pub const TIME: ProtoFile = ProtoFile {
    path: "ca3/time/v1/time.proto",
    source: include_str!("../proto/ca3/time/v1/time.proto"),
};
