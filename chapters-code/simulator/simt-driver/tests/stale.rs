//! With `SIMT_WEAK_MEMORY` plain loads that may miss a store are said on standard error: the tests run a program of
//! this file again, which knows nothing of the simulator.

use crate::common::{blocks, context, in_own_process, launch, load};

/// Each block writes a word and counts. The last block meets at a barrier, and its second thread adds the words.
/// Fences stand for FLAG before the flag, and for READ after it.
const LAST_BLOCK: &str = ".version 8.0
.target sm_75
.address_size 64
.visible .entry last_block(.param .u64 words, .param .u64 out)
{
	.reg .pred %p<4>;
	.reg .b32 %r<9>;
	.reg .b64 %rd<8>;
	.shared .align 4 .b8 last[4];
	mov.u32 %r1, %ctaid.x;
	mov.u32 %r2, %tid.x;
	mov.u32 %r3, %nctaid.x;
	ld.param.u64 %rd1, [words];
	ld.param.u64 %rd2, [out];
	setp.ne.u32 %p1, %r2, 0;
	@%p1 bra meet;
	mul.wide.u32 %rd3, %r1, 4;
	add.s64 %rd4, %rd1, %rd3;
	add.u32 %r4, %r1, 1;
	st.global.u32 [%rd4+4], %r4;
	FLAG
	atom.global.add.u32 %r5, [%rd1], 1;
	READ
	st.shared.u32 [last], %r5;
meet:
	bar.sync 0;
	ld.shared.u32 %r5, [last];
	add.u32 %r5, %r5, 1;
	setp.ne.u32 %p2, %r5, %r3;
	@%p2 ret;
	setp.ne.u32 %p3, %r2, 32;
	@%p3 ret;
	mov.u32 %r6, 0;
	mov.u32 %r8, 0;
add:
	mul.wide.u32 %rd5, %r6, 4;
	add.s64 %rd6, %rd1, %rd5;
	ld.global.u32 %r7, [%rd6+4];
	add.u32 %r8, %r8, %r7;
	add.u32 %r6, %r6, 1;
	setp.lt.u32 %p3, %r6, %r3;
	@%p3 bra add;
	st.global.u32 [%rd2], %r8;
	ret;
}
";

const FENCE: &str = "fence.acq_rel.gpu;";

#[test]
#[ignore = "run by other tests"]
fn program() {
    let has_fence = |name| if std::env::var_os(name).is_some() { "" } else { FENCE };
    let ptx =
        LAST_BLOCK.replace("FLAG", has_fence("NO_FLAG")).replace("READ", has_fence("NO_READ"));
    let context = context();
    let (kernel, stream) = (load(&context, &ptx, "last_block"), context.default_stream());
    // A counter and a word for each of 8 blocks, and the sum.
    let mut words = stream.alloc_zeros::<u32>(9).unwrap();
    let mut out = stream.alloc_zeros::<u32>(1).unwrap();
    launch!(stream, kernel, blocks(8, 64), &mut words, &mut out).unwrap();
    println!("sum: {}", stream.clone_dtoh(&out).unwrap()[0]);
}

/// Whether the sum is right, and what is said on standard error.
fn run(variables: &[(&str, &str)]) -> (bool, String) {
    let output = in_own_process("stale::program", variables);
    let [printed, said] =
        [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    assert!(output.status.success(), "{said}");
    (printed.contains("sum: 36"), said)
}

#[test]
fn a_missing_fence_of_the_writer_is_named() {
    for seed in ["1", "2", "3"] {
        let (_, said) = run(&[("SIMT_WEAK_MEMORY", seed), ("NO_FLAG", "")]);
        let names = |word: &str| said.contains(word);
        assert!(
            names("stale read in kernel `last_block`") && names("may miss the write"),
            "{said}"
        );
        assert!(names("missing is a flag") || names("missing is a __threadfence()"), "{said}");
        assert!(!names("PTX does not promise"), "{said}");
    }
}

#[test]
fn a_missing_fence_of_the_reader_is_noted() {
    let weak = |seed| [("SIMT_WEAK_MEMORY", seed), ("NO_READ", "")];
    for seed in ["1", "2", "3"] {
        let (is_right, said) = run(&weak(seed));
        assert!(is_right && said.contains("PTX does not promise that"), "{said}");
        assert!(
            said.contains("missing is a __threadfence() between the flag and the read"),
            "{said}"
        );
    }
    let in_ptx = |seed| run(&[&weak(seed)[..], &[("SIMT_PTX_BARRIERS", "1")]].concat());
    assert!(["1", "2", "3", "4", "5", "6"].into_iter().any(|seed| !in_ptx(seed).0));
}

#[test]
fn nothing_is_said_where_all_fences_are() {
    for variables in [&[][..], &[("SIMT_PTX_BARRIERS", "1")], &[("SIMT_RACES", "1")]] {
        for seed in ["1", "2", "3", "4"] {
            let (is_right, said) = run(&[variables, &[("SIMT_WEAK_MEMORY", seed)]].concat());
            assert!(is_right && said.is_empty(), "{said}");
        }
    }
}
