//! Recordings: a process of its own, as they are of the whole library.

use std::ffi::c_char;

use crate::common::{self, LIBRARY, context_in_own_process, kernel, launch, one_block};
use cudarc::driver::LaunchConfig;
use simt_report::{Bytes, RecordedOperation, Recording};

fn take() -> Recording {
    type Take = unsafe extern "C" fn(*mut c_char, usize) -> usize;
    // SAFETY: the function has this type, and each buffer its length.
    let take = |buffer: &mut [u8]| unsafe {
        let take = LIBRARY.get::<Take>("simtTakeRecording").unwrap();
        take(buffer.as_mut_ptr().cast(), buffer.len())
    };
    let mut buffer = vec![0; take(&mut [])];
    assert_eq!(take(&mut buffer), buffer.len());
    serde_json::from_slice(&buffer).unwrap()
}

#[test]
fn what_runs_is_recorded() {
    let Some(context) = context_in_own_process("recording::what_runs_is_recorded", &[]) else {
        return;
    };
    let stream = context.default_stream();
    let add = kernel(&context, "add");
    let bytes = |values: &[f32]| Bytes(values.iter().flat_map(|v| v.to_le_bytes()).collect());
    let a: Vec<f32> = (0..32).map(|i| i as f32).collect();
    let input = stream.clone_htod(&a).unwrap();
    let mut sum = stream.clone_htod(&[7.0f32; 32]).unwrap();
    assert_eq!(take(), Recording::default(), "nothing is recorded unasked");

    assert_eq!(common::set_option(&LIBRARY, "record", 1), 0);
    assert_ne!(common::set_option(&LIBRARY, "record", 2), 0);
    let config = LaunchConfig { shared_mem_bytes: 16, ..one_block(32) };
    launch!(stream, add, config, &mut sum, &input, &input, &32u32).unwrap();
    let read = stream.clone_dtoh(&sum).unwrap();
    let mut copy = stream.alloc_zeros::<f32>(32).unwrap();
    stream.memcpy_dtod(&sum, &mut copy).unwrap();
    stream.memcpy_htod(&[1.0f32], &mut copy.slice_mut(..1)).unwrap();

    let Recording { modules, allocations, operations } = take();
    assert!(modules.len() == 1 && modules[0].contains("add"));
    let contents: Vec<&Bytes> = allocations.iter().map(|one| &one.content).collect();
    let doubled: Vec<f32> = a.iter().map(|x| x + x).collect();
    assert_eq!(read, doubled);
    // As they were when they were first named; the copy's is filled before anything else happens to it.
    assert_eq!(contents[..2], [&bytes(&[7.0; 32]), &bytes(&a)]);
    let [to, from, fresh] = [0, 1, 2].map(|index| allocations[index].address);
    let [launch, rest @ ..] = &operations[..] else { panic!("no operation") };
    let RecordedOperation::Launch { module, kernel, grid, block, parameters, .. } = launch else {
        panic!("{launch:?} is no launch");
    };
    assert_eq!((*module, &**kernel, *grid, *block), (0, "add", [1, 1, 1], [32, 1, 1]));
    let words: Vec<u64> =
        parameters.0.chunks_exact(8).map(|w| u64::from_le_bytes(w.try_into().unwrap())).collect();
    assert_eq!(words, [to, from, from]);
    assert_eq!(
        rest,
        [
            RecordedOperation::Read { address: to, content: bytes(&doubled) },
            RecordedOperation::Fill { address: fresh, pattern: Bytes(vec![0]), count: 128 },
            RecordedOperation::Copy { to: fresh, from: to, bytes: 128 },
            RecordedOperation::Write { address: fresh, content: bytes(&[1.0]) },
        ]
    );
    assert_eq!(take(), Recording::default(), "a recording that was taken is over");
}
