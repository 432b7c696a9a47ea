//! The directive of a tree: which tree a run holds, and how much of it is drawn.

use figures::{Picture, tree::Storage};
use harness::simulator::Event;
use lab::fold::Fold;
use lab::tree::{in_registers, in_shared};
use report::trace::Traced;

use super::arguments::Arguments;

/// Which tree is drawn, and how much of it.
pub(super) struct Wanted {
    of: Option<String>,
    places: Option<usize>,
    buffers: Option<usize>,
}

impl Wanted {
    /// The whole tree in shared memory.
    pub(super) fn in_shared() -> Self {
        Self { of: None, places: None, buffers: None }
    }

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
    let dtype = traced.case.dtype.accumulator();
    let fold = Fold { op: traced.case.op.name(), dtype: dtype.name() };
    let (grown, storage) = match wanted.of.as_deref().unwrap_or("shared") {
        "shared" => (in_shared(events, fold)?, Storage::Shared),
        "registers" => (in_registers(events, warp, fold)?, Storage::Registers),
        other => return Err(format!("of={other}: a tree is of shared or of registers")),
    };
    let tree = match wanted.buffers {
        Some(buffers) => grown.tree.laid_over(buffers)?,
        None => grown.tree,
    };
    let tree = match wanted.places {
        Some(places) => tree.of_first(places)?,
        None => tree,
    };
    let format = |bits| fold.text(bits);
    Ok(figures::tree::draw(&tree, storage, traced.rung.name, &format))
}
