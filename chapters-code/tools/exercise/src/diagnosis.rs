//! What can be wrong with a submission, by name, and what is said of it everywhere.

use std::{collections::BTreeMap, fmt, sync::LazyLock};

use serde::{Deserialize, Serialize};

/// What to say of a diagnosis.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Advice {
    /// One hint.
    pub hint: Option<String>,
    /// The section to read again: a page, and perhaps an anchor, below `book/`.
    pub read: Option<String>,
}

/// Advice by diagnosis.
pub type AllAdvice = BTreeMap<Diagnosis, Advice>;

/// The advice where an exercise has none of its own.
static ADVICE: LazyLock<AllAdvice> =
    LazyLock::new(|| toml::from_str(include_str!("advice.toml")).expect("it is a table of advice"));

macro_rules! diagnoses {
    ($($name:ident: $text:literal;)*) => {
        /// What is wrong. Written `block-offset` in declarations and reports.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum Diagnosis {
            $(#[doc = concat!("A verdict reads: ", $text, ".")] $name,)*
        }

        impl Diagnosis {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$name),*];

            /// In a sentence.
            pub fn text(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }
        }
    };
}

diagnoses! {
    NotBegun: "the file is as it was at first";
    Empty: "the file is empty";
    Encoding: "the file is not text in UTF-8";
    TooLong: "the file is too long";
    Include: "it includes a file that a submission may not include";
    Compile: "it does not compile";
    NoKernel: "there is no kernel of the required name";
    Signature: "the kernel has other parameters than it is launched with";
    Module: "the driver refuses the compiled kernel";
    Resources: "it asks for more than a block can have";
    TimeLimit: "it did not end in time";
    Flood: "it prints too much";
    MemoryLimit: "it took more memory than it may have";
    Endless: "the kernel does not end";
    Ticket: "a block takes its tile's number from somewhere else than the counter";
    Deadlock: "the kernel does not end: its threads go round, or wait, and nothing changes any more";
    OutOfBounds: "it reads or writes outside an array";
    Misaligned: "an address is no multiple of the size of the access";
    Trap: "the kernel stops itself";
    Fault: "the launch was stopped";
    MissingBarrier: "a barrier is missing: nothing orders two accesses of different warps";
    MissingSyncwarp: "a __syncwarp() is missing: lanes of a warp do not wait for each other by themselves";
    MissingFence: "nothing orders what two blocks do with the same memory";
    LostUpdate: "an update is lost: two threads read, add and write the same element";
    WriteConflict: "several threads write to the same place";
    DivergentBarrier: "a barrier that not every thread of the block reaches";
    Uninitialised: "it reads what nobody has written";
    Shuffle: "a shuffle reads from a lane that takes no part in it";
    LaneMask: "a lane executes a warp-wide operation whose mask does not name it";
    ActiveMask: "it takes the lanes that are active for the lanes that it needs";
    Lockstep: "it relies on the lanes of a warp running in step";
    GivesUp: "it goes on although what it waits for is not there yet";
    TornVector: "a value and its flag come in two accesses";
    NarrowScope: "the scope of an access or a fence is too narrow";
    PendingCopy: "it touches memory to which an asynchronous copy is under way";
    EarlyCopy: "a bulk copy starts while other threads may still use the memory that it writes";
    ProxyFence: "a fence between ordinary accesses and bulk copies is missing";
    AbandonedCopy: "the block ends while a bulk copy is under way";
    Mbarrier: "an mbarrier is misused";
    InputChanged: "an input was changed";
    BesideOutput: "memory beside the output was written";
    AddedToOutput: "the result is added to what the output held before";
    NeverWritten: "part of the output was never written";
    State: "right in the first launch, and wrong in a later one";
    Schedule: "the result depends on the order in which warps and blocks run";
    LostElement: "an element is left out";
    DoubledElement: "an element is counted twice";
    PartOnly: "only a part of the elements is in the result";
    Identity: "the place of missing elements is filled with something that is not the identity";
    PreviousBlock: "only the previous block's sum is added, not that of all blocks before";
    ManyBlocks: "right until there are more blocks than one block has threads";
    OwnBlock: "each block's own elements are also in what is put before it";
    WarpAlone: "each warp is right by itself; what the warps before it hold is not added";
    PreviousWarp: "only the previous warp's fold is added, not that of all warps before";
    BlockAlone: "each block is right by itself; what lies before it is not added";
    Shifted: "the result is right, but one place off";
    Swapped: "the operands are the wrong way round";
    Reversed: "it goes the other way round";
    HeadIgnored: "a head is overlooked: a result holds elements of another segment";
    SegmentCut: "a result lacks elements of its own segment";
    NotSelected: "something is in the result that does not belong there";
    TruthValue: "a byte of the mask is added as if it were 0 or 1";
    Unchanged: "the output is a copy of the input";
    BlockOffset: "right in the first block and wrong from the second on";
    LaterBlock: "right in the first blocks, and wrong from a later one on";
    OneBlock: "right as long as one block does it all, and wrong for more";
    Lane: "the same lane of every warp is wrong";
    Tail: "wrong only where the last block is not full";
    PowersOfTwo: "right for powers of two only";
    Large: "right as long as every element has a thread of its own, and wrong for more elements";
    ManyElements: "right for few elements, and wrong for many";
    SpecialValue: "it is wrong for some values";
    NarrowCounter: "a counter is too narrow";
    NoBin: "a key without a bin is counted";
    Rounding: "close, but further from the exact result than any correct order of additions can be";
    Order: "the right elements, in another order";
    Transposed: "rows and columns are mixed up";
    TileOrder: "the right elements, but not in their places within the tile";
    RowLength: "the rows of a matrix are taken to begin at other places than they do";
    GapWritten: "what lies between the rows of the output was written";
    Displaced: "the elements are taken from the wrong place";
    Wrong: "the result is wrong";
    Cost: "it is right, but it costs more than it may";
    Unanswered: "a question is not answered yet";
    Prediction: "the run counts something else";
    AnswerSheet: "the answers cannot be read";
}

impl Diagnosis {
    /// The advice where an exercise has none of its own.
    pub fn advice(self) -> Option<&'static Advice> {
        ADVICE.get(&self)
    }
}

impl fmt::Display for Diagnosis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}
