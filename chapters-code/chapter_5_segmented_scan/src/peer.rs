//! The same by a peer library.

use harness::{
    Element, Error,
    peers::{PeerRun, Peers},
};

use crate::chapter::Divided;

/// The peer's segmented scan or reduction of a case's input, run once and verified; none where the peer
/// lacks it.
pub(crate) fn segmented<'a, T: Element>(
    _of: &'a Divided<T>,
    _peers: &'a Peers,
) -> Result<Option<PeerRun<'a>>, Error> {
    Ok(None)
}
