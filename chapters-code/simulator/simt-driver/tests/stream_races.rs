//! Races between operations of streams: a process of its own, as the race check is an option of the whole library.
//! Each case stands beside one that differs only in what orders the operations.

use std::ffi::{CString, c_void};
use std::ptr::null_mut;

use crate::common::{LIBRARY, context_in_own_process, set_option};
use crate::report::report;
use cudarc::driver::result;
use cudarc::driver::sys::{self, CUevent, CUfunction, CUresult, CUstream};

/// `fill` writes a number into 32 words, `look` reads them by the read-only path, `bytes` writes bytes. `raise` writes a
/// word behind the flag that it raises, and `see` does so behind reading the flag.
const PTX: &str = ".version 8.0
.target sm_75
.address_size 64
.visible .entry fill(.param .u64 to)
{
	.reg .b64 %rd<4>;
	.reg .b32 %r<2>;
	ld.param.u64 %rd1, [to];
	mov.u32 %r1, %tid.x;
	mul.wide.u32 %rd2, %r1, 4;
	add.s64 %rd3, %rd1, %rd2;
	st.global.u32 [%rd3], %r1;
	ret;
}
.visible .entry look(.param .u64 from)
{
	.reg .b64 %rd<4>;
	.reg .b32 %r<3>;
	ld.param.u64 %rd1, [from];
	mov.u32 %r1, %tid.x;
	mul.wide.u32 %rd2, %r1, 4;
	add.s64 %rd3, %rd1, %rd2;
	ld.global.nc.u32 %r2, [%rd3];
	ret;
}
.visible .entry bytes(.param .u64 to)
{
	.reg .b64 %rd<4>;
	.reg .b32 %r<2>;
	ld.param.u64 %rd1, [to];
	mov.u32 %r1, %tid.x;
	cvt.u64.u32 %rd2, %r1;
	add.s64 %rd3, %rd1, %rd2;
	st.global.u8 [%rd3], %r1;
	ret;
}
.visible .entry raise(.param .u64 to)
{
	.reg .b64 %rd<2>;
	ld.param.u64 %rd1, [to];
	membar.gl;
	st.volatile.global.u32 [%rd1+64], 1;
	st.global.u32 [%rd1], 2;
	ret;
}
.visible .entry see(.param .u64 to)
{
	.reg .b64 %rd<2>;
	.reg .b32 %r<2>;
	ld.param.u64 %rd1, [to];
	ld.volatile.global.u32 %r1, [%rd1+64];
	st.global.u32 [%rd1], 3;
	ret;
}
";

/// Words of each array.
const WORDS: usize = 32;
const NON_BLOCKING: u32 = 1;

/// Two streams, two arrays, an event and the kernels.
struct Case {
    streams: [CUstream; 2],
    arrays: [u64; 2],
    event: CUevent,
    fill: CUfunction,
    look: CUfunction,
    bytes: CUfunction,
    raise: CUfunction,
    see: CUfunction,
}

fn ok(code: CUresult) {
    assert_eq!(code, CUresult::CUDA_SUCCESS);
}

impl Case {
    fn new(flags: u32) -> Self {
        let text = CString::new(PTX).unwrap();
        let (mut streams, mut arrays, mut event) = ([null_mut(); 2], [0; 2], null_mut());
        // SAFETY: all pointers are valid for what the functions write, and the text ends in NUL.
        unsafe {
            streams.iter_mut().for_each(|stream| ok(sys::cuStreamCreate(stream, flags)));
            arrays.iter_mut().for_each(|array| ok(sys::cuMemAlloc_v2(array, 4 * WORDS)));
            ok(sys::cuEventCreate(&mut event, 2));
            let module = result::module::load_data(text.as_ptr().cast()).unwrap();
            let function = |name| result::module::get_function(module, name).unwrap();
            let [fill, look, bytes, raise, see] = [c"fill", c"look", c"bytes", c"raise", c"see"]
                .map(|name| function(name.to_owned()));
            let case = Self { streams, arrays, event, fill, look, bytes, raise, see };
            case.host_copies(0);
            case.host_copies(1);
            case
        }
    }

