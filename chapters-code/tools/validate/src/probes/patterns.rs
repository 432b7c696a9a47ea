//! Patterns of addresses for one warp, in units of the access's width.

/// A pattern: its name, and each lane's unit; nothing if the lane takes no part.
#[derive(Clone, Debug)]
pub struct Pattern {
    /// Its name.
    pub name: String,
    /// The unit that each lane accesses.
    pub units: [Option<u32>; 32],
}

/// One more than the largest unit of any pattern.
pub const UNITS: u32 = 2048;

/// Every lane takes part.
const ALL: u32 = u32::MAX;
/// Parts of a warp: its first lanes, one lane, every second and third lane, scattered lanes.
const PARTS: [u32; 8] = [
    0x0000_0001,
    0x8000_0000,
    0x0000_00ff,
    0x0001_ffff,
    0x5555_5555,
    0x4924_9249,
    0x8001_0180,
    0x3c3c_c3c3,
];

/// All patterns: strides, broadcasts of several shapes, parts of a warp, and seeded random ones over
/// small and large ranges.
pub fn all() -> Vec<Pattern> {
    let mut list = few();
    list.extend(groups());
    list.extend(permutations());
    list.extend(parts());
    list.extend(random());
    list
}

/// Patterns in which only some groups of lanes share an address: they show over which lanes the
/// hardware decides to serve a wide access in fewer passes.
pub fn mixed() -> Vec<Pattern> {
    let pairs = |l: u32| l & !1;
    let alternate = |l: u32| l & !2;
    let far = scatter(UNITS, 5);
    let choose =
        |condition: bool, then: u32, otherwise: u32| if condition { then } else { otherwise };
    vec![
        pattern("low_half_pairs", ALL, |l| choose(l < 16, pairs(l), l)),
        pattern("high_half_pairs", ALL, |l| choose(l < 16, l, pairs(l))),
        pattern("first_quarter_pairs", ALL, |l| choose(l < 8, pairs(l), l)),
        pattern("odd_quarters_pairs", ALL, |l| choose(l & 8 == 0, l, pairs(l))),
        pattern("halves_by_1_and_2", ALL, |l| choose(l < 16, pairs(l), alternate(l))),
        pattern("quarters_by_1_and_2", ALL, |l| choose(l & 8 == 0, pairs(l), alternate(l))),
        pattern("by_2", ALL, alternate),
        pattern("by_4", ALL, |l| l & !4),
        pattern("by_8", ALL, |l| l & !8),
        pattern("by_16", ALL, |l| l & !16),
        pattern("by_2_far", ALL, |l| alternate(l) * 16),
        pattern("by_1_random", ALL, |l| far(pairs(l))),
        pattern("by_2_random", ALL, |l| far(alternate(l))),
        pattern("by_1_random_part", 0xfff7_bfee, |l| far(pairs(l))),
        pattern("by_2_random_part", 0x7ffd_effb, |l| far(alternate(l))),
        pattern("by_1_random_few", 0x1248_8421, |l| far(pairs(l))),
        pattern("even_lanes_random", 0x5555_5555, &far),
        pattern("even_pairs_random", 0x3333_3333, &far),
        pattern("every_fourth_random", 0x1111_1111, &far),
        pattern("two_lanes_far", 0x0000_0003, |l| l * 32),
        pattern("two_halves_far", 0x0001_0001, |l| l * 2),
        pattern("two_quarters_far", 0x0000_0101, |l| l * 4),
        pattern("four_quarters_far", 0x0101_0101, |l| l * 4),
        pattern("half_of_each_quarter", 0x0f0f_0f0f, |l| l),
    ]
}

/// The patterns that tell kinds of access apart.
pub fn few() -> Vec<Pattern> {
    let mut list = strides();
    list.push(pattern("pairs", ALL, |l| l / 2));
    list.push(pattern("repeats_after_4", ALL, |l| l % 4));
    list.push(pattern("random_64", ALL, scatter(64, 99)));
    list.push(pattern("random_part", 0x9d2c_56e1, scatter(64, 98)));
    list
}

fn pattern(name: impl Into<String>, mask: u32, unit: impl Fn(u32) -> u32) -> Pattern {
    let of_lane = |lane| (mask >> lane & 1 == 1).then(|| unit(lane));
    Pattern { name: name.into(), units: std::array::from_fn(|lane| of_lane(lane as u32)) }
}

fn strides() -> Vec<Pattern> {
    [0, 1, 2, 3, 4, 8, 16, 32, 33]
        .map(|stride| pattern(format!("stride_{stride}"), ALL, |l| l * stride))
        .into()
}

fn groups() -> Vec<Pattern> {
    let of = |group| {
        [
            pattern(format!("groups_of_{group}"), ALL, |l| l / group),
            pattern(format!("groups_of_{group}_far"), ALL, |l| l / group * 32),
            pattern(format!("repeats_after_{group}_far"), ALL, |l| l % group * 32),
        ]
    };
    [2, 4, 8, 16].into_iter().flat_map(of).collect()
}

fn permutations() -> Vec<Pattern> {
    let even_lanes_one = |l: u32| if l.is_multiple_of(2) { 0 } else { l };
    vec![
        pattern("shifted_by_1", ALL, |l| l + 1),
        pattern("shifted_by_5_stride_2", ALL, |l| 5 + 2 * l),
        pattern("pairs_swapped", ALL, |l| l ^ 1),
        pattern("halves_swapped", ALL, |l| l ^ 16),
        pattern("reversed", ALL, |l| 31 - l),
        pattern("even_lanes_one_word", ALL, even_lanes_one),
        pattern("half_conflicts", ALL, |l| if l < 16 { l } else { l * 32 }),
        pattern("eighth_conflicts", ALL, |l| if l < 4 { l * 32 } else { l }),
    ]
}

fn parts() -> Vec<Pattern> {
    let of = |mask| {
        [
            pattern(format!("neighbours_{mask:08x}"), mask, |l| l),
            pattern(format!("scattered_{mask:08x}"), mask, |l| l * 7 % 64),
        ]
    };
    PARTS.into_iter().flat_map(of).collect()
}

fn random() -> Vec<Pattern> {
    let ranges = [(4, 2u64), (16, 3), (64, 3), (512, 3), (UNITS, 2)];
    let of = |(range, count)| {
        let one =
            move |seed| pattern(format!("random_{range}_{seed}"), ALL, scatter(range, seed + 1));
        (0..count).map(one)
    };
    ranges.into_iter().flat_map(of).collect()
}

/// Pseudo-random units below `range`.
fn scatter(range: u32, seed: u64) -> impl Fn(u32) -> u32 {
    let mut state = u64::from(range) * 1000 + seed;
    let values: [u32; 32] = std::array::from_fn(|_| {
        // Marsaglia's xorshift64 (2003).
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 33) as u32 % range
    });
    move |lane| values[lane as usize]
}
