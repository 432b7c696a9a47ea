//! What can be wrong with a submission, by name, and what is said of it everywhere.

use std::fmt;

use serde::{Deserialize, Serialize};

macro_rules! diagnoses {
    ($($(#[doc = $doc:literal])+ $name:ident: $text:literal, hint $hint:literal, read $read:literal;)*) => {
        /// What is wrong. Written `block-offset` in declarations and reports.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum Diagnosis {
            $($(#[doc = $doc])+ $name,)*
        }

        impl Diagnosis {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$name),*];

            /// In a sentence.
            pub fn text(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }

            /// The hint, where an exercise has none of its own.
            pub fn hint(self) -> &'static str {
                match self { $(Self::$name => $hint,)* }
            }

            /// The section to read again; empty if the exercise's own is best.
            pub fn section(self) -> &'static str {
                match self { $(Self::$name => $read,)* }
            }
        }
    };
}

diagnoses! {
    /// Nothing was changed since the beginning.
    NotBegun: "the file is as it was at first",
        hint "look for TODO in the file", read "";
    /// An empty file.
    Empty: "the file is empty",
        hint "`cargo exercise reset` brings back what was there at first", read "";
    /// Not UTF-8, or with NUL bytes.
    Encoding: "the file is not text in UTF-8",
        hint "save it as UTF-8, which any editor can do", read "";
    /// Larger than any solution.
    TooLong: "the file is too long",
        hint "a solution has some dozens of lines", read "";
    /// It includes what it may not.
    Include: "it includes a file that a submission may not include",
        hint "write what you need into the file; the headers of CUDA that are allowed are named above", read "cuda_subset.md";
    /// The compiler refuses it.
    Compile: "it does not compile",
        hint "begin with the first error: later ones often follow from it", read "cuda_subset.md";
    /// No kernel of the name.
    NoKernel: "there is no kernel of the required name",
        hint "the name must be as given, and stand behind extern \"C\" __global__ void", read "chapter_0_setup/first_kernel.md";
    /// Other parameters.
    Signature: "the kernel has other parameters than it is launched with",
        hint "leave the line with the kernel's name as it was", read "chapter_0_setup/first_kernel.md";
    /// The driver refuses the module.
    Module: "the driver refuses the compiled kernel",
        hint "the message names the instruction and its line", read "cuda_subset.md";
    /// More shared memory or threads than there are.
    Resources: "it asks for more than a block can have",
        hint "what the message names is what it has too much of", read "";
    /// The clock ran out.
    TimeLimit: "it did not end in time",
        hint "look for a loop whose condition never becomes false, and for threads that wait for one that has left", read "";
    /// It prints without end.
    Flood: "it prints too much",
        hint "print in one thread of one block alone: if (blockIdx.x == 0 && threadIdx.x == 0)", read "";
    /// It took more memory than it may.
    MemoryLimit: "it took more memory than it may have",
        hint "no array of an exercise needs more than some megabytes", read "";
    /// More instructions than any solution takes.
    Endless: "the kernel does not end",
        hint "look for a loop whose condition never becomes false: a stride that stays 0, a bound that is never reached", read "";
    /// A tile's number that is not taken from the counter.
    Ticket: "a block takes its tile's number from somewhere else than the counter",
        hint "blocks may start in any order: one thread takes the number by atomicAdd(counter, 1), and the others learn it through shared memory", read "chapter_3_scan/single_pass.md";
    /// Everybody waits.
    Deadlock: "the kernel does not end: its threads go round, or wait, and nothing changes any more",
        hint "look for a loop whose condition never becomes false; or, if it waits on purpose: who is to set what it waits for, and can that thread still run?", read "chapter_3_scan/single_pass.md";
    /// Memory outside every array.
    OutOfBounds: "it reads or writes outside an array",
        hint "what are the smallest and the largest index there, for the first thread and for the last one? Compare them with the array's length", read "chapter_0_setup/first_kernel.md";
    /// A wide access at an odd place.
    Misaligned: "an address is no multiple of the size of the access",
        hint "a float4 lies at multiples of 16 bytes only: the tail, and rows of odd length, do not", read "chapter_1_reduce/packs.md";
    /// `trap`, or an assertion.
    Trap: "the kernel stops itself",
        hint "an assertion fails, or a trap is reached", read "";
    /// Another fault.
    Fault: "the launch was stopped",
        hint "the message names the line", read "";
    /// A barrier is missing.
    MissingBarrier: "a barrier is missing: nothing orders two accesses of different warps",
        hint "between a write to shared memory and another thread's read of it stands a __syncthreads(); between that read and the next write, too", read "chapter_1_reduce/what_goes_wrong.md";
    /// A barrier within a warp is missing.
    MissingSyncwarp: "a __syncwarp() is missing: lanes of a warp do not wait for each other by themselves",
        hint "since Volta the lanes of a warp run independently; __syncwarp() makes them wait, and makes their writes visible", read "chapter_1_reduce/what_goes_wrong.md";
    /// Between blocks nothing orders memory.
    MissingFence: "nothing orders what two blocks do with the same memory",
        hint "write the data, then __threadfence(), then the flag or counter by an atomic; who reads goes the other way round", read "chapter_1_reduce/across_blocks.md";
    /// An update that is no atomic.
    LostUpdate: "an update is lost: two threads read, add and write the same element",
        hint "x += 1 is a read, an addition and a write, and another thread's may come in between; atomicAdd makes them one", read "chapter_2_histogram/what_goes_wrong.md";
    /// Several threads write to one place.
    WriteConflict: "several threads write to the same place",
        hint "which of them should write there? Only one may", read "chapter_1_reduce/what_goes_wrong.md";
    /// A barrier that not all reach.
    DivergentBarrier: "a barrier that not every thread of the block reaches",
        hint "move the barrier out of the branch, or the early return behind it", read "chapter_1_reduce/what_goes_wrong.md";
    /// A read of what nobody wrote.
    Uninitialised: "it reads what nobody has written",
        hint "who was to write that element, and does it for every n? Of what nobody writes nothing may be read", read "chapter_1_reduce/what_goes_wrong.md";
    /// A shuffle from an absent lane.
    Shuffle: "a shuffle reads from a lane that takes no part in it",
        hint "all lanes that the mask names must reach the shuffle: no return, no branch before it", read "chapter_1_reduce/what_goes_wrong.md";
    /// A warp-wide operation by a lane that its mask does not name.
    LaneMask: "a lane executes a warp-wide operation whose mask does not name it",
        hint "the mask must name every lane that gets there: for a whole warp it is 0xffffffff", read "chapter_1_reduce/what_goes_wrong.md";
    /// A mask of the lanes that are together by chance.
    ActiveMask: "it takes the lanes that are active for the lanes that it needs",
        hint "__activemask() returns the lanes that execute it together, and lanes may part at any instruction. Name the lanes that the algorithm needs: 0xffffffff for a whole warp, or the result of __ballot_sync(0xffffffff, condition) where all lanes still are", read "chapter_1_reduce/what_goes_wrong.md";
    /// Lanes that are in step by chance.
    Lockstep: "it relies on the lanes of a warp running in step",
        hint "no lane may use what another has stored, or overwrite what another has yet to read, before both have met at a __syncwarp(): an atomic or a volatile access orders no lanes", read "chapter_1_reduce/what_goes_wrong.md";
    /// A wait with an end of its own.
    GivesUp: "it goes on although what it waits for is not there yet",
        hint "another block or device may be late by any time, so no number of polls or cycles is enough: wait until the flag is there", read "chapter_3_scan/single_pass.md";
    /// What belongs together in two accesses.
    TornVector: "a value and its flag come in two accesses",
        hint "PTX makes of a vector access as many accesses as it has elements, in no order, also if a GPU mostly does them at once. Put value and flag into one scalar of 64 bits", read "chapter_3_scan/single_pass.md";
    /// A scope that leaves a thread out.
    NarrowScope: "the scope of an access or a fence is too narrow",
        hint "_block, or .cta, orders threads of one block only; between blocks it takes the functions without an ending, .gpu, and between devices _system, .sys", read "chapter_1_reduce/across_blocks.md";
    /// An asynchronous copy under way.
    PendingCopy: "it touches memory to which an asynchronous copy is under way",
        hint "wait for the copy before, and let the other threads know by a barrier", read "";
    /// A bulk copy that starts too early.
    EarlyCopy: "a bulk copy starts while other threads may still use the memory that it writes",
        hint "the thread that starts a copy into a stage must first wait until all readers of that stage have handed it back: at the stage's other mbarrier, or at a barrier", read "chapter_3_scan/warp_specialization.md";
    /// Ordinary accesses that a bulk copy need not see.
    ProxyFence: "a fence between ordinary accesses and bulk copies is missing",
        hint "barriers and mbarriers order ordinary accesses only: each thread that has read a stage executes fence.proxy.async before it hands the stage back, and who initialises mbarriers executes fence.mbarrier_init before the block's barrier", read "chapter_3_scan/what_goes_wrong.md#a-copy-that-overtakes-a-read";
    /// A bulk copy under way when the block ends.
    AbandonedCopy: "the block ends while a bulk copy is under way",
        hint "every copy that is started must be waited for: are more of them started than there are tiles?", read "";
    /// An mbarrier that is not initialised, initialised twice, overwritten, or arrived at too often.
    Mbarrier: "an mbarrier is misused",
        hint "one thread initialises each mbarrier, once, before the block's first barrier; and in each phase as many arrive as it was initialised for", read "chapter_3_scan/warp_specialization.md";
    /// An input was written.
    InputChanged: "an input was changed",
        hint "inputs are only read: use shared memory, or the scratch that you are given", read "";
    /// Memory beside an output was written.
    BesideOutput: "memory beside the output was written",
        hint "compare the largest index that is written with the output's length", read "";
    /// What was there before is in the result.
    AddedToOutput: "the result is added to what the output held before",
        hint "an output holds anything at first: store to it once, or add up somewhere that is zero before the launch", read "";
    /// Poison is still there.
    NeverWritten: "part of the output was never written",
        hint "which thread was to write it? Look at the condition before the store, and at the last block", read "";
    /// Variables that are not set back.
    State: "right in the first launch, and wrong in a later one",
        hint "a __device__ variable keeps its value from launch to launch: who sets it back to what it was? The scratch that you are given is as the task says before each launch", read "";
    /// Results depend on the schedule.
    Schedule: "the result depends on the order in which warps and blocks run",
        hint "something is read before it is certain to have been written, or blocks count on an order that nobody promises", read "chapter_1_reduce/across_blocks.md";
    /// An element is missing in a fold.
    LostElement: "an element is left out",
        hint "which thread loads that element, and what does it find when it looks at its value? Count for a block of 8 threads on paper", read "";
    /// An element is in a fold twice.
    DoubledElement: "an element is counted twice",
        hint "which two threads take the same element? Compare the strides and the bounds", read "";
    /// Only some of the elements are there.
    PartOnly: "only a part of the elements is in the result",
        hint "which threads' values reach the result? Follow one that is missing", read "";
    /// The operator's identity is not what pads.
    Identity: "the place of missing elements is filled with something that is not the identity",
        hint "what may a thread past the end bring that changes nothing? For a sum 0; for a maximum the lowest number that there is", read "chapter_1_reduce/what_goes_wrong.md";
    /// Off by the block before only.
    PreviousBlock: "only the previous block's sum is added, not that of all blocks before",
        hint "the sums of the blocks must be scanned themselves", read "chapter_3_scan/across_blocks.md";
    /// Only as many blocks as a block has threads.
    ManyBlocks: "right until there are more blocks than one block has threads",
        hint "what is done with one value a block must go round again, and carry its result on, when there are more of them than threads", read "chapter_3_scan/across_blocks.md#scan-then-add";
    /// What is put before a block holds the block itself.
    OwnBlock: "each block's own elements are also in what is put before it",
        hint "what comes before block b is the sum of the blocks 0 to b - 1: an exclusive scan of the blocks' sums, not an inclusive one", read "chapter_3_scan/across_blocks.md#scan-then-add";
    /// Each warp by itself.
    WarpAlone: "each warp is right by itself; what the warps before it hold is not added",
        hint "where does a warp learn the fold of the warps before it?", read "chapter_3_scan/warp_shuffle.md#warp-shuffle";
    /// Off by the warp before only.
    PreviousWarp: "only the previous warp's fold is added, not that of all warps before",
        hint "the folds of the warps must be scanned themselves", read "chapter_3_scan/warp_shuffle.md#warp-shuffle";
    /// Each block by itself.
    BlockAlone: "each block is right by itself; what lies before it is not added",
        hint "where does a block learn the sum of all before it?", read "chapter_3_scan/across_blocks.md";
    /// Moved by one place.
    Shifted: "the result is right, but one place off",
        hint "inclusive or exclusive? Does element i itself belong to result i?", read "chapter_3_scan/index.md";
    /// The operands are the wrong way round.
    Swapped: "the operands are the wrong way round",
        hint "the earlier element stands left; an operator need not commute", read "chapter_3_scan/two_trees.md";
    /// From the other end.
    Reversed: "it goes the other way round",
        hint "at which end does it begin, and which element is whose neighbour?", read "";
    /// A segment takes what belongs to the one before.
    HeadIgnored: "a head is overlooked: a result holds elements of another segment",
        hint "what lies before a head must not come into its segment, in whatever step", read "chapter_5_segmented_scan/what_goes_wrong.md#heads-that-are-overlooked";
    /// A segment's result lacks its beginning, or some of it.
    SegmentCut: "a result lacks elements of its own segment",
        hint "where does the part begin that the result has: at a warp, at a block, at a round? Something does not get over that border", read "chapter_5_segmented_scan/what_goes_wrong.md#open-sums-across-blocks";
    /// An element that should not be there.
    NotSelected: "something is in the result that does not belong there",
        hint "who decides what is written, and is it asked in every place?", read "chapter_4_compact/index.md";
    /// A mask's byte is taken for 1.
    TruthValue: "a byte of the mask is added as if it were 0 or 1",
        hint "true may be any number but 0: compare it with 0 first", read "chapter_4_compact/what_goes_wrong.md#indices-that-are-off-by-one";
    /// The output is the input.
    Unchanged: "the output is a copy of the input",
        hint "the elements are moved but nothing was done to them", read "";
    /// Right in the first block only.
    BlockOffset: "right in the first block and wrong from the second on",
        hint "is the index that of the whole grid, blockIdx.x * blockDim.x + threadIdx.x, or that within the block?", read "chapter_0_setup/first_kernel.md";
    /// Wrong from a later block on, or in the last.
    LaterBlock: "right in the first blocks, and wrong from a later one on",
        hint "what is special about that block: is it the last one, or the first one behind a bound?", read "chapter_0_setup/first_kernel.md";
    /// Right for one block only.
    OneBlock: "right as long as one block does it all, and wrong for more",
        hint "what must be different in the second block? Its index, and where its result goes", read "";
    /// One lane of each warp.
    Lane: "the same lane of every warp is wrong",
        hint "what is special about that lane: does it have a neighbour, does it come first?", read "chapter_1_reduce/shuffles.md";
    /// Only where the last block is not full.
    Tail: "wrong only where the last block is not full",
        hint "what do threads past the end do?", read "chapter_0_setup/first_kernel.md";
    /// Only powers of two.
    PowersOfTwo: "right for powers of two only",
        hint "a loop that halves a number loses its remainder", read "chapter_1_reduce/what_goes_wrong.md";
    /// Only large sizes.
    Large: "right as long as every element has a thread of its own, and wrong for more elements",
        hint "a grid of fixed size must go round again: i += gridDim.x * blockDim.x", read "chapter_1_reduce/grid_stride.md";
    /// Only if there are many elements, whatever the grid is.
    ManyElements: "right for few elements, and wrong for many",
        hint "what is too small for a large size? An index in a type of 16 or 32 bits, or a constant that bounds how many blocks, rounds or words there are", read "";
    /// A value that stands out.
    SpecialValue: "it is wrong for some values",
        hint "the index is right, and the value stands out: an infinity, NaN, -0.0, a number below 1e-38, or the smallest or largest integer. What does the kernel do with it?", read "";
    /// A counter of few bits.
    NarrowCounter: "a counter is too narrow",
        hint "a counter of 8 or 16 bits wraps at 256 or 65,536: how often can a key occur?", read "chapter_2_histogram/index.md";
    /// A key without a bin.
    NoBin: "a key without a bin is counted",
        hint "which keys have a bin? Compare them as unsigned numbers, before you compute a place from them", read "";
    /// Close, but not close enough.
    Rounding: "close, but further from the exact result than any correct order of additions can be",
        hint "is something added in a narrower type, or in an order deeper than the bound allows?", read "chapter_1_reduce/numbers.md";
    /// The elements are right but in another order.
    Order: "the right elements, in another order",
        hint "where each element goes follows from how many come before it, not from who is first", read "";
    /// Two halves of an index are mixed up.
    Transposed: "rows and columns are mixed up",
        hint "x runs along a row: is threadIdx.x what varies fastest on both sides?", read "";
    /// The elements of a tile, or of a row, in another order.
    TileOrder: "the right elements, but not in their places within the tile",
        hint "what is put at a place of shared memory must be fetched from there: is the place of (row, column) the same function on both sides of the barrier?", read "chapter_6_transpose/what_goes_wrong.md#a-swizzle-on-one-side";
    /// Rows begin at other distances.
    RowLength: "the rows of a matrix are taken to begin at other places than they do",
        hint "a row of the input has cols elements, a row of the output rows; and where a gap follows, the next one begins ld_in or ld_out elements after it", read "chapter_6_transpose/shapes.md#gaps-behind-rows";
    /// Between the rows of the output.
    GapWritten: "what lies between the rows of the output was written",
        hint "a row has rows or cols elements, however far the next one is away: compare with that before storing", read "chapter_6_transpose/shapes.md#gaps-behind-rows";
    /// Elements from a fixed distance beside the right ones.
    Displaced: "the elements are taken from the wrong place",
        hint "take the first wrong element: which place should it come from, and which index does the thread compute?", read "";
    /// Another result.
    Wrong: "the result is wrong",
        hint "take the smallest size that is wrong and follow one element on paper", read "";
    /// It costs more than it may.
    Cost: "it is right, but it costs more than it may",
        hint "", read "";
    /// A prediction is missing.
    Unanswered: "a question is not answered yet",
        hint "put a number in place of the ?", read "";
    /// A prediction is wrong.
    Prediction: "the run counts something else",
        hint "", read "";
    /// A sheet of answers that is none.
    AnswerSheet: "the answers cannot be read",
        hint "each line is `name = number`; `cargo exercise reset` brings back the sheet", read "";
}

impl fmt::Display for Diagnosis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}
