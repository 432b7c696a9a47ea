//! The functions of CUDA's device runtime that kernels call: `printf`, `assert`, and the timer.

use std::fmt::Write as _;

use ptx::ir::{R32, R64};

use super::Exec;
use super::view::{Bytes, Device, View};
use crate::counters::lanes;
use crate::fault::{FaultKind, Step, Trap};
use crate::module::{LOCAL_WINDOW, SHARED_WINDOW, WINDOW_BYTES};
use crate::observe::Observer;
use crate::registers::LaneMask;

/// The longest string that is read from device memory, in bytes.
const LONGEST: u64 = 4096;

/// Returns `%globaltimer`: nanoseconds since a fixed moment.
#[cfg(not(target_arch = "wasm32"))]
pub(super) fn nanoseconds() -> u64 {
    static START: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    let start = START.get_or_init(std::time::Instant::now);
    start.elapsed().as_nanos() as u64
}

/// Returns `%globaltimer` on targets without a clock: each read advances it by a microsecond.
#[cfg(target_arch = "wasm32")]
pub(super) fn nanoseconds() -> u64 {
    use std::sync::atomic::{AtomicU64, Ordering};
    static LOOKS: AtomicU64 = AtomicU64::new(0);
    1000 * LOOKS.fetch_add(1, Ordering::Relaxed)
}

impl<'a, O: Observer<'a>> Exec<'_, 'a, O> {
    /// Prints one line of output per lane, in the order of the lanes.
    pub(super) fn vprintf(
        &mut self,
        d: Option<R32>,
        format: R64,
        args: R64,
        active: LaneMask,
    ) -> Step {
        let mut counts = [0; 32];
        for lane in lanes(active) {
            let format = self.warp.registers.r64(format)[lane as usize];
            let args = self.warp.registers.r64(args)[lane as usize];
            let (text, arguments) = self.formatted(format, args, lane)?;
            counts[lane as usize] = arguments;
            self.grid.print(&text);
        }
        if let Some(d) = d {
            self.write32(d, active, &counts);
        }
        Ok(())
    }

    pub(super) fn assert_fail(
        &mut self,
        message: R64,
        file: R64,
        line: R32,
        function: R64,
        active: LaneMask,
    ) -> Box<Trap> {
        let lane = active.trailing_zeros();
        let line = self.first32(line, active);
        let [message, file, function] = [message, file, function].map(|r| self.first64(r, active));
        let text = |exec: &mut Self, at| exec.string(at, lane).unwrap_or_else(|_| "?".into());
        let (message, file) = (text(self, message), text(self, file));
        let function = text(self, function);
        let cause = format!("assertion `{message}` failed at {file}:{line}, in {function}");
        Trap::new(FaultKind::Assert, Some(lane), cause)
    }

    /// Reads a byte at a generic address, as one lane sees it.
    fn byte(&mut self, address: u64, lane: u32) -> Step<u8> {
        let size = self.grid.kernel.ir().local_bytes as usize;
        let start = lane as usize * size;
        let local = &mut self.warp.local[start..start + size];
        let found = if address.wrapping_sub(SHARED_WINDOW) < WINDOW_BYTES {
            Bytes::shared(self.shared).load::<1>(address - SHARED_WINDOW)
        } else if address.wrapping_sub(LOCAL_WINDOW) < WINDOW_BYTES {
            Bytes::local(local).load::<1>(address - LOCAL_WINDOW)
        } else {
            Device { memory: &self.grid.memory, region: &mut self.warp.region }.load::<1>(address)
        };
        let cause = || format!("reads a byte at {address:#x}, where there is no memory");
        found.map(|[b]| b).ok_or_else(|| Trap::new(FaultKind::IllegalAddress, Some(lane), cause()))
    }

