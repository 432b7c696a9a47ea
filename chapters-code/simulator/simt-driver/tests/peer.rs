//! Several devices whose kernels use each other's memory. Each test has a process of its own, as the number of devices
//! is read from the environment once.

use std::collections::BTreeSet;
use std::ffi::{c_int, c_void};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::common::{self, LIBRARY, code, context_in_own_process, launch, one_block, set_option};
use crate::report::report;
use cudarc::driver::sys::{self, CUresult};
use cudarc::driver::{
    CudaContext, CudaFunction, CudaModule, CudaSlice, CudaStream, DevicePtr, PushKernelArg, result,
};
use cudarc::nvrtc::Ptx;
use serde_json::{Value, json};

const RELAXED: sys::CUstreamCaptureMode = sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED;
const INSTANTIATE: sys::CUgraphInstantiate_flags =
    sys::CUgraphInstantiate_flags::CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH;
/// The kernels' source, as messages name it.
const FILE: &str = "chapters-code/simulator/simt-driver/tests/kernels/peer.cu";
const PTX: &str = include_str!("kernels/peer.ptx");

/// A device: a context that may access all others, and the kernels.
#[derive(Clone)]
struct Device {
    context: Arc<CudaContext>,
    module: Arc<CudaModule>,
    stream: Arc<CudaStream>,
}

impl Device {
    /// Several devices, linked with each other, in a process of the test's own, see [`context_in_own_process`].
    fn all<const N: usize>(test: &str) -> Option<[Self; N]> {
        let devices = Self::apart(test)?;
        for device in &devices {
            for peer in &devices {
                if device.context.ordinal() != peer.context.ordinal() {
                    assert_eq!(device.enable(peer), CUresult::CUDA_SUCCESS);
                    assert_eq!(device.open_pool(peer, 3), CUresult::CUDA_SUCCESS);
                }
            }
        }
        Some(devices)
    }

    /// The same, without access to each other.
    fn apart<const N: usize>(test: &str) -> Option<[Self; N]> {
        let count = N.to_string();
        context_in_own_process(&format!("peer::{test}"), &[("SIMT_DEVICES", &count)])?;
        Some(std::array::from_fn(|ordinal| {
            let context = CudaContext::new_non_primary(ordinal, 0).expect("a device");
            // The tests order what uses the memory by themselves.
            // SAFETY: they synchronize before they use it otherwise.
            unsafe { context.disable_event_tracking() };
            let module = context.load_module(Ptx::from_src(PTX)).expect("it is PTX");
            let stream = context.new_stream().expect("a stream");
            Self { context, module, stream }
        }))
    }

    fn bind(&self) {
        self.context.bind_to_thread().unwrap();
    }

    /// Enables access to another device's memory.
    fn enable(&self, peer: &Self) -> CUresult {
        self.bind();
        // SAFETY: the handle is that of a context.
        unsafe { sys::cuCtxEnablePeerAccess(peer.context.cu_ctx(), 0) }
    }

    /// Gives another device access to the pool from which cudarc takes the device's memory.
    fn open_pool(&self, to: &Self, flags: u32) -> CUresult {
        let location = sys::CUmemLocation {
            type_: sys::CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE,
            id: to.context.ordinal() as c_int,
        };
        let flags = match flags {
            0 => sys::CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_NONE,
            _ => sys::CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READWRITE,
        };
        let access = sys::CUmemAccessDesc { location, flags };
        let mut pool = std::ptr::null_mut();
        // SAFETY: the results are valid for writing, and the description is one.
        unsafe {
            let device = self.context.cu_device();
            assert_eq!(sys::cuDeviceGetDefaultMemPool(&mut pool, device), CUresult::CUDA_SUCCESS);
            sys::cuMemPoolSetAccess(pool, &access, 1)
        }
    }

    fn kernel(&self, name: &str) -> CudaFunction {
        self.module.load_function(name).expect("a kernel of the module")
    }

    fn zeros(&self, words: usize) -> CudaSlice<u32> {
        let zeros = self.stream.alloc_zeros(words).unwrap();
        self.stream.synchronize().unwrap();
        zeros
    }

    /// Launches a kernel of one thread a block with these arrays as arguments.
    fn launch_blocks(&self, name: &str, blocks: u32, arrays: &[&CudaSlice<u32>]) {
        let kernel = self.kernel(name);
        let mut launch = self.stream.launch_builder(&kernel);
        for array in arrays {
            launch.arg(*array);
        }
        // SAFETY: the arguments are those of the kernel.
        unsafe { launch.launch(common::blocks(blocks, 1)) }.unwrap();
    }

