//! Which delay is in force for a stream (§10.9; item 21; reading G63).

use std::collections::BTreeMap;

use ca3_wire::records::{Device, Stream};

use super::messages::DeviceDelay;

/// A delay beside the device that it is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OfDevice<'d> {
    /// Its place among the delays of the file.
    pub place: usize,
    /// The delay.
    pub delay: &'d DeviceDelay,
    /// The device.
    pub device: &'d Device,
}

impl OfDevice<'_> {
    /// Whether the delay holds for the firmware that the device has (§10.9).
    pub fn is_applicable(&self) -> bool {
        let wanted = &self.delay.valid_firmware;
        wanted.is_empty() || *wanted == self.device.firmware
    }

    /// Whether it says how late a stream is: by an amount that is known, under the
    /// firmware there is.
    pub fn is_known(&self) -> bool {
        self.is_applicable() && self.delay.uncertainty_ns != DeviceDelay::UNKNOWN
    }
}

/// The devices of a Session; of two with one reference the first.
#[derive(Clone, Debug, Default)]
pub struct Devices<'d>(BTreeMap<u32, &'d Device>);

impl<'d> Devices<'d> {
    /// Of a Session's list.
    pub fn of(devices: &'d [Device]) -> Self {
        let mut by_reference = BTreeMap::new();
        for device in devices {
            by_reference.entry(device.device_ref).or_insert(device);
        }
        Devices(by_reference)
    }

    /// The device that a delay is of.
    pub fn of_delay(&self, delay: &DeviceDelay) -> Option<&'d Device> {
        self.0.get(&delay.device_ref).copied()
    }
}

/// The delays of a file by what they are about, so that many of them are not held
/// against many streams one by one.
#[derive(Clone, Debug, Default)]
pub struct Delays<'d> {
    /// Of the stream that they name.
    named: BTreeMap<u32, Chosen<'d>>,
    /// Of every stream of a device, by the device's clock.
    of_clock: BTreeMap<&'d str, Chosen<'d>>,
}

/// Of delays that are about the same.
#[derive(Clone, Copy, Debug)]
struct Chosen<'d> {
    /// The one in force: one that applies before one that does not, a later one
    /// before an earlier.
    best: OfDevice<'d>,
    /// The first that does not apply.
    unfit: Option<OfDevice<'d>>,
}

impl<'d> Delays<'d> {
    /// Of all delays of a file, in file order. One of a device that the Session does
    /// not have is in force for no stream (reading G130).
    pub fn of(delays: impl Iterator<Item = &'d DeviceDelay>, devices: &Devices<'d>) -> Self {
        let mut of_all = Delays::default();
        for (place, delay) in delays.enumerate() {
            let Some(device) = devices.of_delay(delay) else {
                continue;
            };
            let found = OfDevice {
                place,
                delay,
                device,
            };
            match (delay.stream_ref, device.clock_domain.as_str()) {
                (0, "") => {}
                (0, clock) => Chosen::add(of_all.of_clock.entry(clock), found),
                (named, _) => Chosen::add(of_all.named.entry(named), found),
            }
        }
        of_all
    }

    fn about(&self, stream: &Stream) -> [Option<&Chosen<'d>>; 2] {
        [
            self.named.get(&stream.stream_ref),
            self.of_clock.get(stream.source_clock_domain.as_str()),
        ]
    }

    /// The delay in force for a stream: one that applies before one that does not,
    /// and one that names the stream before one that names its device.
    pub fn in_force(&self, stream: &Stream) -> Option<OfDevice<'d>> {
        let all = self.about(stream).into_iter().flatten();
        // Of equal ones the last.
        all.rev()
            .map(|chosen| chosen.best)
            .max_by_key(OfDevice::is_applicable)
    }

    /// A delay of a stream that does not hold for the firmware there is.
    pub fn unfit(&self, stream: &Stream) -> Option<OfDevice<'d>> {
        let mut all = self.about(stream).into_iter().flatten();
        all.find_map(|chosen| chosen.unfit)
    }
}

impl<'d> Chosen<'d> {
    fn add<K: Ord>(
        entry: std::collections::btree_map::Entry<'_, K, Chosen<'d>>,
        found: OfDevice<'d>,
    ) {
        let unfit = (!found.is_applicable()).then_some(found);
        entry
            .and_modify(|chosen| {
                if found.is_applicable() || !chosen.best.is_applicable() {
                    chosen.best = found;
                }
                chosen.unfit = chosen.unfit.or(unfit);
            })
            .or_insert(Chosen { best: found, unfit });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn device(device_ref: u32, firmware: &str, clock_domain: &str) -> Device {
        Device {
            device_ref,
            firmware: firmware.to_owned(),
            clock_domain: clock_domain.to_owned(),
            ..Device::default()
        }
    }

    fn delay(device_ref: u32, stream_ref: u32, delay_ns: i64, firmware: &str) -> DeviceDelay {
        DeviceDelay {
            device_ref,
            stream_ref,
            delay_ns,
            valid_firmware: firmware.to_owned(),
            ..DeviceDelay::default()
        }
    }

    /// The delay in force for stream 2, on "cam", whether it applies, and one that
    /// does not.
    fn chosen(delays: &[DeviceDelay]) -> Option<(i64, bool, Option<i64>)> {
        let devices = [device(1, "2.1", "cam"), device(2, "2.3", "")];
        let devices = Devices::of(&devices);
        let delays = Delays::of(delays.iter(), &devices);
        let stream = Stream {
            stream_ref: 2,
            source_clock_domain: "cam".to_owned(),
            ..Stream::default()
        };
        let unfit = delays.unfit(&stream).map(|found| found.delay.delay_ns);
        let found = delays.in_force(&stream)?;
        Some((found.delay.delay_ns, found.is_applicable(), unfit))
    }

    #[test]
    fn a_delay_is_found_by_stream_or_by_its_devices_clock() {
        assert_eq!(chosen(&[delay(1, 0, 5, "")]), Some((5, true, None)));
        assert_eq!(chosen(&[delay(1, 2, 6, "2.1")]), Some((6, true, None)));
        assert_eq!(chosen(&[delay(2, 0, 5, "")]), None);
        assert_eq!(chosen(&[delay(1, 3, 5, "")]), None);
        // Named outright, whichever device it is of.
        assert_eq!(chosen(&[delay(2, 2, 5, "")]), Some((5, true, None)));
        // No such device.
        assert_eq!(chosen(&[delay(9, 2, 5, "")]), None);
    }

    #[test]
    fn one_that_applies_wins_then_one_that_names_the_stream_then_the_later() {
        let all = [delay(1, 2, 3, ""), delay(1, 2, 4, ""), delay(1, 0, 1, "")];
        assert_eq!(chosen(&all), Some((4, true, None)));
        let other = [delay(1, 0, 1, ""), delay(1, 2, 4, "2.0")];
        assert_eq!(chosen(&other), Some((1, true, Some(4))));
        assert_eq!(chosen(&other[1..]), Some((4, false, Some(4))));
        let stale = [delay(1, 2, 3, ""), delay(1, 2, 4, "2.0")];
        assert_eq!(chosen(&stale), Some((3, true, Some(4))));
        let neither = [
            delay(1, 0, 1, "2.0"),
            delay(1, 2, 4, "2.0"),
            delay(1, 2, 5, "2"),
        ];
        assert_eq!(chosen(&neither), Some((5, false, Some(4))));
    }
}