    fn string(&mut self, address: u64, lane: u32) -> Step<String> {
        let mut bytes = Vec::new();
        for at in address..address.saturating_add(LONGEST) {
            match self.byte(at, lane)? {
                0 => break,
                byte => bytes.push(byte),
            }
        }
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Reads an argument of `size` bytes, aligned to its size, and moves `at` past it.
    fn argument(&mut self, at: &mut u64, size: u64, lane: u32) -> Step<u64> {
        *at = at.next_multiple_of(size);
        let mut value = 0;
        for i in 0..size {
            value |= u64::from(self.byte(*at + i, lane)?) << (8 * i);
        }
        *at += size;
        Ok(value)
    }

    /// Formats one `printf`. Returns the text and the number of arguments. Conversions are those of
    /// C, and arguments are packed at their own size.
    fn formatted(&mut self, format: u64, mut args: u64, lane: u32) -> Step<(String, u32)> {
        let format = self.string(format, lane)?;
        let mut count = 0;
        let mut out = String::new();
        let mut rest = format.as_str();
        while let Some(start) = rest.find('%') {
            out.push_str(&rest[..start]);
            rest = &rest[start + 1..];
            let end =
                rest.find(|c: char| c.is_ascii_alphabetic() && !"hlLqjzt".contains(c) || c == '%');
            let Some(end) = end else { break };
            let (flags, conversion) = (&rest[..end], rest.as_bytes()[end]);
            rest = &rest[end + 1..];
            count += u32::from(conversion != b'%');
            self.convert(&mut out, flags, conversion, &mut args, lane)?;
        }
        out.push_str(rest);
        Ok((out, count))
    }

    fn convert(
        &mut self,
        out: &mut String,
        flags: &str,
        conversion: u8,
        args: &mut u64,
        lane: u32,
    ) -> Step {
        let long = flags.contains(['l', 'j', 'z', 't', 'q']);
        let integer_bytes = if long { 8 } else { 4 };
        let text = match conversion {
            b'%' => "%".into(),
            b'd' | b'i' => {
                let value = self.argument(args, integer_bytes, lane)?;
                if long { (value as i64).to_string() } else { (value as i32).to_string() }
            }
            b'u' => self.argument(args, integer_bytes, lane)?.to_string(),
            b'x' => format!("{:x}", self.argument(args, integer_bytes, lane)?),
            b'X' => format!("{:X}", self.argument(args, integer_bytes, lane)?),
            b'o' => format!("{:o}", self.argument(args, integer_bytes, lane)?),
            b'c' => char::from(self.argument(args, 4, lane)? as u8).into(),
            b'p' => format!("{:#x}", self.argument(args, 8, lane)?),
            b's' => {
                let at = self.argument(args, 8, lane)?;
                self.string(at, lane)?
            }
            _ => float(f64::from_bits(self.argument(args, 8, lane)?), flags, conversion),
        };
        pad(out, &text, flags);
        Ok(())
    }
}

/// Formats `%f`, `%e` and `%g` with a precision.
fn float(value: f64, flags: &str, conversion: u8) -> String {
    let precision = flags.split_once('.').and_then(|(_, p)| p.parse().ok());
    match conversion {
        b'e' | b'E' => format!("{value:.*e}", precision.unwrap_or(6)),
        b'g' | b'G' => value.to_string(),
        _ => format!("{value:.*}", precision.unwrap_or(6)),
    }
}

fn pad(out: &mut String, text: &str, flags: &str) {
    let digits = flags.trim_start_matches(['-', '+', ' ', '#']);
    let width = digits.split(|c: char| !c.is_ascii_digit()).next().unwrap_or("");
    let wide: usize = width.trim_start_matches('0').parse().unwrap_or(0);
    // Writing to a `String` cannot fail.
    let _ = if flags.starts_with('-') {
        write!(out, "{text:<wide$}")
    } else if width.starts_with('0') {
        write!(out, "{text:0>wide$}")
    } else {
        write!(out, "{text:>wide$}")
    };
}
