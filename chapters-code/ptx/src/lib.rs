//! PTX text to decoded kernels.

#![forbid(unsafe_code)]

pub mod ir;
