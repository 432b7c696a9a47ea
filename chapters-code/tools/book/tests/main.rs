//! The tests of what builds the book, in one program, so that they are linked once.

mod asks;
mod check;
mod constructs;
mod counts;
mod edit;
mod figures;
mod labs;
mod launches;
mod listings;
mod measured;
mod places;
mod reading;
mod recorded;
mod serve;
mod site;
mod verdicts;
mod whole_book;