    fn launch(&self, name: &str, arrays: &[&CudaSlice<u32>]) {
        self.launch_blocks(name, 1, arrays);
    }

    /// Has a kernel set a word.
    fn set(&self, word: &CudaSlice<u32>, value: u32) {
        launch!(self.stream, self.kernel("set"), one_block(1), word, &value).unwrap();
    }

    fn read(&self, array: &CudaSlice<u32>) -> Vec<u32> {
        self.stream.clone_dtoh(array).unwrap()
    }
}

#[test]
fn access_is_enabled_and_disabled() {
    let Some([first, second, third]) = Device::apart("access_is_enabled_and_disabled") else {
        return;
    };
    let can = |from, to| {
        let mut answer = 9;
        // SAFETY: the result is valid for writing.
        let asked = unsafe { sys::cuDeviceCanAccessPeer(&mut answer, from, to) };
        (asked, answer)
    };
    assert_eq!(can(0, 1), (CUresult::CUDA_SUCCESS, 1));
    assert_eq!(can(2, 2), (CUresult::CUDA_SUCCESS, 0));
    assert_eq!(can(0, 3).0, CUresult::CUDA_ERROR_INVALID_DEVICE);
    use sys::CUdevice_P2PAttribute as Attribute;
    let attribute = |which, to| {
        let mut value: c_int = 9;
        // SAFETY: the result is valid for writing.
        let asked = unsafe { sys::cuDeviceGetP2PAttribute(&mut value, which, 0, to) };
        (asked, value)
    };
    let access = Attribute::CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED;
    let atomics = Attribute::CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED;
    assert_eq!([access, atomics].map(|a| attribute(a, 1)), [(CUresult::CUDA_SUCCESS, 1); 2]);
    assert_eq!(attribute(access, 0).0, CUresult::CUDA_ERROR_INVALID_DEVICE);

    first.bind();
    let [own, peer, last] = [&first, &second, &third].map(|device| device.context.cu_ctx());
    // SAFETY: the handles are those of contexts, or refused.
    unsafe {
        let disable = |context| sys::cuCtxDisablePeerAccess(context);
        let enable = |context, flags| sys::cuCtxEnablePeerAccess(context, flags);
        assert_eq!(disable(peer), CUresult::CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
        assert_eq!(enable(peer, 1), CUresult::CUDA_ERROR_INVALID_VALUE);
        assert_eq!(enable(own, 0), CUresult::CUDA_ERROR_INVALID_CONTEXT);
        assert_eq!(enable(std::ptr::null_mut(), 0), CUresult::CUDA_ERROR_INVALID_CONTEXT);
        assert_eq!(enable(peer, 0), CUresult::CUDA_SUCCESS);
        assert_eq!(enable(peer, 0), CUresult::CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
        assert_eq!(disable(last), CUresult::CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
        let same_device = CudaContext::new_non_primary(0, 0).unwrap();
        first.bind();
        let refused = enable(same_device.cu_ctx(), 0);
        assert_eq!(refused, CUresult::CUDA_ERROR_PEER_ACCESS_UNSUPPORTED);
    }

    // Access is from the first to the second only.
    let set = |device: &Device, word: u64, value: u32| {
        launch!(device.stream, device.kernel("set"), one_block(1), &word, &value).unwrap();
    };
    let allocate = |device: &Device| {
        device.bind();
        // SAFETY: the memory is written before it is read.
        unsafe { result::malloc_sync(4) }.unwrap()
    };
    let read = |address: u64| {
        let mut word = [9u32];
        // SAFETY: the address is that of a word.
        unsafe { result::memcpy_dtoh_sync(&mut word, address) }.unwrap();
        word[0]
    };
    let fails = |device: &Device, word: u64| {
        set(device, word, 5);
        let illegal = CUresult::CUDA_ERROR_ILLEGAL_ADDRESS;
        assert_eq!(code(device.stream.synchronize()), illegal);
        let fault = report()["launches"].as_array().unwrap().last().unwrap()["fault"].clone();
        fault["message"].as_str().unwrap().to_owned()
    };
    let (here, there) = (allocate(&first), allocate(&second));
    set(&first, there, 5);
    first.stream.synchronize().unwrap();
    assert_eq!(read(there), 5);
    let message = fails(&second, here);
    let wanted = "of device 0, which device 1 may not access: cuCtxEnablePeerAccess is missing, \
                  from the context on device 1 to the one on device 0";
    assert!(message.contains(wanted), "{message}");
    assert!(message.starts_with("kernel `set` at "), "{message}");
    assert!(message.contains(", device 1, block (0,0,0), thread (0,0,0)"), "{message}");

    // What was enabled can be taken back.
    assert_eq!(first.enable(&third), CUresult::CUDA_SUCCESS);
    let elsewhere = allocate(&third);
    set(&first, elsewhere, 6);
    first.bind();
    // SAFETY: the handle is that of a context.
    let disabled = unsafe { sys::cuCtxDisablePeerAccess(third.context.cu_ctx()) };
    assert_eq!(disabled, CUresult::CUDA_SUCCESS);
    assert_eq!(read(elsewhere), 6);
    assert!(fails(&first, elsewhere).contains("of device 2, which device 0 may not access"));

    // The memory of pools needs an access of its own.
    let [first, second, _] = Device::apart("access_is_enabled_and_disabled").unwrap();
    assert_eq!(first.enable(&second), CUresult::CUDA_SUCCESS);
    let pooled = second.zeros(1);
    let address = pooled.device_ptr(&second.stream).0;
    assert_eq!(second.open_pool(&first, 3), CUresult::CUDA_SUCCESS);
    set(&first, address, 8);
    first.stream.synchronize().unwrap();
    assert_eq!(second.read(&pooled), [8]);
    assert_eq!(second.open_pool(&first, 0), CUresult::CUDA_SUCCESS);
    let message = fails(&first, address);
    assert!(message.contains("for which cuMemPoolSetAccess is missing"), "{message}");
    assert_eq!(second.open_pool(&second, 0), CUresult::CUDA_ERROR_INVALID_DEVICE);
}

#[test]
fn addresses_tell_the_device() {
    let Some([first, second]) = Device::all("addresses_tell_the_device") else { return };
    let (here, there) = (first.zeros(300), second.stream.clone_htod(&[3u32; 300]).unwrap());
    second.stream.synchronize().unwrap();
    let address = |slice: &CudaSlice<u32>, device: &Device| slice.device_ptr(&device.stream).0;
    let (to, from) = (address(&here, &first), address(&there, &second));
    for (address, ordinal) in [(to, 0), (from, 1)] {
        let mut found: c_int = 9;
        let attribute = sys::CUpointer_attribute::CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL;
        // SAFETY: the result is valid for writing.
        let asked =
            unsafe { sys::cuPointerGetAttribute((&raw mut found).cast(), attribute, address) };
        assert_eq!((asked, found), (CUresult::CUDA_SUCCESS, ordinal));
    }
    let (own, peer) = (first.context.cu_ctx(), second.context.cu_ctx());
    let stream = first.stream.cu_stream();
    first.bind();
    report();
    // SAFETY: the addresses are those of 1200 bytes each.
    let copies: [&dyn Fn() -> CUresult; 5] = unsafe {
        [
            &|| sys::cuMemcpyPeer(to, own, from, peer, 1200),
            &|| sys::cuMemcpyPeerAsync(to, own, from, peer, 1200, stream),
            &|| sys::cuMemcpyDtoD_v2(to, from, 1200),
            &|| sys::cuMemcpyDtoDAsync_v2(to, from, 1200, stream),
            &|| sys::cuMemcpy(to, from, 1200),
        ]
    };
    for (index, copy) in copies.into_iter().enumerate() {
        // SAFETY: the address is that of 300 words.
        unsafe { result::memset_d8_sync(to, 0, 1200) }.unwrap();
        assert_eq!(copy(), CUresult::CUDA_SUCCESS, "{index}");
        first.stream.synchronize().unwrap();
        assert_eq!(first.read(&here), [3; 300], "{index}");
    }
    assert_eq!(report()["links"], json!([link(1, 0, [0, 0, 0, 5 * 1200])]));

    // A stream waits for an event of the other device.
    let word = second.zeros(1);
    second.set(&word, 9);
    let event = second.stream.record_event(None).unwrap();
    first.stream.wait(&event).unwrap();
    first.launch("copy_words", &[&word, &here]);
    assert_eq!(first.read(&here)[0], 9);
}

/// A link as the report has it.
fn link(from: u32, to: u32, [read, written, atomic, copied]: [u64; 4]) -> Value {
    json!({
        "from": from, "to": to, "read_bytes": read, "written_bytes": written,
        "atomic_bytes": atomic, "copied_bytes": copied
    })
}

#[test]
fn links_are_counted() {
    let Some([first, second, third]) = Device::all("links_are_counted") else { return };
    let (here, there) = (first.zeros(1024), second.zeros(1024));
    let counter = third.zeros(1);
    report();
    let copy = |device: &Device, from: &CudaSlice<u32>, to: &CudaSlice<u32>| {
        let config = common::blocks(4, 256);
        launch!(device.stream, device.kernel("copy_words"), config, from, to).unwrap();
        device.stream.synchronize().unwrap();
    };
    copy(&first, &there, &here);
    copy(&first, &here, &there);
    first.launch_blocks("count_in_system", 5, &[&counter]);
    first.stream.synchronize().unwrap();
    let found = report();
    let launches = found["launches"].as_array().unwrap();
    assert!(launches.iter().all(|launch| launch["device"] == 0));
    assert_eq!(launches[0]["links"], json!([link(0, 1, [4096, 0, 0, 0])]));
    assert_eq!(launches[1]["links"], json!([link(0, 1, [0, 4096, 0, 0])]));
    assert_eq!(launches[2]["links"], json!([link(0, 2, [0, 0, 5 * 32, 0])]));
    let sum = [link(0, 1, [4096, 4096, 0, 0]), link(0, 2, [0, 0, 160, 0])];
    assert_eq!(found["links"], json!(sum));
    assert_eq!(third.read(&counter), [5]);
    copy(&first, &here, &here);
    assert_eq!(report()["launches"][0]["links"], Value::Null);
}

/// Sends a word from device 0, by this kernel, to device 1. Returns the races.
fn send_by(devices: &[Device; 2], sender: &str) -> Vec<Value> {
    let [first, second] = devices;
    let (data, flag, out) = (second.zeros(1), second.zeros(1), second.zeros(1));
    report();
    // The receiver waits for a kernel that is queued after it.
    second.launch("receive", &[&data, &flag, &out]);
    first.launch(sender, &[&data, &flag]);
    assert_eq!(second.read(&out), [7]);
    let found = report();
    assert_eq!(found["launches"].as_array().unwrap().len(), 2);
    races(&found)
}

fn races(report: &Value) -> Vec<Value> {
    let launches = report["launches"].as_array().unwrap();
    launches.iter().flat_map(|launch| launch["races"].as_array().unwrap().clone()).collect()
}

/// Sends a word from device 0 to device 1 with weak memory, by these kernels, with each of some seeds. Returns what is
/// missing where the word did not arrive.
fn send_weakly(devices: &[Device; 2], sender: &str, receiver: &str) -> BTreeSet<String> {
    let [first, second] = devices;
    let mut missing = BTreeSet::new();
    for seed in 1..=24 {
        set_option(&LIBRARY, "weak_memory", seed);
        let (data, flag, out) = (second.zeros(1), second.zeros(1), second.zeros(1));
        report();
        second.launch(receiver, &[&data, &flag, &out]);
        first.launch(sender, &[&data, &flag]);
        let received = second.read(&out);
        let launches = report()["launches"].take();
        let reads = launches.as_array().unwrap().iter().flat_map(|launch| {
            launch["stale_reads"]["first"].as_array().expect("memory is weak").clone()
        });
        let of_data = reads.filter(|read| read["store"]["access"] == "write");
        let cures: Vec<Value> = of_data
            .map(|read| {
                let message = read["message"].as_str().unwrap();
                assert!(message.contains("read by device 1, block (0,0,0)"), "{message}");
                assert!(message.contains("misses the write by device 0, block"), "{message}");
                read["cure"].clone()
            })
            .collect();
        assert_eq!(
            received == [7],
            cures.is_empty(),
            "{sender}, {receiver}, seed {seed}: {cures:?}"
        );
        missing.extend(cures.iter().map(|cure| cure.as_str().unwrap().to_owned()));
    }
    set_option(&LIBRARY, "weak_memory", 0);
    missing
}

#[test]
fn a_fence_that_is_too_narrow_for_two_devices_shows_with_weak_memory() {
    let Some(devices) =
        Device::all::<2>("a_fence_that_is_too_narrow_for_two_devices_shows_with_weak_memory")
    else {
        return;
    };
    let of_writer = Some("a __threadfence_system() between the write and the flag");
    let of_reader = Some("a __threadfence_system() between the flag and the read");
    for (sender, receiver, missing) in [
        ("send", "receive", None),
        ("send_unfenced", "receive", of_writer),
        ("send_fenced_on_device", "receive", of_writer),
        ("send", "receive_unfenced", of_reader),
        ("send", "receive_fenced_on_device", of_reader),
    ] {
        let found = send_weakly(&devices, sender, receiver);
        assert_eq!(found, missing.map(String::from).into_iter().collect(), "{sender}, {receiver}");
    }

    // What a stream has run before is known behind it, and a flag tells of it.
    let [first, second] = &devices;
    for seed in 1..=24 {
        set_option(&LIBRARY, "weak_memory", seed);
        let [word, data, flag, out, to] = [(); 5].map(|()| second.zeros(1));
        let nine = first.zeros(1);
        first.set(&nine, 9);
        first.launch("copy_words", &[&nine, &word]);
        first.launch("send", &[&data, &flag]);
        second.launch("receive", &[&data, &flag, &out]);
        second.launch("copy_words", &[&word, &to]);
        assert_eq!((second.read(&out), second.read(&to)), (vec![7], vec![9]), "seed {seed}");
    }
}

#[test]
fn kernels_of_two_devices_wait_for_each_other() {
    let Some(devices) = Device::all::<2>("kernels_of_two_devices_wait_for_each_other") else {
        return;
    };
    assert_eq!(send_by(&devices, "send"), Vec::<Value>::new());
    set_option(&LIBRARY, "races", 1);
    assert_eq!(send_by(&devices, "send"), Vec::<Value>::new());
    set_option(&LIBRARY, "trace", 1);
    assert_eq!(send_by(&devices, "send"), Vec::<Value>::new());
    set_option(&LIBRARY, "trace", 0);
    let narrow = "the scope is gpu, the threads are on devices 0 and 1: use system scope";

    let found = send_by(&devices, "send_fenced_on_device");
    assert_eq!(found.len(), 1, "{found:?}");
    let message = found[0]["message"].as_str().unwrap();
    assert!(message.contains(&format!("where of the fence {narrow}")), "{message}");
    assert!(
        message.starts_with("race of devices 0 and 1: byte 0 of the allocation of 4 bytes at ")
    );
    let first = format!(
        "of device 1: write by device 0, kernel `send_fenced_on_device`, block (0,0,0), warp 0, \
                 lane 0 at {FILE}:"
    );
    assert!(message.contains(&first), "{message}");
    assert!(
        message.contains("then read by device 1, kernel `receive`, block (0,0,0)"),
        "{message}"
    );
    assert_eq!(found[0]["missing"], "__threadfence_system");

    // The flag itself is a race, and what it should order.
    let found = send_by(&devices, "send_flag_on_device");
    let [flag, polled, data] = &found[..] else { panic!("{found:?}") };
    for (race, which) in [(flag, "second"), (polled, "first")] {
        assert_eq!(race["missing"], "the scope of the system");
        let message = race["message"].as_str().unwrap();
        assert!(message.contains(&format!("where of the {which} access {narrow}")), "{message}");
    }
    let message = data["message"].as_str().unwrap();
    assert!(message.contains(&format!("where of the flag {narrow}")), "{message}");

    let found = send_by(&devices, "send_unfenced");
    assert_eq!(found.len(), 1, "{found:?}");
    let message = found[0]["message"].as_str().unwrap();
    assert!(
        message.contains("with no __threadfence_system() and atomic of system scope"),
        "{message}"
    );

    // A block may pass on what it has learned from another of its device.
    let [first, second] = &devices;
    let (data, own, flag, out) =
        (second.zeros(1), first.zeros(1), second.zeros(1), second.zeros(1));
    second.launch("receive", &[&data, &flag, &out]);
    first.launch_blocks("relay", 2, &[&data, &own, &flag]);
    assert_eq!(second.read(&out), [7]);
    assert_eq!(races(&report()), Vec::<Value>::new());

    // A flag tells what the launches before the sender's have done, and launches after the receiver's know it.
    for (sender, races_wanted) in [("send", 0), ("send_unfenced", 2)] {
        let [word, data, flag, out, to] = [(); 5].map(|()| second.zeros(1));
        first.launch("copy_words", &[&first.zeros(1), &word]);
        first.launch(sender, &[&data, &flag]);
        second.launch("receive", &[&data, &flag, &out]);
        second.launch("copy_words", &[&word, &to]);
        second.stream.synchronize().unwrap();
        let found = races(&report());
        assert_eq!(found.len(), races_wanted, "{sender}: {found:?}");
    }

    // Atomics need a scope that includes both devices.
    let counter = second.zeros(1);
    for (kernel, races_wanted) in [("count_in_system", 0), ("count_on_device", 2)] {
        first.launch_blocks(kernel, 3, &[&counter]);
        second.launch_blocks(kernel, 3, &[&counter]);
        second.stream.synchronize().unwrap();
        let found = races(&report());
        assert_eq!(found.len(), races_wanted, "{kernel}: {found:?}");
        for race in &found {
            let message = race["message"].as_str().unwrap();
            assert!(message.contains(&format!("where of each access {narrow}")), "{message}");
        }
    }
    assert_eq!(second.read(&counter), [12]);

    // An event orders launches of two devices, and so does the host.
    let (word, to) = (second.zeros(1), first.zeros(1));
    let set = || second.set(&word, 4);
    set();
    first.stream.wait(&second.stream.record_event(None).unwrap()).unwrap();
    first.launch("copy_words", &[&word, &to]);
    first.stream.synchronize().unwrap();
    set();
    second.stream.synchronize().unwrap();
    first.launch("copy_words", &[&word, &to]);
    first.stream.synchronize().unwrap();
    assert_eq!(races(&report()), Vec::<Value>::new());
    set();
    first.launch("copy_words", &[&word, &to]);
    first.stream.synchronize().unwrap();
    assert_eq!(races(&report()).len(), 1);

    // Two streams of one device.
    let other = Device { stream: second.context.new_stream().unwrap(), ..second.clone() };
    set();
    other.launch("copy_words", &[&word, &out]);
    other.stream.synchronize().unwrap();
    let found = races(&report());
    assert_eq!(found.len(), 1, "{found:?}");
    let message = found[0]["message"].as_str().unwrap();
    assert!(message.starts_with("race of two launches on device 1: byte 0 of "), "{message}");
    assert!(message.contains("and nothing orders the two launches: an event"), "{message}");
    assert_eq!(found[0]["missing"], "an event between the streams");
}

#[test]
fn a_token_goes_round_four_devices() {
    let Some(devices) = Device::all::<4>("a_token_goes_round_four_devices") else { return };
    set_option(&LIBRARY, "races", 1);
    for seed in 0..4 {
        set_option(&LIBRARY, "seed", seed);
        ring_of(&devices);
    }
}

fn ring_of(devices: &[Device; 4]) {
    let flags = devices.each_ref().map(|device| device.zeros(1));
    let rounds = 10u32;
    for (index, device) in devices.iter().enumerate() {
        let kernel = device.kernel("ring");
        let is_first = u32::from(index == 0);
        launch!(
            device.stream,
            kernel,
            one_block(1),
            &flags[index],
            &flags[(index + 1) % 4],
            &rounds,
            &is_first
        )
        .unwrap();
    }
    for device in devices {
        device.stream.synchronize().unwrap();
    }
    for (device, flag) in devices.iter().zip(&flags) {
        assert_eq!(device.read(flag), [rounds]);
    }
    let found = report();
    assert_eq!(races(&found), Vec::<Value>::new());
    let atomics = |links: &Value| -> Vec<_> {
        let all = links.as_array().unwrap().iter();
        all.map(|link| link["atomic_bytes"].as_u64().unwrap()).collect()
    };
    assert_eq!(atomics(&found["links"]), [320; 4]);
}

#[test]
fn four_devices_add_their_arrays() {
    let Some(devices) = Device::all::<4>("four_devices_add_their_arrays") else { return };
    set_option(&LIBRARY, "races", 1);
    for seed in 0..3 {
        set_option(&LIBRARY, "seed", seed);
        let found = all_reduce(&devices, "all_reduce");
        assert_eq!(races(&found), Vec::<Value>::new());
        // Each pair: the words of two blocks, read and written, and a flag per block and meeting.
        let pairs = (0..4).flat_map(|from| (0..4).map(move |to| (from, to)));
        let links = pairs.filter(|(from, to)| from != to).map(|(from, to)| {
            let read = 64 * 4 * 2;
            link(from, to, [read, read, 2 * 2 * 32, 0])
        });
        assert_eq!(found["links"], json!(links.collect::<Vec<_>>()));
    }
    let found = races(&all_reduce(&devices, "all_reduce_fenced_on_device"));
    let is_narrow = |race: &Value| {
        let message = race["message"].as_str().unwrap();
        message.contains("where of the fence the scope is gpu, the threads are on devices ")
    };
    assert!(!found.is_empty() && found.iter().all(is_narrow), "{found:?}");
}

/// Adds arrays of all devices by this kernel, with two blocks of 64 threads on each. Returns the report.
fn all_reduce(devices: &[Device; 4], kernel: &str) -> Value {
    const PART: usize = 128;
    let zeros = |words| devices.each_ref().map(|device| device.zeros(words));
    let (arrays, flags, out) = (zeros(4 * PART), zeros(2), zeros(4 * PART));
    let addresses = |slices: &[CudaSlice<u32>; 4]| -> Vec<u64> {
        let both = slices.iter().zip(devices);
        both.map(|(slice, device)| slice.device_ptr(&device.stream).0).collect()
    };
    let tables = devices.each_ref().map(|device| {
        let table = |slices| device.stream.clone_htod(&addresses(slices)).unwrap();
        (table(&arrays), table(&flags))
    });
    devices.iter().for_each(|device| device.stream.synchronize().unwrap());
    report();
    for (own, device) in devices.iter().enumerate() {
        let (kernel, count, ordinal) = (device.kernel(kernel), 4u32, own as u32);
        let (arrays, flags) = &tables[own];
        let config = common::blocks(2, 64);
        launch!(device.stream, kernel, config, arrays, flags, &out[own], &ordinal, &count).unwrap();
    }
    devices.iter().for_each(|device| device.stream.synchronize().unwrap());
    let found = report();
    let expected: Vec<u32> = (0..4 * PART as u32).map(|i| 4 * i + 6).collect();
    for (device, out) in devices.iter().zip(&out) {
        assert_eq!(device.read(out), expected);
    }
    found
}

#[test]
fn a_deadlock_names_devices_kernels_and_lines() {
    let Some([first, second, _third]) = Device::all("a_deadlock_names_devices_kernels_and_lines")
    else {
        return;
    };
    let (one, other) = (first.zeros(1), second.zeros(1));
    report();
    first.launch("wait_for_flag", &[&other]);
    second.launch("wait_for_flag", &[&one]);
    let timeout = CUresult::CUDA_ERROR_LAUNCH_TIMEOUT;
    assert_eq!(code(first.stream.synchronize()), timeout);
    assert_eq!(code(second.stream.synchronize()), timeout);
    let found = report();
    let faults = found["launches"].as_array().unwrap().iter().map(|launch| &launch["fault"]);
    let messages: Vec<_> = faults.map(|fault| fault["message"].as_str().unwrap()).collect();
    assert_eq!(messages.len(), 2);
    let message = messages[0];
    assert_eq!(messages[1], message);
    assert!(
        message.starts_with("deadlock on devices 0 and 1, no thread changes memory"),
        "{message}"
    );
    for device in 0..2 {
        let line = format!(
            "\n  kernel `wait_for_flag`, device {device}, block (0,0,0), warp 0, lanes 0x00000001, spin on \
             what they read at {FILE}:"
        );
        assert!(message.contains(&line), "{message}");
    }
    assert!(message.ends_with("\n  nothing runs on device 2"), "{message}");

    // A kernel that waits for a device on which nothing was launched.
    let [first, second, _third] =
        Device::all("a_deadlock_names_devices_kernels_and_lines").unwrap();
    let flag = second.zeros(1);
    first.launch("wait_for_flag", &[&flag]);
    assert_eq!(code(first.stream.synchronize()), timeout);
    let message = report()["launches"][0]["fault"]["message"].as_str().unwrap().to_owned();
    assert!(message.starts_with("deadlock on device 0, "), "{message}");
    assert!(message.ends_with("\n  nothing runs on devices 1 and 2"), "{message}");
}

#[test]
fn each_device_may_have_a_thread_of_the_host() {
    let Some([first, second]) = &Device::all("each_device_may_have_a_thread_of_the_host") else {
        return;
    };
    let (data, flag, out) = (second.zeros(1), second.zeros(1), second.zeros(1));
    set_option(&LIBRARY, "races", 1);
    report();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            second.launch("receive", &[&data, &flag, &out]);
            second.stream.synchronize().unwrap();
        });
        scope.spawn(|| {
            first.bind();
            std::thread::sleep(std::time::Duration::from_millis(200));
            // The other device's kernel runs meanwhile, and does not end.
            let _unused = first.zeros(1);
            // Of these launches, the host orders the second behind the first.
            let (from, to) = (first.zeros(1), first.zeros(1));
            first.launch("copy_words", &[&from, &to]);
            first.stream.synchronize().unwrap();
            first.launch("copy_words", &[&to, &from]);
            first.stream.synchronize().unwrap();
            first.launch("send", &[&data, &flag]);
            first.stream.synchronize().unwrap();
        });
    });
    assert_eq!(second.read(&out), [7]);
    assert_eq!(races(&report()), Vec::<Value>::new());
}

