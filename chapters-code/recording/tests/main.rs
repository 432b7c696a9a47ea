//! The tests of the schema, in one program.

mod files;
