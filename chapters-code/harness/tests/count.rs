//! How many devices there are, before one was opened and after.

use harness::{Device, DeviceChoice, driver};

/// cudarc finds the simulator's library as soon as it is loaded, before the number of devices is set. A count at this
/// moment must not start the simulator with one device.
#[test]
#[ignore = "run by the other test"]
fn program() {
    let path = driver::find_simulator().expect("it is built");
    // SAFETY: the simulator has no initializers with preconditions.
    let _library = unsafe { libloading::Library::new(path) }.expect("it opens");
    assert_eq!(Device::count(), 0);
    Device::open(DeviceChoice::Sim).expect("it opens");
    assert_eq!(Device::count(), 8);
}

/// On other systems cudarc looks for a file of another name, and does not find the loaded library.
#[cfg(target_os = "linux")]
#[test]
fn there_is_no_device_before_one_is_opened() {
    testing::in_own_process("count::program");
}
