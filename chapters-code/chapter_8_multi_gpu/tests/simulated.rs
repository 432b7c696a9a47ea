//! What the simulator has no room for, and no column for.

use crate::common::of;
use chapter_8_multi_gpu::chapter::MultiGpu;
use report::{AnyChapter, Chapter as _};
use testing::Program;

/// The memory of all simulated devices is the host's.
#[test]
fn all_devices_must_fit_the_host() {
    let runner = testing::simulator();
    for devices in [2, 8] {
        let case = of(devices, 1000);
        let all = MultiGpu.bytes_on(&runner.device, &case.erased());
        assert_eq!(all, devices as u64 * MultiGpu.device_bytes(&case));
    }
}

/// Links limit, and not the memory whose floor it would be.
#[test]
fn the_table_has_no_floor_of_the_memory() {
    let table = Program::new(env!("CARGO_BIN_EXE_chapter_8")).prints("-n 5000 --devices 2");
    assert!(table.contains("two_shot") && !table.contains("floor"), "{table}");
}
