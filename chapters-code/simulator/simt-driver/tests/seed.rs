//! `SIMT_SEED` sets the order in which blocks start and warps take turns: the tests run programs of this file again,
//! which print that order.

use crate::common::{self, context, in_own_process, launch, load, one_block};

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

/// Each block draws a ticket and writes its number at that place. In `chain` a block waits before that for
/// the block before it.
const BLOCKS: &str = ".version 8.0
.target sm_75
.address_size 64
.visible .entry tickets(.param .u64 out)
{
	.reg .b32 %r<4>;
	.reg .b64 %rd<4>;
	mov.u32 %r1, %ctaid.x;
	ld.param.u64 %rd1, [out];
	atom.global.add.u32 %r2, [%rd1], 1;
	mul.wide.u32 %rd2, %r2, 4;
	add.s64 %rd3, %rd1, %rd2;
	st.global.u32 [%rd3+4], %r1;
	ret;
}
.visible .entry chain(.param .u64 out)
{
	.reg .pred %p<2>;
	.reg .b32 %r<4>;
	.reg .b64 %rd<4>;
	mov.u32 %r1, %ctaid.x;
	ld.param.u64 %rd1, [out];
	mul.wide.u32 %rd2, %r1, 4;
	add.s64 %rd3, %rd1, %rd2;
	setp.eq.u32 %p1, %r1, 0;
	@%p1 bra done;
again:
	ld.volatile.global.u32 %r2, [%rd3+-4];
	setp.eq.u32 %p1, %r2, 0;
	@%p1 bra again;
done:
	mov.u32 %r3, 1;
	st.volatile.global.u32 [%rd3], %r3;
	ret;
}
";

#[test]
#[ignore = "run by other tests"]
fn blocks() {
    let context = context();
    let stream = context.default_stream();
    let run = |kernel: &str| {
        // A counter and a place for each of 16 blocks.
        let mut out = stream.alloc_zeros::<u32>(17)?;
        let kernel = load(&context, BLOCKS, kernel);
        launch!(stream, kernel, common::blocks(16, 1), &mut out)?;
        stream.clone_dtoh(&out)
    };
    println!("order: {:?}", &run("tickets").unwrap()[1..]);
    println!("chain: {:?}", run("chain").map(|_| ()));
}

/// What the program says of the order of its blocks, and of the chain.
fn blocks_with(variables: &[(&str, &str)]) -> [String; 2] {
    let said = in_own_process("seed::blocks", variables);
    let said = String::from_utf8(said.stdout).unwrap();
    ["order: ", "chain: "].map(|begin| {
        let mut lines = said.lines().filter_map(|line| Some(line.split_once(begin)?.1));
        lines.next().expect("it says so").to_owned()
    })
}

#[test]
fn a_seed_is_an_order_of_blocks() {
    let one = ("SIMT_RESIDENT_BLOCKS", "1");
    let (threads, in_order) = (("SIMT_THREADS", "1"), format!("{:?}", Vec::from_iter(0..16)));
    assert_eq!(blocks_with(&[one, threads]), [&*in_order, "Ok(())"]);
    let [order, chain] = blocks_with(&[one, threads, ("SIMT_SEED", "7")]);
    assert!(order.ends_with(" 0]") && order != in_order, "{order}");
    assert!(chain.contains("LAUNCH_TIMEOUT"), "{chain}");
    assert_eq!(blocks_with(&[one, threads, ("SIMT_SEED", "7")])[0], order);
    assert_ne!(blocks_with(&[one, threads, ("SIMT_SEED", "8")])[0], order);
    // All of them are resident.
    assert_eq!(blocks_with(&[threads, ("SIMT_SEED", "7")])[1], "Ok(())");
}

#[test]
#[ignore = "run by the other test"]
fn program() {
    let context = context();
    let (order, stream) = (load(&context, ORDER, "order"), context.default_stream());
    // A counter and a place for each of 32 warps.
    let mut out = stream.alloc_zeros::<u32>(33).unwrap();
    launch!(stream, order, one_block(1024), &mut out).unwrap();
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
