//! The tests of the driver, in one program, so that they are linked once.

mod bad_input;
mod capture;
mod clusters;
mod common;
mod device;
mod faults;
mod forked;
mod graph_nodes;
mod graphs;
mod grid_sync;
mod h200;
mod host_memory;
mod launch;
mod memory;
mod module;
mod outside_clients;
mod races;
mod registers;
mod report;
mod seed;
mod streams;
mod symbols;
mod threads;
mod toolchains;
mod two_devices;
mod without_a_gpu;
