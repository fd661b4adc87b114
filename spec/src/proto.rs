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

/// A body tracked as 28 joints: a packed block.
pub const CONFORMANCE_BODY: ProtoFile = ProtoFile {
    path: "ca3/conformance/v1/body.proto",
    source: include_str!("../proto/ca3/conformance/v1/body.proto"),
};

/// A gaze of three eyes: rows listed by name.
pub const CONFORMANCE_GAZE: ProtoFile = ProtoFile {
    path: "ca3/conformance/v1/gaze.proto",
    source: include_str!("../proto/ca3/conformance/v1/gaze.proto"),
};

/// An inertial measurement: one row of two vectors.
pub const CONFORMANCE_IMU: ProtoFile = ProtoFile {
    path: "ca3/conformance/v1/imu.proto",
    source: include_str!("../proto/ca3/conformance/v1/imu.proto"),
};

/// Samples of electrodes: two lengths that the stream decides.
pub const CONFORMANCE_EEG: ProtoFile = ProtoFile {
    path: "ca3/conformance/v1/eeg.proto",
    source: include_str!("../proto/ca3/conformance/v1/eeg.proto"),
};

/// Samples of photodiodes: counts, which have no unit.
pub const CONFORMANCE_PPG: ProtoFile = ProtoFile {
    path: "ca3/conformance/v1/ppg.proto",
    source: include_str!("../proto/ca3/conformance/v1/ppg.proto"),
};

/// Fixtures modelled on the five forms of §15.3; they are not the canonical vocabulary.
pub const CONFORMANCE: &[ProtoFile] = &[
    CONFORMANCE_BODY,
    CONFORMANCE_GAZE,
    CONFORMANCE_IMU,
    CONFORMANCE_EEG,
    CONFORMANCE_PPG,
];
