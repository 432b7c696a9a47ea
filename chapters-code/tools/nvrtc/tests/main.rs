//! The tests of the compiler's fetch, in one program, so that they are linked once.

mod wheels;
