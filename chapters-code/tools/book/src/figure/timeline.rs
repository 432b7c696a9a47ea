//! The active lanes of a block's warps, read off a trace.

use figures::timeline::Band;
use harness::simulator::{Event, InstructionClass};

/// The instructions of each warp.
pub(super) fn bands(events: &[&Event]) -> Vec<Band> {
    let mut bands: Vec<Band> = Vec::new();
    for event in events {
        let Event::Instruction { place, class, active } = event else {
            continue;
        };
        let warp = place.warp as usize;
        if bands.len() <= warp {
            bands.resize(warp + 1, Band::default());
        }
        let band = &mut bands[warp];
        if *class == InstructionClass::Barrier {
            band.barriers.push(band.active.len());
        }
        band.active.push(*active);
    }
    bands
}
