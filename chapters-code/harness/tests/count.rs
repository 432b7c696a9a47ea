//! How many devices there are, before one was opened and after.

use harness::{Device, DeviceChoice, driver};

/// The simulator's library is within cudarc's reach before it knows how many devices it is to have. Whoever asks in
/// between must not begin with one device.
#[test]
#[ignore = "begins with a library that no driver was chosen from"]
fn program() {
    let path = driver::find_simulator().expect("it is built");
    // SAFETY: the simulator has no initializers with preconditions.
    let _library = unsafe { libloading::Library::new(path) }.expect("it opens");
    assert_eq!(Device::count(), 0);
    Device::open(DeviceChoice::Sim).expect("it opens");
    assert_eq!(Device::count(), 8);
}

/// Elsewhere cudarc asks for a file, which is not the simulator's.
#[cfg(target_os = "linux")]
#[test]
fn there_is_no_device_before_one_is_opened() {
    testing::in_own_process("count::program");
}