#[test]
fn streams_keep_their_order_when_work_is_deferred() {
    let Some([first, second]) = &Device::all("streams_keep_their_order_when_work_is_deferred")
    else {
        return;
    };
    let (data, mut flag, out) = (second.zeros(1), second.zeros(1), second.zeros(1));
    let (mut copied, sum) = (first.zeros(1), first.zeros(1));
    // What follows in each stream joins the group: the second round needs both devices again.
    for _ in 0..2 {
        second.launch("receive", &[&data, &flag, &out]);
        first.launch("send", &[&data, &flag]);
        second.stream.memset_zeros(&mut flag).unwrap();
        drop(second.stream.alloc_zeros::<u32>(1).unwrap());
        let event = second.stream.record_event(None).unwrap();
        first.stream.wait(&event).unwrap();
        first.stream.memcpy_dtod(&out, &mut copied).unwrap();
        first.launch("count_on_device", &[&sum]);
    }
    assert_eq!(first.read(&copied), [7]);
    assert_eq!(first.read(&sum), [2]);

    // Graphs of two devices run at the same time, too.
    let flag = second.zeros(1);
    let graph = |device: &Device, launch: &dyn Fn()| {
        device.bind();
        device.stream.begin_capture(RELAXED).unwrap();
        launch();
        device.stream.end_capture(INSTANTIATE).unwrap().expect("it was captured")
    };
    let receiver = graph(second, &|| second.launch("receive", &[&data, &flag, &out]));
    let sender = graph(first, &|| first.launch("send", &[&data, &flag]));
    receiver.launch().unwrap();
    sender.launch().unwrap();
    first.launch("count_on_device", &[&sum]);

    // Asking whether an event has happened makes it happen.
    let event = first.stream.record_event(None).unwrap();
    assert!(event.is_complete());
    assert_eq!(second.read(&flag), [1]);

    // More launches than a group has, the last of which the others wait for.
    let (many, flag) = (first.zeros(1), second.zeros(1));
    second.launch("wait_for_flag", &[&flag]);
    for _ in 0..1500 {
        first.launch("count_on_device", &[&many]);
    }
    first.launch("send_unfenced", &[&data, &flag]);
    second.stream.synchronize().unwrap();
    assert_eq!(first.read(&many), [1500]);

    // A function of the host waits for the kernels before it, and those behind it for the function.
    static SEEN: AtomicU32 = AtomicU32::new(0);
    unsafe extern "C" fn note(number: *mut c_void) {
        SEEN.fetch_add(number as usize as u32, Ordering::SeqCst);
    }
    first.launch("count_on_device", &[&sum]);
    // SAFETY: the function only looks at the number.
    unsafe { sys::cuLaunchHostFunc(first.stream.cu_stream(), Some(note), 5usize as *mut _) }
        .result()
        .unwrap();
    first.launch("count_on_device", &[&sum]);
    assert_eq!(first.read(&sum), [5]);
    assert_eq!(SEEN.load(Ordering::SeqCst), 5);

    // A launch that cannot run is refused when it is queued.
    let refused = launch!(first.stream, first.kernel("set"), one_block(2048), &sum, &1u32);
    assert_eq!(code(refused), CUresult::CUDA_ERROR_INVALID_VALUE);
}
