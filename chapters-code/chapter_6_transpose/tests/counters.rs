//! The counts that the book's chapter quotes. If one changes, the page must change too.

use crate::common::{SIZES, matrix};
use chapter_6_transpose::chapter::Transpose;
use harness::{Dtype, simulator::Counters};

const SIDE: u64 = 256;

fn counted(kernel: &str, dtype: Dtype) -> Counters {
    testing::counted(&Transpose, kernel, &matrix(SIDE, SIDE, dtype))
}

/// Sectors of 32 bytes that a request touches, of loads and of stores.
fn sectors_a_request(kernel: &str, dtype: Dtype) -> [u64; 2] {
    let counters = counted(kernel, dtype);
    let whole = |sectors: u64, requests: u64| {
        assert_eq!(sectors % requests, 0, "{kernel} {dtype}");
        sectors / requests
    };
    [
        whole(counters.global_load_sectors, counters.global_load_requests),
        whole(counters.global_store_sectors, counters.global_store_requests),
    ]
}

/// Which side is uncoalesced: the 32 lanes touch 32 sectors instead of as many as 32 elements fill.
#[test]
fn sides_that_do_not_coalesce() {
    for (dtype, row) in SIZES.into_iter().zip([1, 2, 4, 8, 16]) {
        assert_eq!(sectors_a_request("by_rows", dtype), [row, 32]);
        assert_eq!(sectors_a_request("by_columns", dtype), [32, row]);
        for kernel in
            ["tile", "padded", "swizzled", "coarsened", "four_loads", "diagonal", "in_place"]
        {
            assert_eq!(sectors_a_request(kernel, dtype), [row, row], "{kernel}");
        }
        for kernel in ["vectorized", "column_major_tiles", "sectors"] {
            assert_eq!(sectors_a_request(kernel, dtype), [16, 16], "{kernel}");
        }
    }
}

/// What an H200 counts for 1024 x 1024 elements of 4 bytes.
#[test]
fn requests_and_sectors_of_the_naive_ones() {
    let counters = testing::counted(&Transpose, "by_rows", &matrix(1024, 1024, Dtype::F32));
    assert_eq!(counters.global_load_requests, 32_768);
    assert_eq!(counters.global_store_requests, 32_768);
    assert_eq!(counters.global_load_sectors, 131_072);
    assert_eq!(counters.global_store_sectors, 1_048_576);
}

/// Wavefronts of a load from the tile, and of a store into it, by the bytes of an element.
#[track_caller]
fn check_wavefronts(kernel: &str, loads: [u64; 5], stores: [u64; 5]) {
    for (i, dtype) in SIZES.into_iter().enumerate() {
        let counters = counted(kernel, dtype);
        let load = counters.shared_load_wavefronts / counters.shared_load_requests;
        let store = counters.shared_store_wavefronts / counters.shared_store_requests;
        assert_eq!([load, store], [loads[i], stores[i]], "{kernel} {dtype}");
    }
}

/// A column of the unpadded tile: 8 or 16 lanes a bank for the small elements, all of them for the others.
#[test]
fn conflicts_of_the_plain_tile() {
    check_wavefronts("tile", [8, 16, 32, 32, 32], [1, 1, 1, 2, 4]);
}

/// A row one element longer parts the words of a column, for elements of a word or more. Of bytes three
/// columns in four, and of two bytes one in two, straddle a word: the first and the last meet in a bank.
#[test]
fn padding_by_one_element_suits_words() {
    let requests = SIDE * SIDE / 32;
    let conflicts = [requests * 3 / 4, requests / 2, 0, 0, 0];
    for (dtype, conflicts) in SIZES.into_iter().zip(conflicts) {
        let counters = counted("padded", dtype);
        assert_eq!(counters.shared_bank_conflicts, conflicts, "{dtype}");
    }
}

/// Elements of 8 and 16 bytes take 2 and 4 wavefronts a request in any case: 256 and 512 bytes, at 128 a
/// wavefront.
#[test]
fn the_swizzle_leaves_no_conflicts() {
    for kernel in ["swizzled", "coarsened", "four_loads", "diagonal", "in_place"] {
        check_wavefronts(kernel, [1, 1, 1, 2, 4], [1, 1, 1, 2, 4]);
        for dtype in SIZES {
            assert_eq!(counted(kernel, dtype).shared_bank_conflicts, 0, "{kernel} {dtype}");
        }
    }
}

#[test]
fn wide_accesses_have_no_conflicts() {
    for kernel in ["vectorized", "column_major_tiles", "sectors"] {
        check_wavefronts(kernel, [4; 5], [4; 5]);
        for dtype in SIZES {
            assert_eq!(counted(kernel, dtype).shared_bank_conflicts, 0, "{kernel} {dtype}");
        }
    }
}

/// The request of `vectorized` is four times as large as that of `coarsened`, so it takes a quarter as many.
#[test]
fn vectorized_takes_a_quarter_of_the_requests() {
    let (vectorized, coarsened) =
        (counted("vectorized", Dtype::F32), counted("coarsened", Dtype::F32));
    assert_eq!(4 * vectorized.global_load_requests, coarsened.global_load_requests);
    assert_eq!(4 * vectorized.global_store_requests, coarsened.global_store_requests);
    assert_eq!(4 * vectorized.shared_load_requests, coarsened.shared_load_requests);
    assert!(3 * vectorized.warp_instructions < coarsened.warp_instructions);
}

/// Rows of 4 * 1023 bytes begin at each of the eight places in a sector. Pieces that begin with a sector fill
/// whole ones, but for the ends of rows, where up to three elements go one by one.
#[test]
fn stores_of_ragged_rows_are_whole_sectors() {
    let ragged = matrix(1023, 1023, Dtype::F32);
    let sectors = |kernel| testing::counted(&Transpose, kernel, &ragged).global_store_sectors;
    let filled = 1023 * 1023 / 8;
    assert_eq!(filled, 130_816);
    assert_eq!(sectors("sectors"), 134_013);
    assert_eq!(sectors("coarsened"), 159_457);
    assert_eq!(sectors("vectorized"), 556_017);
}
