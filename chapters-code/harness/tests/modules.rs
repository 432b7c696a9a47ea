//! Modules that cannot be loaded, and devices that cannot be had: errors with a remedy, no panics.

use cudarc::nvrtc::Ptx;
use harness::{Device, DeviceChoice, PtxText, Rung, kernel};

fn simulator() -> Device {
    Device::open(DeviceChoice::Sim).expect("the simulator opens")
}

fn rung(ptx: &str) -> Rung {
    let compressed = lz4_flex::compress_prepend_size(ptx.as_bytes());
    Rung::new("some_kernel", "", PtxText::from_lz4(compressed.leak()))
}

/// A driver that refuses the text of a rung: the error names the rung, the cause and the remedy.
#[track_caller]
fn check(ptx: &str, parts: &[&str]) {
    let device = simulator();
    let refused = device.context.load_module(Ptx::from_src(ptx));
    let error = refused.expect_err("refused").into();
    let message = kernel::explain(&device, &rung(ptx), error).to_string();
    for part in ["module some_kernel", "remedy"].iter().chain(parts) {
        assert!(message.contains(part), "no `{part}` in:\n{message}");
    }
}

#[test]
fn text_that_is_no_ptx() {
    check("nonsense", &["CUDA_ERROR_INVALID"]);
    let begun = ".version 8.0\n.target sm_75\n.address_size 64\nnonsense\n";
    check(begun, &["CUDA_ERROR_INVALID_PTX"]);
    check("", &["CUDA_ERROR"]);
}

#[test]
fn a_target_that_the_device_is_older_than() {
    let ptx = ".version 8.0\n.target sm_120\n.address_size 64\n";
    check(ptx, &["CUDA_ERROR_INVALID_PTX"]);
    assert_eq!(rung(ptx).target(), 120);
}

#[test]
fn a_kernel_that_is_not_there() {
    let device = simulator();
    let ptx = ".version 8.0\n.target sm_75\n.address_size 64\n";
    let module = device.context.load_module(Ptx::from_src(ptx));
    let missing = module.and_then(|module| module.load_function("sum_f32"));
    let error = missing.expect_err("it has no kernel").into();
    let error = kernel::explain(&device, &rung(ptx), error);
    assert!(error.to_string().contains("no kernel of that name"), "{error}");
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
