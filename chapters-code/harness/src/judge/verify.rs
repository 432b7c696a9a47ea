//! Is the result right? Equal for integers, within a derived bound for floating point.

use rayon::prelude::*;

use crate::{Element, names};

/// What a computed result may be: one value, or every value within a bound of the reference.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Accepted<T> {
    /// The computed value must be this one.
    Equal(T),
    /// It must lie within `bound` of `value`.
    Within {
        /// The reference.
        value: f64,
        /// Derived, see [`crate::bound`].
        bound: f64,
    },
}

impl<T: Element> Accepted<T> {
    /// The reference.
    pub fn value(&self) -> f64 {
        match self {
            Self::Equal(value) => value.to_f64(),
            Self::Within { value, .. } => *value,
        }
    }

    /// The element nearest to the reference.
    pub fn nearest(&self) -> T {
        match self {
            Self::Equal(value) => *value,
            Self::Within { value, .. } => T::from_f64(*value),
        }
    }

    /// How far from the reference a computed value may lie: 0 where it must be equal.
    pub fn bound(&self) -> f64 {
        match self {
            Self::Equal(_) => 0.0,
            Self::Within { bound, .. } => *bound,
        }
    }

    /// Whether a computed value is right.
    pub fn accepts(&self, got: T) -> bool {
        match self {
            Self::Equal(value) => got == *value,
            // Written so that NaN is wrong, and an infinity right only if it is expected.
            Self::Within { value, bound } => {
                got.to_f64() == *value || (got.to_f64() - value).abs() <= *bound
            }
        }
    }
}

/// The verdict on one run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Verdict {
    /// What is wrong; nothing if the run is right.
    pub failures: Vec<Failure>,
    /// The largest |computed − exact|.
    pub error: f64,
    /// The bound at that element; 0 if results must be equal.
    pub error_bound: f64,
    /// The computed bytes, as a short text that is equal only for equal results.
    pub checksum: String,
}

impl Verdict {
    /// The verdict on a run in which a failure was found before its result was compared.
    pub fn of(failure: Failure) -> Self {
        Self { failures: vec![failure], error: f64::NAN, ..Self::default() }
    }

    /// Whether nothing is wrong.
    pub fn is_correct(&self) -> bool {
        self.failures.is_empty()
    }
}

/// Something wrong with a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    /// The check that detected the failure.
    pub by: Checker,
    /// What the check found, as a text for people.
    pub message: String,
}

impl Failure {
    /// A write outside an output, `at` bytes from its start.
    pub(crate) fn beside_output(at: i64) -> Self {
        let message = format!("the byte at {at} from the output's start was written");
        Self { by: Checker::Guard, message }
    }

    /// The same failure, on one of several devices.
    pub fn on_device(self, d: usize) -> Self {
        Self { message: format!("on device {d}: {}", self.message), ..self }
    }
}

names! {
    /// What can notice that a kernel is wrong.
    pub enum Checker {
        /// The result differs from the reference by more than the bound.
        Result = "result",
        /// Memory beside an output was written.
        Guard = "guard",
        /// The input was changed.
        Input = "input",
        /// What the simulator finds while a kernel runs: races, undefined values.
        Races = "races",
        /// The launch was stopped: bad address, deadlock, trap.
        Fault = "fault",
        /// A result that differs in a run on the simulator with weak memory, in which a load may return an older
        /// value than the newest.
        WeakMemory = "weak_memory",
        /// A wrong result where a CUDA graph replays the launch.
        Replay = "replay",
    }
}

impl Checker {
    /// The name in a sentence.
    pub fn label(self) -> &'static str {
        match self {
            Self::Result | Self::Fault => self.name(),
            Self::Guard => "guard zone",
            Self::Input => "input check",
            Self::Races => "detector",
            Self::WeakMemory => "run with weak memory",
            Self::Replay => "replay of a graph",
        }
    }
}

/// Compares computed bytes with what they should be, one value after another.
pub fn compare<T: Element>(
    computed: &[u8],
    expected: impl IntoIterator<Item = Accepted<T>>,
) -> Verdict {
    let mut tally = Tally::default();
    tally.add(0, computed, expected);
    tally.verdict(computed)
}