    /// Copies from the host, whose call returns when that is done.
    fn host_copies(&self, array: usize) {
        let zeros = [0u32; WORDS];
        // SAFETY: the array and the host's have as many bytes.
        ok(unsafe { sys::cuMemcpyHtoD_v2(self.arrays[array], zeros.as_ptr().cast(), 4 * WORDS) });
    }

    fn launch(&self, function: CUfunction, stream: usize) {
        let (mut array, stream) = (self.arrays[0], self.streams[stream]);
        let mut arguments = [(&raw mut array).cast::<c_void>()];
        // SAFETY: the kernel has this argument, and the array 32 words.
        ok(unsafe {
            let arguments = arguments.as_mut_ptr();
            sys::cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, stream, arguments, null_mut())
        });
    }

    fn fill(&self, stream: usize) {
        self.launch(self.fill, stream);
    }

    fn look(&self, stream: usize) {
        self.launch(self.look, stream);
    }

    /// Sets the words from `first` on.
    fn set(&self, first: usize, words: usize, stream: CUstream) {
        let at = self.arrays[0] + 4 * first as u64;
        // SAFETY: the array has these words.
        ok(unsafe { sys::cuMemsetD32Async(at, 7, words, stream) });
    }

    /// Copies the first array to the second.
    fn copy(&self, stream: usize) {
        let [from, to] = self.arrays;
        // SAFETY: both arrays have as many bytes.
        ok(unsafe { sys::cuMemcpyDtoDAsync_v2(to, from, 4 * WORDS, self.streams[stream]) });
    }

    fn record(&self, stream: usize) {
        // SAFETY: both are handles.
        ok(unsafe { sys::cuEventRecord(self.event, self.streams[stream]) });
    }

    fn wait(&self, stream: usize) {
        // SAFETY: both are handles.
        ok(unsafe { sys::cuStreamWaitEvent(self.streams[stream], self.event, 0) });
    }

    /// The messages of the races since the last time.
    fn races(&self) -> Vec<String> {
        // SAFETY: nothing is passed.
        ok(unsafe { sys::cuCtxSynchronize() });
        let races = report()["races"].take();
        let messages = races.as_array().into_iter().flatten();
        messages.map(|race| race["message"].as_str().unwrap().to_owned()).collect()
    }

    #[track_caller]
    fn is_clean(&self) {
        assert_eq!(self.races(), [] as [String; 0]);
    }

    #[track_caller]
    fn is_race(&self, of: [&str; 2]) {
        let races = self.races();
        assert_eq!(races.len(), 1, "{races:?}");
        assert!(of.iter().all(|part| races[0].contains(part)), "{of:?}: {races:?}");
    }
}

