//! The elements of a vector access, which PTX takes for accesses of their own.

use simt::{BarrierOrder, Launch, LoadedModule, Memory, Options, WeakMemory};

/// Block 0 sets two neighbouring words, and block 1 reads them with one instruction and notes both.
fn kernel([store, load]: [&str; 2]) -> String {
    format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n\
         .visible .entry k(.param .u64 p0)\n{{\n\
         .reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %rd<8>;\n\
         ld.param.u64 %rd1, [p0]; mov.u32 %r1, %ctaid.x; mov.u64 %rd2, 0x100000001;\n\
         mov.b64 {{%r2, %r3}}, %rd2; setp.ne.u32 %p1, %r1, 0; @%p1 bra READ;\n\
         {store}; ret;\n\
         READ: {load}; st.global.v2.u32 [%rd1+128], {{%r2, %r3}}; ret;\n}}\n"
    )
}

const VECTOR: [&str; 2] = [
    "st.relaxed.gpu.global.v2.u32 [%rd1], {%r2, %r3}",
    "ld.relaxed.gpu.global.v2.u32 {%r2, %r3}, [%rd1]",
];
const WORD: [&str; 2] = [
    "st.relaxed.gpu.global.u64 [%rd1], %rd2",
    "ld.relaxed.gpu.global.u64 %rd3, [%rd1]; mov.b64 {%r2, %r3}, %rd3",
];

/// Whether, with some of 64 seeds, only one of the words is new.
fn is_torn(accesses: [&str; 2], torn_vectors: bool) -> bool {
    (1..=64).any(|seed| {
        let memory = Memory::new(1 << 24);
        let module = ptx::parse(&kernel(accesses)).unwrap_or_else(|e| panic!("{e}"));
        let module = LoadedModule::load(module, &memory).expect("there is room");
        let loaded = module.kernel("k").expect("it is called k");
        let words = memory.allocate(256).expect("there is room");
        memory.fill(words, &[0], 256).expect("it is mapped");
        let launch = Launch {
            kernel: &loaded,
            grid: [2, 1, 1],
            block: [1, 1, 1],
            cluster: None,
            dynamic_shared: 0,
            params: &words.to_le_bytes(),
        };
        let weak = WeakMemory { seed, barriers: BarrierOrder::AsInPtx, ..WeakMemory::default() };
        let options = Options { weak_memory: Some(weak), torn_vectors, ..Options::default() };
        let report = simt::launch(&memory, &launch, &options);
        assert!(report.fault.is_none(), "{:?}", report.fault);
        let mut noted = [0; 8];
        memory.read(words + 128, &mut noted).expect("it is mapped");
        noted[..4] != noted[4..]
    })
}

#[test]
fn only_the_elements_of_a_vector_come_apart() {
    assert!(is_torn(VECTOR, true));
    assert!(!is_torn(VECTOR, false));
    assert!(!is_torn(WORD, true));
}