/// Compares computed bytes chunk by chunk, on all cores: `expected(c)` gives what the values from
/// c · `chunk` on should be, as many as a chunk has.
pub fn compare_chunks<T: Element, I: Iterator<Item = Accepted<T>>>(
    computed: &[u8],
    chunk: usize,
    expected: impl Fn(usize) -> I + Sync,
) -> Verdict {
    let values = computed.len() / size_of::<T>();
    let starts: Vec<usize> = (0..values).step_by(chunk).collect();
    compare_parts(computed, &starts, expected)
}

/// Compares computed bytes with the elements that they must equal, on all cores.
pub fn compare_equal<T: Element>(computed: &[u8], expected: &[T]) -> Verdict {
    const CHUNK: usize = 1 << 16; // elements that one core compares at a time
    // Equal bits are right, except those of a NaN, and compared sooner than values.
    let is_right = |(computed, expected): (&[u8], &[T])| {
        computed == bytemuck::cast_slice::<T, u8>(expected)
            && expected.iter().all(|&x| Accepted::Equal(x).accepts(x))
    };
    let parts = computed.par_chunks(CHUNK * size_of::<T>()).zip(expected.par_chunks(CHUNK));
    if computed.len() == size_of_val(expected) && parts.all(is_right) {
        return Tally::default().verdict(computed);
    }
    compare_chunks(computed, CHUNK, |c| expected[c * CHUNK..].iter().copied().map(Accepted::Equal))
}

/// Compares computed bytes part by part, on all cores: `expected(p)` gives what the values from
/// `starts[p]` up to the next part's should be. The starts ascend.
pub fn compare_parts<T: Element, I: Iterator<Item = Accepted<T>>>(
    computed: &[u8],
    starts: &[usize],
    expected: impl Fn(usize) -> I + Sync,
) -> Verdict {
    let tally = |p: usize| {
        let at = |value: usize| (value * size_of::<T>()).min(computed.len());
        let end = starts.get(p + 1).map_or(computed.len(), |&next| at(next));
        let mut tally = Tally::default();
        tally.add(starts[p], &computed[at(starts[p])..end], expected(p));
        tally
    };
    let tallies: Vec<Tally> = (0..starts.len()).into_par_iter().map(tally).collect();
    let tally = tallies.into_iter().reduce(Tally::and).unwrap_or_default();
    tally.verdict(computed)
}

/// What was seen in some of the values.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    wrong: usize,
    of: usize,
    first_wrong: Option<Wrong>,
    error: f64,
    error_bound: f64,
}

/// A value that is not what it should be.
#[derive(Clone, Copy, Debug)]
struct Wrong {
    i: usize,
    got: f64,
    value: f64,
    bound: f64,
}

impl Tally {
    /// Looks at the values from `start` on.
    fn add<T: Element>(
        &mut self,
        start: usize,
        computed: &[u8],
        expected: impl IntoIterator<Item = Accepted<T>>,
    ) {
        let values = computed.chunks_exact(size_of::<T>()).map(bytemuck::pod_read_unaligned::<T>);
        for (i, (got, accepted)) in values.zip(expected).enumerate() {
            self.of += 1;
            let (value, bound, right) = (accepted.value(), accepted.bound(), accepted.accepts(got));
            let error =
                if right && value == got.to_f64() { 0.0 } else { (got.to_f64() - value).abs() };
            if error >= self.error || error.is_nan() {
                (self.error, self.error_bound) = (error, bound);
            }
            if !right {
                self.wrong += 1;
                let (i, got) = (start + i, got.to_f64());
                self.first_wrong.get_or_insert(Wrong { i, got, value, bound });
            }
        }
    }

    /// This and what was seen after it.
    fn and(self, later: Self) -> Self {
        let largest = if later.error >= self.error || later.error.is_nan() { later } else { self };
        Self {
            wrong: self.wrong + later.wrong,
            of: self.of + later.of,
            first_wrong: self.first_wrong.or(later.first_wrong),
            ..largest
        }
    }

    fn verdict(self, computed: &[u8]) -> Verdict {
        let failure = self
            .first_wrong
            .map(|wrong| Failure { by: Checker::Result, message: self.describe(wrong) });
        Verdict {
            failures: failure.into_iter().collect(),
            error: self.error,
            error_bound: self.error_bound,
            checksum: checksum(computed),
        }
    }

