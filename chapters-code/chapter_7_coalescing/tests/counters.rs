//! The counts that the book's chapter quotes. If one changes, the page must change too.

use crate::common::of;
use chapter_7_coalescing::{
    Order, Records, Task, chapter::Coalescing, patterns::records, traffic::Access,
};
use harness::simulator::Counters;

const N: u64 = 1 << 20;

fn counted(rung: &str, task: Task) -> Counters {
    testing::counted(&Coalescing, rung, &of(N, task))
}

/// Requests and sectors of loads.
fn loads(rung: &str, task: Task) -> [u64; 2] {
    let counters = counted(rung, task);
    [counters.global_load_requests, counters.global_load_sectors]
}

/// Requests and sectors of stores.
fn stores(rung: &str, task: Task) -> [u64; 2] {
    let counters = counted(rung, task);
    [counters.global_store_requests, counters.global_store_sectors]
}

#[test]
fn wide_accesses_make_fewer_requests() {
    for (rung, requests) in [("scalar", 32_768), ("vec2", 16_384), ("packs", 8_192)] {
        assert_eq!(loads(rung, Task::Copy), [requests, 131_072], "{rung}");
        assert_eq!(stores(rung, Task::Copy), [requests, 131_072], "{rung}");
    }
    // Nothing passes through loads and stores.
    assert_eq!(loads("bulk", Task::Copy), [0, 0]);
    assert_eq!(stores("bulk", Task::Copy), [0, 0]);
}

/// Instructions of a warp for each KiB that is copied.
#[test]
fn wide_accesses_take_fewer_instructions() {
    let a_kib = |rung| {
        let instructions = counted(rung, Task::Copy).warp_instructions as f64;
        (instructions / (8 * N / 1024) as f64).round()
    };
    assert_eq!([a_kib("scalar"), a_kib("packs")], [76.0, 23.0]);
    assert!(a_kib("four_packs") < a_kib("packs"));
}

/// Each line of the page's section of that name.
#[test]
fn published_arithmetic_put_right() {
    let words = Access::WORDS;
    let apart = |elements: u64| Access { step: 4 * elements, ..words };
    // 4 bytes every 128: 32 sectors, 1,024 bytes for 128.
    assert_eq!(apart(32).sectors(32) * 32, 1024);
    // A sector holds eight floats: offsets that are multiples of eight are no worse than none.
    let free = (1..=16).filter(|k| words.at(4 * k).sectors(32) == 4);
    assert_eq!(free.collect::<Vec<_>>(), [8, 16]);
    // A misaligned copy touches a quarter more sectors.
    assert_eq!(words.at(4).sectors(32), 5);
    // Flat from stride 8 on.
    assert!((8..=64).all(|k| apart(k).sectors(32) == 32));
    // Two loads per thread request twice the sectors, and the second of them the same.
    let pairs = records(Records::Pairs);
    let [requests, sectors] = loads("two_loads", pairs);
    assert_eq!([requests, sectors], loads("one_load", pairs).map(|n| 2 * n));
    // The read-only path is counted as any other.
    assert_eq!(loads("read_only", pairs), [requests, sectors]);
}

/// Loads at offset 1, four of which make a pack of the output.
#[test]
fn misaligned_vectors() {
    assert_eq!(loads("offset_loads", Task::Offset(1)), [32_768, 163_839]);
    assert_eq!(loads("four_loads", Task::Offset(1)), [32_769, 532_480]);
    assert_eq!(loads("two_packs", Task::Offset(1)), [16_385, 270_336]);
    assert_eq!(loads("shuffled", Task::Offset(1)), [16_385, 139_265]);
}

#[test]
fn pairs_are_loaded_twice() {
    let pairs = records(Records::Pairs);
    for rung in ["two_loads", "past_l1", "read_only"] {
        assert_eq!(loads(rung, pairs), [32_768, 262_144], "{rung}");
    }
    assert_eq!(loads("one_load", pairs), [16_384, 131_072]);
}

/// Requests and sectors of loads, then of stores.
#[test]
fn layouts_of_particles() {
    let particles = records(Records::Particles);
    for (rung, [load, load_sectors], [store, store_sectors]) in [
        ("aos", [24_576, 32], [12_288, 32]),
        ("aos_packs", [8_192, 32], [4_096, 32]),
        ("aos_staged", [8_192, 16], [8_192, 16]),
        ("soa", [24_576, 4], [12_288, 4]),
        ("soa_packs", [6_144, 16], [3_072, 16]),
        ("aosoa", [24_576, 4], [12_288, 4]),
    ] {
        assert_eq!(loads(rung, particles), [load, load * load_sectors], "{rung}");
        let expected = [store, store * store_sectors];
        assert_eq!(stores(rung, particles), expected, "{rung}");
    }
    let all = |rung| {
        let [loads, stores] = [loads(rung, particles), stores(rung, particles)];
        loads[1] + stores[1]
    };
    let particles = N / 8;
    assert_eq!([all("soa"), all("aosoa")], [147_456; 2]);
    assert_eq!(all("soa") * 32, 36 * particles);
    assert_eq!(all("aos_staged"), 262_144);
    assert_eq!(all("aos_staged") * 32, 64 * particles);
    assert_eq!(all("aos_packs"), 393_216);
    assert_eq!(all("aos"), 1_179_648);
}

/// In ascending order four elements per thread are 16 bytes apart from the next lane's.
#[test]
fn four_a_thread_spread_a_request() {
    let ascending = Task::Gather(Order::Ascending);
    let [requests, sectors] = loads("gather", ascending);
    assert_eq!(sectors, 4 * requests);
    // The indices, as packs, and then as many requests for elements as before.
    let [requests, sectors] = loads("gather_four", ascending);
    assert_eq!([requests, sectors], [8_192 + 32_768, 16 * (8_192 + 32_768)]);
}

/// Sectors of a stride's loads are those of the whole buffer up to stride 8, and then fewer and fewer.
#[test]
fn strides_fetch_the_whole_buffer() {
    for k in [1, 2, 4, 8] {
        assert_eq!(loads("strided_loads", Task::Stride(k))[1], N / 8, "{k}");
    }
    for k in [16, 32, 64] {
        assert_eq!(loads("strided_loads", Task::Stride(k))[1], N / k, "{k}");
    }
}

/// The last page counts for fewer floats, as the profiler's recording does.
#[test]
fn the_tables_of_the_last_page() {
    let counted = |rung, task| testing::counted(&Coalescing, rung, &of(1 << 16, task));
    let pairs = counted("two_loads", records(Records::Pairs));
    assert_eq!([pairs.global_load_requests, pairs.global_load_sectors], [2_048, 16_384]);
    assert_eq!([pairs.global_store_requests, pairs.global_store_sectors], [1_024, 4_096]);
    let staged = counted("aos_staged", records(Records::Particles));
    assert_eq!(staged.shared_load_requests, 1_024);
    assert_eq!(staged.shared_load_wavefronts, 6_144);
    assert_eq!(staged.shared_store_requests, 768);
    assert_eq!(staged.shared_store_wavefronts, 4_096);
    assert_eq!(staged.shared_bank_conflicts, 2_048 + 1_024);
}
