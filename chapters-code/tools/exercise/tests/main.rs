//! The tests of the exercises, in one program, so that they are linked once.

mod bad_input;
mod book;
mod common;
mod corpus;
mod export;
mod grade;
mod hostile;
mod student;
mod suite;
mod wrong;