    fn describe(&self, first: Wrong) -> String {
        let Wrong { i, got, value, bound } = first;
        let tolerance = if bound > 0.0 { format!(" within {bound:.3e}") } else { String::new() };
        let count = match (self.wrong, self.of) {
            (_, 0 | 1) => String::new(),
            (wrong, of) => format!(" ({wrong} of {of} results are wrong)"),
        };
        format!("out[{i}] is {got}, expected {value}{tolerance}{count}")
    }
}

/// Where an input differs from what was uploaded, if it does.
pub(crate) fn input_changed<T: bytemuck::NoUninit>(before: &[T], after: &[u8]) -> Option<Failure> {
    let before: &[u8] = bytemuck::cast_slice(before);
    // An empty input has one byte of memory, for the driver's sake.
    if after.starts_with(before) {
        return None;
    }
    let at = before.iter().zip(after).position(|(a, b)| a != b)?;
    let element = at / size_of::<T>();
    Some(Failure {
        by: Checker::Input,
        message: format!("the input was changed at element {element}"),
    })
}

/// Bytes that are hashed one after another.
const PIECE: usize = 1 << 20;
/// Pieces that a core hashes side by side: a byte waits until the one before it has been multiplied.
const TOGETHER: usize = 4;

/// Up to 8 bytes as a hexadecimal number; up to a MiB as their FNV-1a hash; more as the hash of their
/// MiBs' hashes.
pub fn checksum(bytes: &[u8]) -> String {
    if bytes.len() <= 8 {
        let value = bytes.iter().rev().fold(0u64, |value, &byte| value << 8 | u64::from(byte));
        return format!("{value:#0width$x}", width = 2 + 2 * bytes.len());
    }
    let hash = |bytes: &[u8]| fnv1a(bytes.iter().copied());
    let hash = match bytes.len() {
        ..=PIECE => hash(bytes),
        _ => {
            let (pieces, rest) = bytes.as_chunks::<PIECE>();
            let (groups, others) = pieces.as_chunks::<TOGETHER>();
            let of_group = |group: &[[u8; PIECE]; TOGETHER]| {
                let mut hashes = [FNV_BASIS; TOGETHER];
                for i in 0..PIECE {
                    for (hash, piece) in hashes.iter_mut().zip(group) {
                        *hash = fnv1a_step(*hash, piece[i]);
                    }
                }
                hashes
            };
            let others = others.iter().map(|piece| &piece[..]).chain([rest]);
            let others: Vec<&[u8]> = others.filter(|piece| !piece.is_empty()).collect();
            let hashes = groups.par_iter().flat_map_iter(of_group);
            let hashes = hashes.chain(others.into_par_iter().map(hash));
            let hashes: Vec<[u8; 8]> = hashes.map(u64::to_le_bytes).collect();
            hash(hashes.as_flattened())
        }
    };
    format!("fnv1a:{hash:016x}")
}

/// The FNV-1a hash (Fowler, Noll and Vo 1991) of some bytes.
pub(crate) fn fnv1a(bytes: impl IntoIterator<Item = u8>) -> u64 {
    bytes.into_iter().fold(FNV_BASIS, fnv1a_step)
}

/// The hash of no bytes.
const FNV_BASIS: u64 = 0xcbf2_9ce4_8422_2325;