#[test]
fn streams_race() {
    let Some(_context) = context_in_own_process("stream_races::streams_race", &[]) else { return };
    assert_eq!(set_option(&LIBRARY, "races", 1), 0);
    let case = Case::new(NON_BLOCKING);
    let [first, second] = case.streams;
    let kernel = "write by kernel `fill`, block (0,0,0), warp 0, lane 0 at";
    let set = "write by a fill of 128 bytes";

    // Two operations of two streams, then with an event in between that comes after the first one, or before it.
    case.fill(0);
    case.set(0, WORDS, second);
    case.is_race([kernel, set]);
    case.set(0, WORDS, first);
    case.fill(1);
    case.is_race([set, kernel]);
    case.set(0, WORDS, first);
    case.record(0);
    case.wait(1);
    case.fill(1);
    case.is_clean();
    case.record(0);
    case.set(0, WORDS, first);
    case.wait(1);
    case.fill(1);
    case.is_race([set, kernel]);
    case.fill(0);
    case.fill(1);
    case.is_race([kernel, kernel]);
    case.copy(0);
    case.set(31, 1, second);
    case.is_race(["byte 124 of", "read by a copy of 128 bytes"]);

    // The read-only path, and reads on both sides.
    case.look(0);
    case.set(5, 1, second);
    case.is_race(["read by kernel `look`, block (0,0,0), warp 0, lane 5 at", "a fill of 4 bytes"]);
    case.look(0);
    case.copy(1);
    case.is_clean();
    case.set(0, 16, first);
    case.set(16, 16, second);
    case.is_clean();

    // What the host waits for.
    case.set(0, WORDS, first);
    // SAFETY: it is a handle.
    ok(unsafe { sys::cuStreamSynchronize(first) });
    case.fill(1);
    case.is_clean();
    case.host_copies(0);
    case.fill(1);
    case.is_clean();

    // The legacy stream waits for blocking streams, and not for others. `cuMemsetD32` returns before it is done.
    let set_in_legacy = |case: &Case| {
        // SAFETY: the array has these words.
        ok(unsafe { sys::cuMemsetD32_v2(case.arrays[0], 7, WORDS) });
    };
    set_in_legacy(&case);
    case.fill(0);
    case.is_race([set, "in the default stream"]);
    let blocking = Case::new(0);
    set_in_legacy(&blocking);
    blocking.fill(0);
    set_in_legacy(&blocking);
    blocking.fill(1);
    blocking.is_clean();
    blocking.fill(0);
    blocking.fill(1);
    blocking.is_race([kernel, kernel]);
    graphs(&case);
    misses(&case);
}

/// What the page on the simulator says is missed, each beside a case that is not.
fn misses(case: &Case) {
    let [_, second] = case.streams;
    let set_byte = |offset| {
        // SAFETY: the array has this byte.
        ok(unsafe { sys::cuMemsetD8Async(case.arrays[0] + offset, 7, 1, second) });
    };
    // Of the threads that write the bytes of a word, the last one is known.
    case.launch(case.bytes, 0);
    set_byte(3);
    case.is_race([
        "write by kernel `bytes`, block (0,0,0), warp 0, lane 3 at",
        "a fill of 1 bytes",
    ]);
    case.launch(case.bytes, 0);
    set_byte(2);
    case.is_clean();
    // The kernel that sees a flag counts as one that follows all of the other.
    case.launch(case.see, 0);
    case.launch(case.raise, 1);
    assert_eq!(case.races().len(), 1);
    case.launch(case.raise, 0);
    case.launch(case.see, 1);
    case.is_clean();
}

/// A graph with a branch that nothing orders, and one whose branches follow each other.
fn graphs(case: &Case) {
    for is_ordered in [false, true] {
        let (mut graph, mut exec, mut nodes) = (null_mut(), null_mut(), [null_mut(); 2]);
        let params = sys::CUDA_MEMSET_NODE_PARAMS {
            dst: case.arrays[0],
            pitch: 0,
            value: 7,
            elementSize: 4,
            width: WORDS,
            height: 1,
        };
        let context = result::ctx::get_current().unwrap().unwrap();
        // SAFETY: all pointers are valid for what the functions read and write, and the array has the words.
        unsafe {
            ok(sys::cuGraphCreate(&mut graph, 0));
            for index in 0..2 {
                let before = if is_ordered { index } else { 0 };
                let [first, node] = &mut nodes;
                let (node, first) = if index == 0 { (first, null_mut()) } else { (node, *first) };
                ok(sys::cuGraphAddMemsetNode(node, graph, &first, before, &params, context));
            }
            ok(sys::cuGraphInstantiateWithFlags(&mut exec, graph, 0));
            // Launches of one stream follow each other.
            ok(sys::cuGraphLaunch(exec, case.streams[0]));
            ok(sys::cuGraphLaunch(exec, case.streams[0]));
        }
        let races = case.races();
        assert_eq!(races.len(), if is_ordered { 0 } else { 2 }, "{races:?}");
        assert!(races.iter().all(|race| race.contains("a graph in stream")), "{races:?}");
    }
}
