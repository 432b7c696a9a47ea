//! What the device's clocks, power and temperature were while it was recorded, as `nvidia-smi` reports them. A rate says
//! little without the clock that it was measured at.

use std::{
    io::{BufRead, BufReader},
    process::{Child, Command, Stdio},
    thread::{self, JoinHandle},
};

use harness::Device;
use recording::Conditions;

/// What the monitor asks for, in the order of [`Sample`]'s fields.
const QUERY: &str = "clocks.sm,clocks.mem,power.draw,temperature.gpu,clocks_event_reasons.active";

/// Milliseconds between two samples.
const INTERVAL_MS: u32 = 100;

/// The reasons for which the device holds its clocks down: the bits of `nvmlClocksEventReasons` in NVML's reference. The
/// first bit, an idle device, is none.
const REASONS: [(u64, &str); 7] = [
    (0x4, "software power cap"),
    (0x8, "hardware slowdown"),
    (0x10, "sync boost"),
    (0x20, "software thermal slowdown"),
    (0x40, "hardware thermal slowdown"),
    (0x80, "hardware power brake"),
    (0x100, "display clock setting"),
];
const IDLE: u64 = 0x1;

/// One line of `nvidia-smi`.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Sample {
    multiprocessor_mhz: f64,
    memory_mhz: f64,
    watts: f64,
    celsius: f64,
    reasons: u64,
}

impl Sample {
    /// None if the line is not of five values: a driver may not report all of them.
    fn parse(line: &str) -> Option<Self> {
        let fields: Vec<&str> = line.split(',').map(str::trim).collect();
        let &[multiprocessor, memory, watts, celsius, reasons] = &fields[..] else {
            return None;
        };
        Some(Self {
            multiprocessor_mhz: multiprocessor.parse().ok()?,
            memory_mhz: memory.parse().ok()?,
            watts: watts.parse().ok()?,
            celsius: celsius.parse().ok()?,
            reasons: u64::from_str_radix(reasons.strip_prefix("0x")?, 16).ok()?,
        })
    }
}

/// The extremes of some samples, of which one at least is of a busy device.
fn extremes(samples: impl Iterator<Item = Sample>) -> Option<Conditions> {
    let mut all: Option<Conditions> = None;
    for sample in samples.filter(|sample| sample.reasons & IDLE == 0) {
        let (multiprocessor, memory) = (sample.multiprocessor_mhz, sample.memory_mhz);
        let conditions = all.get_or_insert(Conditions {
            samples: 0,
            multiprocessor_mhz: [multiprocessor; 2],
            memory_mhz: [memory; 2],
            most_watts: sample.watts,
            most_celsius: sample.celsius,
            limited_by: Vec::new(),
        });
        conditions.samples += 1;
        widen(&mut conditions.multiprocessor_mhz, multiprocessor);
        widen(&mut conditions.memory_mhz, memory);
        conditions.most_watts = conditions.most_watts.max(sample.watts);
        conditions.most_celsius = conditions.most_celsius.max(sample.celsius);
        for (bit, reason) in REASONS {
            let is_known = conditions.limited_by.iter().any(|known| known == reason);
            if sample.reasons & bit != 0 && !is_known {
                conditions.limited_by.push(reason.into());
            }
        }
    }
    all
}

/// Makes the range hold the value.
fn widen(range: &mut [f64; 2], value: f64) {
    *range = [range[0].min(value), range[1].max(value)];
}

/// A running `nvidia-smi` whose lines are read beside the recorder's work.
pub(crate) struct Monitor {
    child: Child,
    reader: Option<JoinHandle<Option<Conditions>>>,
}

impl Monitor {
    /// None on the simulator, and if there is no `nvidia-smi`: a recording without conditions is one.
    pub(crate) fn start(device: &Device) -> Option<Self> {
        if device.is_simulated() {
            return None;
        }
        let mut child = Command::new("nvidia-smi")
            .args([format!("--query-gpu={QUERY}"), format!("--loop-ms={INTERVAL_MS}")])
            .args(["--format=csv,noheader,nounits", "-i", &uuid(device)?])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .ok()?;
        let lines = BufReader::new(child.stdout.take()?).lines().map_while(Result::ok);
        let samples = lines.filter_map(|line| Sample::parse(&line));
        let reader = Some(thread::spawn(move || extremes(samples)));
        Some(Self { child, reader })
    }

    /// Ends `nvidia-smi`. None if it reported nothing.
    pub(crate) fn stop(mut self) -> Option<Conditions> {
        self.end();
        self.reader.take()?.join().ok()?
    }

    /// Ends the program; nothing is left to do if it has ended.
    fn end(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Where the recording fails, too, no program is left running.
impl Drop for Monitor {
    fn drop(&mut self) {
        self.end();
    }
}

/// The device as `nvidia-smi` names it: indices count differently there.
fn uuid(device: &Device) -> Option<String> {
    let bytes = device.context.uuid().ok()?.bytes;
    let hex: String = bytes.iter().map(|byte| format!("{:02x}", *byte as u8)).collect();
    let parts = [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]];
    Some(format!("GPU-{}", parts.join("-")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_become_their_extremes() {
        let lines = [
            "345, 2619, 75.10, 30, 0x0000000000000001",
            "1980, 2619, 301.50, 41, 0x0000000000000000",
            "1905, 2619, 698.00, 55, 0x0000000000000004",
            "[N/A], 2619, 698.00, 55, 0x0000000000000000",
        ];
        let conditions = extremes(lines.iter().filter_map(|line| Sample::parse(line)));
        let expected = Conditions {
            samples: 2,
            multiprocessor_mhz: [1905.0, 1980.0],
            memory_mhz: [2619.0, 2619.0],
            most_watts: 698.0,
            most_celsius: 55.0,
            limited_by: vec!["software power cap".into()],
        };
        assert_eq!(conditions, Some(expected));
        assert_eq!(extremes(lines[..1].iter().filter_map(|line| Sample::parse(line))), None);
    }
}
