//! A GPU as a kernel sees it: one of its multiprocessors with what it holds, the cache and the memory that all
//! share, and how long a lone thread waits for each.

use svg::node::Node;
use svg::node::element::Group;

use crate::number::{rate, thousands};
use crate::shapes::{Frame, Picture, path, rectangle, text};

const WIDTH: f64 = 366.0;

/// Sizes and waiting times of a device.
#[derive(Clone, Debug)]
pub struct Machine {
    /// The device's name.
    pub name: String,
    /// Its multiprocessors, and their highest clock in GHz.
    pub multiprocessors: u32,
    /// That clock.
    pub gigahertz: f64,
    /// Schedulers of a multiprocessor.
    pub schedulers: u32,
    /// Warps that are resident on a multiprocessor at most.
    pub warps: u32,
    /// Registers of a multiprocessor, of 32 bits.
    pub registers: u32,
    /// Bytes of shared memory that a block has at most.
    pub shared_bytes: u64,
    /// Bytes of the L2.
    pub l2_bytes: u64,
    /// Bytes of memory.
    pub memory_bytes: u64,
    /// What the memory's clock and width would give, in GB/s.
    pub peak_gb_per_s: f64,
    /// The clocks that a lone thread waits for an addition and for a load from shared memory, L1, L2 and memory.
    pub clocks: [String; 5],
}

/// Draws the device.
pub fn draw(machine: &Machine) -> Picture {
    let mut drawing = Group::new();
    let many = machine.multiprocessors;
    // The multiprocessors behind the first.
    for offset in [8.0, 4.0] {
        drawing.append(rectangle(
            "cell back",
            [6.0 + offset, 24.0 - offset],
            [WIDTH - 20.0, 218.0],
        ));
    }
    drawing.append(rectangle("cell front", [6.0, 24.0], [WIDTH - 20.0, 218.0]));
    let title = format!("one of {many} multiprocessors, {:.2} GHz", machine.gigahertz);
    drawing.append(text("step", [WIDTH / 2.0, 42.0], title));
    let warps = format!("up to {} resident warps", machine.warps);
    drawing.append(text("", [WIDTH / 2.0, 60.0], warps));
    let pitch = (WIDTH - 40.0) / f64::from(machine.schedulers.max(1));
    for scheduler in 0..machine.schedulers {
        let x = 17.0 + pitch * f64::from(scheduler);
        drawing.append(rectangle("cell written", [x, 70.0], [pitch - 6.0, 26.0]));
        drawing.append(text("", [x + pitch / 2.0 - 3.0, 87.0], "scheduler"));
    }
    let registers = format!("{} registers of 32 bits", thousands(machine.registers.into()));
    let [addition, shared, l1, l2, memory] =
        machine.clocks.each_ref().map(|n| format!("{n} clocks"));
    labelled(&mut drawing, [17.0, 104.0], [WIDTH - 46.0, 48.0], &registers, &addition);
    let half = (WIDTH - 52.0) / 2.0;
    let block = format!("{} KiB per block", machine.shared_bytes >> 10);
    drawing.append(rectangle("cell", [17.0, 160.0], [half, 72.0]));
    let middle = 17.0 + half / 2.0;
    drawing.append(text("", [middle, 178.0], "shared memory"));
    drawing.append(text("", [middle, 196.0], block));
    drawing.append(text("clocks", [middle, 220.0], shared));
    drawing.append(rectangle("cell", [23.0 + half, 160.0], [half, 72.0]));
    let middle = 23.0 + half * 1.5;
    drawing.append(text("", [middle, 178.0], "L1 cache"));
    drawing.append(text("", [middle, 196.0], "in the same memory"));
    drawing.append(text("clocks", [middle, 220.0], l1));
    drawing.append(arrow(242.0));
    let cache = format!("L2 cache, {} MiB", machine.l2_bytes >> 20);
    labelled(&mut drawing, [6.0, 262.0], [WIDTH - 12.0, 50.0], &cache, &l2);
    drawing.append(arrow(312.0));
    let gib = machine.memory_bytes as f64 / f64::from(1 << 30);
    let global = format!("memory (DRAM), {gib:.0} GiB, {} GB/s", rate(machine.peak_gb_per_s));
    labelled(&mut drawing, [6.0, 332.0], [WIDTH - 12.0, 50.0], &global, &memory);
    Picture {
        title: format!("The parts of the {}.", machine.name),
        class: "machine",
        frames: vec![Frame { drawing, width: WIDTH, height: 386.0 }],
        said: in_words(machine),
        has_steps: false,
    }
}

/// A box with a line of text and, below it, the clocks that a thread waits.
fn labelled(drawing: &mut Group, [x, y]: [f64; 2], size: [f64; 2], label: &str, clocks: &str) {
    drawing.append(rectangle("cell", [x, y], size));
    drawing.append(text("", [x + size[0] / 2.0, y + 20.0], label));
    drawing.append(text("clocks", [x + size[0] / 2.0, y + 39.0], clocks));
}

/// Both ways between two boxes, the upper one of which ends at y.
fn arrow(y: f64) -> svg::node::element::Element {
    let (x, end) = (WIDTH / 2.0, y + 20.0);
    let head = |tip: f64, back: f64| format!("M{} {back}L{x} {tip}L{} {back}", x - 4.0, x + 4.0);
    let line = format!("M{x} {y}L{x} {end}");
    path("arrow", format!("{line}{}{}", head(y + 1.0, y + 6.0), head(end - 1.0, end - 6.0)))
}

fn in_words(machine: &Machine) -> Vec<String> {
    let [addition, shared, l1, l2, memory] = &machine.clocks;
    vec![
        format!(
            "The {} has {} multiprocessors with a clock of at most {:.2} GHz. Each has {} schedulers, room for {} \
             resident warps, and {} registers of 32 bits. An addition in registers takes {addition} clocks.",
            machine.name,
            machine.multiprocessors,
            machine.gigahertz,
            machine.schedulers,
            machine.warps,
            thousands(machine.registers.into()),
        ),
        format!(
            "Within the multiprocessor lie shared memory, up to {} KiB per block and {shared} clocks away, and the L1 \
             cache, the rest of the same memory, {l1} clocks away.",
            machine.shared_bytes >> 10
        ),
        format!(
            "All multiprocessors share the L2 cache, {} MiB and {l2} clocks away, and behind it the memory, {:.0} GiB and \
             {memory} clocks away, which moves at most {} GB/s.",
            machine.l2_bytes >> 20,
            machine.memory_bytes as f64 / f64::from(1 << 30),
            rate(machine.peak_gb_per_s)
        ),
    ]
}
