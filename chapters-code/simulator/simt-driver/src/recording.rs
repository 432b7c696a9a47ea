//! What the devices execute, kept while the option `record` is on, until `simtTakeRecording` asks for it.
//!
//! An allocation is recorded before the first operation that names it. A kernel names the allocations whose
//! addresses its parameters hold. (Variables of a module are not named: they are as the module loads them.)

use std::sync::{Arc, Mutex};

use simt_report::{Bytes, InGroup, RecordedAllocation, RecordedOperation, Recording};

use crate::context;
use crate::error::{CUresult, Result};
use crate::launch::Launch;
use crate::module;
use crate::state::{Device, driver, lock};

/// What has been recorded.
#[derive(Default)]
struct Recorder {
    recording: Recording,
    /// The images of [`Recording::modules`].
    images: Vec<Arc<[u8]>>,
    /// The groups of launches so far: each a number that no other group has.
    groups: Vec<u64>,
}

static RECORDER: Mutex<Option<Recorder>> = Mutex::new(None);

/// Begins a recording with 1, and discards one with 0.
pub fn set(value: i64) -> Result {
    *lock(&RECORDER) = match value {
        0 => None,
        1 => Some(Recorder::default()),
        _ => {
            return Err(CUresult::INVALID_VALUE.because(format!("option record cannot be {value}")));
        }
    };
    Ok(())
}

/// Hands the recording, as JSON, to `take`, and ends it if it was taken.
pub fn take(take: impl FnOnce(&str) -> bool) -> serde_json::Result<()> {
    let mut recorder = lock(&RECORDER);
    let json = match &*recorder {
        Some(recorder) => recorder.recording.to_json()?,
        None => Recording::default().to_json()?,
    };
    if take(&json) {
        *recorder = None;
    }
    Ok(())
}

/// Records a launch. `group` has the number of its group, if it runs together with others, and the numbers there of
/// the launches that it follows.
pub fn launch(device: &Device, launch: &Launch, group: Option<(u64, &[usize])>) -> Result {
    let mut recorder = lock(&RECORDER);
    let Some(recorder) = &mut *recorder else {
        return Ok(());
    };
    for word in launch.params.chunks_exact(8) {
        recorder.see(u64::from_le_bytes(word.try_into().unwrap_or_default()));
    }
    let image = module::module(launch.function.module)?.image.clone();
    let module = recorder.module(image);
    let group = group.map(|(id, after)| recorder.in_group(id, after));
    recorder.recording.operations.push(RecordedOperation::Launch {
        module,
        kernel: launch.function.name().to_owned(),
        grid: launch.request.grid,
        block: launch.request.block,
        dynamic_shared: launch.request.dynamic_shared,
        cooperative: launch.request.cooperative,
        parameters: Bytes(launch.params.clone()),
        device: number(device),
        group,
    });
    Ok(())
}

/// Records a copy within a device, or from one to another.
pub fn copy(to: u64, from: u64, bytes: u64) {
    record(&[to, from], || RecordedOperation::Copy { to, from, bytes });
}

/// Records a fill.
pub fn fill(address: u64, pattern: &[u8], count: u64) {
    let pattern = || Bytes(pattern.to_vec());
    record(&[address], || RecordedOperation::Fill { address, pattern: pattern(), count });
}

/// Records a copy from the host.
pub fn write(address: u64, content: &[u8]) {
    let content = || Bytes(content.to_vec());
    record(&[address], || RecordedOperation::Write { address, content: content() });
}

/// Records a copy to the host.
pub fn read(device: &Device, address: u64, bytes: usize) {
    let content = || bytes_at(device, address, bytes);
    record(&[address], || RecordedOperation::Read { address, content: content() });
}

fn record(addresses: &[u64], operation: impl FnOnce() -> RecordedOperation) {
    if let Some(recorder) = &mut *lock(&RECORDER) {
        addresses.iter().for_each(|&address| recorder.see(address));
        recorder.recording.operations.push(operation());
    }
}

/// A copy of device memory; zeros where the range is not mapped, which the operation itself reports.
fn bytes_at(device: &Device, address: u64, bytes: usize) -> Bytes {
    let mut content = vec![0; bytes];
    let _ = device.memory.read(address, &mut content);
    Bytes(content)
}

/// The number of a device, if the program uses several.
fn number(device: &Device) -> Option<u32> {
    context::on_several_devices().then_some(device.ordinal as u32)
}

impl Recorder {
    /// Records the allocation that contains `address`, if there is one and it is new.
    fn see(&mut self, address: u64) {
        let devices = driver().map_or(&[][..], |driver| &driver.devices);
        let found =
            devices.iter().find_map(|device| Some((device, device.memory.allocation(address)?)));
        let Some((device, (base, bytes))) = found else {
            return;
        };
        let known = &mut self.recording.allocations;
        if known.iter().all(|allocation| allocation.address != base) {
            let content = bytes_at(device, base, bytes as usize);
            known.push(RecordedAllocation { address: base, device: number(device), content });
        }
    }

    /// The place in its group of a launch that follows others.
    fn in_group(&mut self, id: u64, after: &[usize]) -> InGroup {
        let known = self.groups.iter().position(|known| *known == id);
        let number = known.unwrap_or_else(|| {
            self.groups.push(id);
            self.groups.len() - 1
        });
        InGroup { number, after: after.to_vec() }
    }

    /// The index of the module with this image.
    fn module(&mut self, image: Arc<[u8]>) -> usize {
        let known = self.images.iter().position(|known| *known == image);
        known.unwrap_or_else(|| {
            self.recording.modules.push(String::from_utf8_lossy(&image).into_owned());
            self.images.push(image);
            self.images.len() - 1
        })
    }
}
