//! Whether a result is right: how far it may be off, and what differs.

pub mod bound;
pub mod verify;
