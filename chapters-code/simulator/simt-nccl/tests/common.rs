//! What the tests share: devices, ranks, and buffers whose every element is checked.

use std::{
    ffi::{CStr, c_void},
    fmt::Debug,
    mem,
    path::PathBuf,
    ptr::null_mut,
    sync::{Arc, LazyLock},
};

use cudarc::{
    driver::{CudaContext, CudaSlice, CudaStream, DevicePtr, DeviceRepr},
    nccl::{
        Comm, NcclType, group_end, group_start,
        result::{self, NcclError},
        sys,
    },
};
use libloading::Library;
use simt_client::{Session, Simulator};

/// Devices of the tests, at most.
const DEVICES: u32 = 8;

/// The simulator for one test at a time, with the race check on: its reports are those of the whole process.
pub fn device() -> (Session<'static>, &'static Simulator) {
    static SIMULATOR: LazyLock<Simulator> = LazyLock::new(|| {
        let simulator = Simulator::load(&beside_test("simt_driver")).expect("it was built");
        simulator.set_devices(DEVICES).expect("no device has been asked for");
        // SAFETY: the library runs no code of its own when it is loaded. It stays open, so that cudarc finds it by name.
        mem::forget(unsafe { Library::new(beside_test("simt_nccl")) }.expect("it was built"));
        simulator
    });
    (SIMULATOR.session(|options| options.races = true).expect("an option"), &SIMULATOR)
}

/// Where cargo puts a library of the workspace: beside the tests.
fn beside_test(library: &str) -> PathBuf {
    let test = std::env::current_exe().expect("a running test has a path");
    test.with_file_name(libloading::library_filename(library))
}

/// A stream of each of some devices, with its context.
pub fn streams(ranks: usize) -> Vec<Arc<CudaStream>> {
    let stream = |ordinal| CudaContext::new(ordinal).expect("a device").new_stream();
    (0..ranks).map(|ordinal| stream(ordinal).expect("a stream")).collect()
}

/// A rank on each of some devices.
pub fn comms(ranks: usize) -> Vec<Comm> {
    Comm::from_devices(streams(ranks)).expect("ranks")
}

/// A type that NCCL combines, and how the tests make and compare its values.
pub trait Value: Copy + Debug + PartialEq + NcclType + DeviceRepr {
    /// A small number, which all types can hold.
    fn of(number: i64) -> Self;
}

macro_rules! values {
    ($($type:ty)*) => { $(impl Value for $type {
        fn of(number: i64) -> Self {
            number as Self
        }
    })* };
}
values! { i8 u8 i32 u32 i64 u64 f32 f64 }

/// Element `index` of rank `rank`'s buffer: from 1 to 5.
pub fn element(rank: usize, index: usize) -> i64 {
    1 + ((7 * rank + 3 * index + index / 5) % 5) as i64
}

/// Each rank's buffer of `count` elements.
pub fn inputs<T: Value>(comms: &[Comm], count: usize) -> Vec<CudaSlice<T>> {
    let input = |comm: &Comm| {
        let values: Vec<T> = (0..count).map(|i| T::of(element(comm.rank(), i))).collect();
        upload(comm, &values)
    };
    comms.iter().map(input).collect()
}

/// A buffer with these values. There is one element at least: cudarc allocates none for none.
pub fn upload<T: Value>(comm: &Comm, values: &[T]) -> CudaSlice<T> {
    let padded = if values.is_empty() { &[T::of(99)] } else { values };
    comm.stream().clone_htod(padded).expect("a buffer")
}

/// Buffers of `count` elements that no collective gives.
pub fn outputs<T: Value>(comms: &[Comm], count: usize) -> Vec<CudaSlice<T>> {
    comms.iter().map(|comm| upload(comm, &vec![T::of(99); count])).collect()
}

/// What a buffer holds.
pub fn download<T: Value>(comm: &Comm, buffer: &CudaSlice<T>) -> Vec<T> {
    comm.stream().clone_dtoh(buffer).expect("the kernels have ended")
}