/// The hash of some bytes and one more.
fn fnv1a_step(hash: u64, byte: u8) -> u64 {
    (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check<T: Element>(got: T, accepted: Accepted<T>, right: bool) {
        let verdict = compare(bytemuck::bytes_of(&got), [accepted]);
        assert_eq!(verdict.is_correct(), right, "{verdict:?}");
    }

    #[test]
    fn integers_are_equal_or_wrong() {
        check(5i32, Accepted::Equal(5), true);
        check(5i32, Accepted::Equal(6), false);
        // Equal as f64, different as i64.
        check(i64::MAX, Accepted::Equal(i64::MAX - 1), false);
    }

    #[test]
    fn floats_are_judged_by_their_bound() {
        check(1.0f32, Accepted::Within { value: 1.5, bound: 0.5 }, true);
        check(1.0f32, Accepted::Within { value: 1.6, bound: 0.5 }, false);
        check(f32::NAN, Accepted::Within { value: 1.0, bound: f64::INFINITY }, false);
        check(f32::INFINITY, Accepted::Within { value: 1.0, bound: 1.0 }, false);
        check(f32::INFINITY, Accepted::Within { value: f64::INFINITY, bound: 0.0 }, true);
    }

    /// The same verdict, however the values are cut, wherever the wrong ones are.
    #[test]
    fn chunks_are_compared_as_a_whole() {
        let exact: Vec<f32> = (0..1000u16).map(f32::from).collect();
        for wrong in [vec![], vec![0], vec![999], vec![256, 255, 700], vec![511, 512]] {
            let mut computed = exact.clone();
            for i in wrong {
                computed[i] += 0.25 + i as f32;
            }
            let computed: &[u8] = bytemuck::cast_slice(&computed);
            let expect = |&x: &f32| Accepted::<f32>::Within { value: x.into(), bound: 0.125 };
            let whole = compare(computed, exact.iter().map(expect));
            for chunk in [1, 7, 256, 1000, 5000] {
                let expected = |c: usize| exact.iter().skip(c * chunk).take(chunk).map(expect);
                assert_eq!(compare_chunks(computed, chunk, expected), whole);
            }
        }
    }

    #[test]
    fn equal_bits_are_right_but_for_nan() {
        let verdict = |x: &[f32], y: &[f32]| compare_equal(bytemuck::cast_slice(x), y);
        assert!(verdict(&[1.0, f32::INFINITY], &[1.0, f32::INFINITY]).is_correct());
        assert!(verdict(&[0.0], &[-0.0]).is_correct());
        assert!(!verdict(&[1.0, f32::NAN], &[1.0, f32::NAN]).is_correct());
        assert!(!verdict(&[1.0, 2.0], &[1.0, 3.0]).is_correct());
    }

    #[test]
    fn a_missing_result_is_wrong() {
        // Poison where a result should be.
        check(f32::from_bits(0xfbfb_fbfb), Accepted::Within { value: 0.0, bound: 1.0 }, false);
        check(i32::from_ne_bytes([POISON; 4]), Accepted::Equal(-1), false);
    }

    #[test]
    fn a_changed_input_is_noticed() {
        let input = [1.0f32, 2.0];
        assert_eq!(input_changed(&input, bytemuck::cast_slice(&[1.0f32, 2.0])), None);
        let changed = input_changed(&input, bytemuck::cast_slice(&[1.0f32, 2.5])).unwrap();
        assert!(changed.message.contains("element 1"));
        assert_eq!(input_changed::<f32>(&[], &[POISON]), None);
    }

    #[test]
    fn checksums_are_the_bits_of_a_single_result() {
        assert_eq!(checksum(&1.0f32.to_le_bytes()), "0x3f800000");
        assert_eq!(checksum(&7i64.to_le_bytes()), "0x0000000000000007");
        assert_eq!(checksum(&[0; 9]).len(), "fnv1a:".len() + 16);
    }

    /// However many pieces there are, and wherever a byte differs.
    #[test]
    fn checksums_are_hashes_of_the_hashes_of_pieces() {
        let bytes: Vec<u8> =
            (0..(TOGETHER + 2) * PIECE + 3).map(|i| ((i * i) >> 3) as u8).collect();
        for pieces in [1, TOGETHER - 1, TOGETHER, TOGETHER + 2] {
            for more in [0, 3] {
                let mut bytes = bytes[..pieces * PIECE + more].to_vec();
                let hashes = bytes.chunks(PIECE).map(|piece| fnv1a(piece.iter().copied()));
                let hashes: Vec<u8> = hashes.flat_map(u64::to_le_bytes).collect();
                let hashes = if bytes.len() > PIECE { &hashes } else { &bytes };
                let right = format!("fnv1a:{:016x}", fnv1a(hashes.iter().copied()));
                assert_eq!(checksum(&bytes), right, "{pieces} pieces and {more} bytes");
                *bytes.last_mut().expect("they are many") ^= 1;
                assert_ne!(checksum(&bytes), right, "{pieces} pieces and {more} bytes");
            }
        }
    }

    use crate::buffer::POISON;
}
