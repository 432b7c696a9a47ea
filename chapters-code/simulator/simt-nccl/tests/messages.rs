//! Sends and receives.

use cudarc::nccl::result::NcclError;

use crate::common::{check_report, comms, device, download, element, in_group, inputs, outputs};

/// Every rank sends to its right neighbour. The sizes are around a slot.
#[test]
fn rings() {
    let (_one, device) = device();
    for ranks in 2..=8 {
        let comms = comms(ranks);
        for count in [1, 7, 4095, 4096, 4097, 10_000] {
            let (sends, mut receives) =
                (inputs::<u64>(&comms, count), outputs::<u64>(&comms, count));
            in_group(&comms, |comm| {
                let rank = comm.rank();
                comm.send(&sends[rank], ((rank + 1) % ranks) as i32)?;
                comm.recv(&mut receives[rank], ((rank + ranks - 1) % ranks) as i32)
            });
            for (comm, receive) in comms.iter().zip(&receives) {
                let left = (comm.rank() + ranks - 1) % ranks;
                let expected: Vec<u64> = (0..count).map(|i| element(left, i) as u64).collect();
                assert_eq!(download(comm, receive), expected);
            }
        }
    }
    check_report(device);
}

/// Messages of a pair match in their order, in one group or in several. One has no elements, one goes to the rank itself.
#[test]
fn several_messages() {
    let (_one, device) = device();
    let comms = comms(2);
    let sends = inputs::<u8>(&comms, 100_000);
    let mut receives = outputs::<u8>(&comms, 100_000);
    let mut own = outputs::<u8>(&comms, 100_000);
    // Of odd addresses and lengths.
    let ranges = [0..1, 1..1, 1..40_000, 40_000..99_999];
    in_group(&comms[..1], |comm| {
        for range in &ranges {
            comm.send(&sends[0].slice(range.clone()), 1)?;
        }
        comm.send(&sends[0], 0)?;
        comm.recv(&mut own[0], 0)
    });
    for ranges in ranges.chunks(2) {
        in_group(&comms[1..], |comm| {
            for range in ranges {
                comm.recv(&mut receives[1].slice_mut(range.clone()), 0)?;
            }
            Ok::<_, NcclError>(())
        });
    }
    let mut expected: Vec<u8> = (0..100_000).map(|i| element(0, i) as u8).collect();
    assert_eq!(download(&comms[0], &own[0]), expected);
    expected[99_999] = 99;
    assert_eq!(download(&comms[1], &receives[1]), expected);
    check_report(device);
}

/// A send outside a group waits on the device, and not on the host.
#[test]
fn without_a_group() {
    let (_one, device) = device();
    let comms = comms(2);
    let sends = inputs::<f32>(&comms, 5);
    let mut receives = outputs::<f32>(&comms, 5);
    comms[0].send(&sends[0], 1).expect("it is enqueued");
    comms[1].recv(&mut receives[1], 0).expect("it is enqueued");
    assert_eq!(download(&comms[1], &receives[1]), download(&comms[0], &sends[0]));
    check_report(device);
}