/// Calls `call` for each rank, in a group.
pub fn in_group<R>(comms: &[Comm], mut call: impl FnMut(&Comm) -> Result<R, NcclError>) {
    group_start().expect("a group");
    for comm in comms {
        call(comm).expect("a call");
    }
    group_end().expect("the group");
}

/// Makes sure that no launch since the last report has a race or a fault. Returns the bytes that went over links.
#[track_caller]
pub fn check_report(device: &Simulator) -> u64 {
    let report = device.take().expect("a report");
    for launch in &report.launches {
        let races: Vec<_> = launch.races.iter().map(|race| &race.message).collect();
        assert!(races.is_empty(), "{}: {races:#?}", launch.kernel);
        assert!(launch.fault.is_none(), "{:?}", launch.fault);
    }
    report.links.iter().map(|link| link.read_bytes + link.written_bytes).sum()
}

/// Ranks as C programs have them, for what cudarc's safe interface lacks.
pub struct Raw {
    /// Their handles.
    pub comms: Vec<sys::ncclComm_t>,
    /// A stream of each.
    pub streams: Vec<Arc<CudaStream>>,
}

impl Raw {
    /// A rank on each of some devices.
    pub fn new(ranks: usize) -> Self {
        let streams = streams(ranks);
        let mut comms = vec![null_mut(); ranks];
        let devices: Vec<i32> = (0..ranks as i32).collect();
        // SAFETY: arrays of `ranks` elements.
        let made =
            unsafe { result::comm_init_all(comms.as_mut_ptr(), ranks as i32, devices.as_ptr()) };
        made.expect("ranks");
        Self { comms, streams }
    }

    /// A buffer of each rank: its number, and its values.
    pub fn buffers<T: Value>(&self, values: impl Fn(usize) -> Vec<T>) -> Vec<CudaSlice<T>> {
        let ranks = self.streams.iter().enumerate();
        ranks.map(|(rank, stream)| stream.clone_htod(&values(rank)).expect("a buffer")).collect()
    }

    /// Calls `call` for each rank, in a group: with the rank's number, handle and stream.
    pub fn in_group(
        &self,
        mut call: impl FnMut(usize, sys::ncclComm_t, sys::cudaStream_t) -> sys::ncclResult_t,
    ) {
        group_start().expect("a group");
        for (rank, (&comm, stream)) in self.comms.iter().zip(&self.streams).enumerate() {
            call(rank, comm, stream.cu_stream().cast()).result().expect("a call");
        }
        group_end().expect("the group");
    }

    /// What each rank's buffer holds.
    pub fn download<T: Value>(&self, buffers: &[CudaSlice<T>]) -> Vec<Vec<T>> {
        let of_rank = |(stream, buffer): (&Arc<CudaStream>, _)| stream.clone_dtoh(buffer);
        self.streams.iter().zip(buffers).map(|pair| of_rank(pair).expect("it has ended")).collect()
    }
}

impl Drop for Raw {
    fn drop(&mut self) {
        for &comm in &self.comms {
            // SAFETY: the library looks handles up.
            unsafe { sys::ncclCommDestroy(comm) };
        }
    }
}

/// The address of a rank's buffer.
pub fn address<T>(buffer: &CudaSlice<T>) -> *mut c_void {
    std::ptr::without_provenance_mut(buffer.device_ptr(buffer.stream()).0 as usize)
}

/// The code that a call failed with.
#[track_caller]
pub fn code(result: Result<impl Sized, NcclError>) -> sys::ncclResult_t {
    match result {
        Ok(_) => sys::ncclResult_t::ncclSuccess,
        Err(NcclError(code)) => code,
    }
}

/// What the last call of this thread that failed has said.
pub fn last_error() -> String {
    // SAFETY: the text ends in NUL, and lives until another call fails.
    let text = unsafe { CStr::from_ptr(sys::ncclGetLastError(null_mut())) };
    text.to_string_lossy().into_owned()
}
