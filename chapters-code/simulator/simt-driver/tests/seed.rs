//! `SIMT_SEED` sets the order in which warps take turns: the test runs itself again, as a program that
//! tells that order.

use crate::common::{context, in_own_process, one_block};
use cudarc::driver::PushKernelArg;
use cudarc::nvrtc::Ptx;

/// Each warp draws a ticket, and writes its number at that place.
const ORDER: &str = ".version 8.0
.target sm_75
.address_size 64
.visible .entry order(.param .u64 out)
{
	.reg .pred %p<2>;
	.reg .b32 %r<6>;
	.reg .b64 %rd<4>;
	mov.u32 %r1, %tid.x;
	and.b32 %r2, %r1, 31;
	setp.ne.u32 %p1, %r2, 0;
	@%p1 ret;
	ld.param.u64 %rd1, [out];
	atom.global.add.u32 %r3, [%rd1], 1;
	shr.u32 %r4, %r1, 5;
	mul.wide.u32 %rd2, %r3, 4;
	add.s64 %rd3, %rd1, %rd2;
	st.global.u32 [%rd3+4], %r4;
	ret;
}
";

#[test]
#[ignore = "run by the other test"]
fn program() {
    let context = context();
    let module = context.load_module(Ptx::from_src(ORDER)).unwrap();
    let order = module.load_function("order").unwrap();
    let stream = context.default_stream();
    let mut out = stream.alloc_zeros::<u32>(33).unwrap();
    let mut launch = stream.launch_builder(&order);
    // SAFETY: (u32* out): a counter and a place for each of 32 warps.
    unsafe { launch.arg(&mut out).launch(one_block(1024)) }.unwrap();
    println!("order: {:?}", &stream.clone_dtoh(&out).unwrap()[1..]);
}

/// In which order the warps had their turn.
fn order(seed: Option<&str>) -> String {
    let seed = seed.map(|seed| ("SIMT_SEED", seed));
    let output = in_own_process("seed::program", seed.as_slice());
    let said = String::from_utf8(output.stdout).unwrap();
    let order = said.lines().find(|line| line.contains("order: "));
    order.expect("it says so").to_owned()
}

#[test]
fn a_seed_is_an_order() {
    let in_order = order(None);
    assert!(in_order.contains("[0, 1, 2, 3,"), "{in_order}");
    assert_eq!(order(Some("0")), in_order);
    let shuffled = order(Some("7"));
    assert_ne!(shuffled, in_order);
    assert_eq!(order(Some("7")), shuffled);
    assert_ne!(order(Some("8")), shuffled);
}
