//! The directive of a tree: which tree a run holds, and how much of it is drawn.

use figures::{Picture, tree::Storage};
use harness::simulator::Event;
use report::trace::Traced;

use super::arguments::Arguments;
use super::tree::{in_registers, in_shared};
use super::value;

/// Which tree is drawn, and how much of it.
pub(super) struct Wanted {
    of: Option<String>,
    places: Option<usize>,
    buffers: Option<usize>,
}

impl Wanted {
    /// Takes the keys `of`, `places` and `buffers`.
    pub(super) fn take(arguments: &mut Arguments) -> Result<Self, String> {
        Ok(Self {
            of: arguments.take("of"),
            places: arguments.number("places")?,
            buffers: arguments.number("buffers")?,
        })
    }
}

/// The tree of a block's shared memory, or of a warp's registers.
pub(super) fn draw(
    events: &[&Event],
    traced: &Traced,
    warp: u32,
    wanted: &Wanted,
) -> Result<Picture, String> {
    let (op, dtype) = (traced.case.op, traced.case.dtype.accumulator());
    let (tree, storage) = match wanted.of.as_deref().unwrap_or("shared") {
        "shared" => (in_shared(events, op, dtype)?, Storage::Shared),
        "registers" => (in_registers(events, warp, op, dtype)?, Storage::Registers),
        other => return Err(format!("of={other}: a tree is of shared or of registers")),
    };
    let tree = match wanted.buffers {
        Some(buffers) => tree.laid_over(buffers)?,
        None => tree,
    };
    let tree = match wanted.places {
        Some(places) => tree.of_first(places)?,
        None => tree,
    };
    let format = |bits| value::text(dtype, bits);
    Ok(figures::tree::draw(&tree, storage, traced.rung.name, &format))
}
