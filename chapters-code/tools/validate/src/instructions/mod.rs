//! One instruction at a time: kernels of PTX, each of which applies one instruction in its forms to
//! rows of operands, and what they give on a device, bit by bit.
//!
//! The kernels are `simt/tests/ptx/*.ptx`. Each reads a row of four 64-bit operands a thread and
//! writes a row of results; a *column* is one form of the instruction. [`case`] reads the layout
//! from the text, [`inputs`] makes the operands, [`run`] launches, [`recording`] keeps the results:
//! those of the first rows in full, and a hash of every chunk of rows. [`differences`] finds where
//! two devices disagree.

pub mod case;
pub mod differences;
pub mod inputs;
#[path = "../../../../simulator/simt/tests/alu/random.rs"]
mod random;
pub mod recording;
pub mod run;
