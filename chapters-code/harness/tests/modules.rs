//! Modules that cannot be loaded, and devices that cannot be had: errors with a remedy, no panics.

use harness::{Device, DeviceChoice, Error, kernel};

fn simulator() -> Device {
    Device::open(DeviceChoice::Sim).expect("the simulator opens")
}

#[track_caller]
fn check(ptx: &[&str], parts: &[&str]) {
    let error = kernel::load_module(&simulator(), "some_kernel", ptx).expect_err("refused");
    let message = error.to_string();
    for part in ["module some_kernel", "remedy"].iter().chain(parts) {
        assert!(message.contains(part), "no `{part}` in:\n{message}");
    }
}

#[test]
fn text_that_is_no_ptx() {
    check(&["nonsense"], &["CUDA_ERROR_INVALID"]);
    let begun = ".version 8.0\n.target sm_75\n.address_size 64\nnonsense\n";
    check(&[begun], &["CUDA_ERROR_INVALID_PTX"]);
    check(&[""], &["CUDA_ERROR"]);
    check(&["nul\0byte"], &["NUL"]);
}

#[test]
fn a_target_that_the_device_is_older_than() {
    let ptx = ".version 8.0\n.target sm_120\n.address_size 64\n";
    check(&[ptx], &["compute capability 12.0", "H200 profile", "9.0"]);
}

#[test]
fn the_newest_target_that_fits_is_loaded() {
    let of = |target: u32| {
        format!(
            ".version 8.0\n.target sm_{target}\n.address_size 64\n\
             .visible .entry for_{target}()\n{{\n\tret;\n}}\n"
        )
    };
    let texts = [of(75), of(80), of(120)];
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let device = simulator();
    let module = kernel::load_module(&device, "empty", &texts).expect("one fits");
    assert!(kernel::load_function(&module, "for_80").is_ok());
    let error = kernel::load_function(&module, "for_75").expect_err("not that one");
    assert!(matches!(error, Error::Module { .. }), "{error}");
}

#[test]
fn a_process_keeps_its_library() {
    drop(simulator());
    let error = match Device::open(DeviceChoice::Gpu) {
        Ok(_) => panic!("the process has changed over"),
        Err(error) => error.to_string(),
    };
    assert!(error.contains("already uses the simulator"), "{error}");
    assert!(Device::open(DeviceChoice::Auto).is_ok_and(|device| device.is_simulated()));
}
