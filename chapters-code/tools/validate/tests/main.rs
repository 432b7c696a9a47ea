//! The tests of the simulator against recordings of a GPU, in one program, so that they are linked once.

mod counters;
mod instructions;
mod kernels;
mod outside;
mod pages;
mod registers;
mod sanitizer;
mod weak;
