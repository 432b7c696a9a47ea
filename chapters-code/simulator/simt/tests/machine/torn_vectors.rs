//! Vector accesses whose elements are accesses of their own, as in PTX.

use simt::{BarrierOrder, Options, WeakMemory};

use super::run::{ok, run_with};

const VECTOR: [&str; 2] = [
    "st.relaxed.gpu.global.v2.u32 [%rd1], {%r2, %r3}",
    "ld.relaxed.gpu.global.v2.u32 {%r2, %r3}, [%rd1]",
];
const WORD: [&str; 2] = [
    "st.relaxed.gpu.global.u64 [%rd1], %rd4",
    "ld.relaxed.gpu.global.u64 %rd5, [%rd1]; mov.b64 {%r2, %r3}, %rd5",
];

/// Runs a kernel in which block 0 sets two neighboring words and block 1 reads both with one instruction. Returns whether
/// block 1 finds only one of them set, with any of 64 seeds.
fn is_torn([store, load]: [&str; 2], torn_vectors: bool) -> bool {
    let body = format!(
        "mov.u32 %r4, %ctaid.x; mov.u64 %rd4, 0x100000001; mov.b64 {{%r2, %r3}}, %rd4;
         setp.ne.u32 %p1, %r4, 0; @%p1 bra READ;
         {store}; ret;
         READ: {load}; st.global.v2.u32 [%rd1+128], {{%r2, %r3}}; ret;"
    );
    (1..=64).any(|seed| {
        let weak = WeakMemory { seed, barriers: BarrierOrder::AsInPtx, ..WeakMemory::default() };
        let options = Options::default().with(|options| {
            options.weak_memory = Some(weak);
            options.torn_vectors = torn_vectors;
        });
        let run = run_with(&body, 2, 1, &options);
        ok(&run);
        run.out[32] != run.out[33]
    })
}

#[test]
fn only_the_elements_of_a_vector_come_apart() {
    assert!(is_torn(VECTOR, true));
    assert!(!is_torn(VECTOR, false));
    assert!(!is_torn(WORD, true));
}
