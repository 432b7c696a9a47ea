//! The planted kernels and their launches. Each is followed, under its name with `_ok`, by the same
//! kernel without the bug.

#![allow(dead_code)] // each of the programs that include it uses its part

/// What is wrong with a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Bug {
    /// Two accesses that nothing orders.
    Race,
    /// A barrier that not everybody reaches, or that is called wrongly.
    Barrier,
    /// A warp-wide operation that names lanes which take no part.
    Lanes,
    /// An access to what is no memory.
    OutOfBounds,
    /// An address that is no multiple of the access's size.
    Misaligned,
    /// A read of what nobody has written.
    Uninitialised,
    /// Waiting for what cannot come.
    Deadlock,
    /// A copy that need not see what ordinary instructions did.
    Fence,
    /// An mbarrier used wrongly, which the schedule makes a race, a deadlock, or an instruction on what
    /// is no mbarrier.
    Mbarrier,
}

/// A kernel with a bug, and how it and its twin are launched.
#[derive(Clone, Copy, Debug)]
pub struct Planted {
    /// Its name.
    pub name: &'static str,
    /// The source file, without `.cu`.
    pub file: &'static str,
    /// The PTX of that file.
    pub ptx: &'static str,
    /// Its bug.
    pub bug: Bug,
    /// Blocks.
    pub grid: u32,
    /// Threads a block.
    pub block: u32,
    /// Elements of `in`, `out` and `fresh`.
    pub n: u32,
}

/// Elements of `scratch`.
pub const SCRATCH: u32 = 1024;

/// Element `i` of `in`.
pub fn input(i: u32) -> i32 {
    (i * 37 + 11) as i32 % 61
}

impl Planted {
    /// Bytes of dynamic shared memory.
    pub fn dynamic_shared(&self) -> u32 {
        match self.name {
            "too_little_dynamic_shared" => 4 * self.block,
            "very_many_mbarriers" => 8 * 16_391,
            "static_into_dynamic" | "dynamic_into_static" | "parts_of_dynamic" => 4 * self.block,
            _ => 0,
        }
    }

    /// True if the host frees `fresh` before the launch.
    pub fn frees(&self) -> bool {
        self.name == "freed_memory"
    }

    /// The name of the kernel without the bug.
    pub fn twin(&self) -> String {
        format!("{}_ok", self.name)
    }
}

macro_rules! planted {
    ($($file:literal $ptx:literal: $($name:ident $bug:ident ($grid:literal, $block:literal, $n:literal))*;)*) => {
        &[$($(Planted {
            name: stringify!($name),
            file: $file,
            ptx: include_str!(concat!("kernels/", $ptx, ".ptx")),
            bug: Bug::$bug,
            grid: $grid,
            block: $block,
            n: $n,
        },)*)*]
    };
}

/// Those on which compute-sanitizer has been run, file by file.
pub const PLANTED: &[Planted] = planted! {
    "shared" "shared":
        tree_first_barrier Race (1, 128, 128)
        tree_step_barrier Race (1, 128, 128)
        reused_scratch Race (1, 128, 128)
        hillis_steele Race (1, 128, 128)
        transposed_tile Race (1, 128, 128)
        one_buffer_for_two Race (1, 128, 128)
        told_by_one Race (1, 128, 128)
        bins_without_atomics Race (1, 128, 128)
        bins_zeroed_late Race (1, 128, 128)
        total_zeroed_late Race (1, 128, 128)
        stencil_in_place Race (1, 128, 128)
        last_writer_wins Race (1, 128, 128)
        neighbouring_shorts Race (1, 128, 128)
        tile_drawn_early Race (1, 128, 128)
        result_read_early Race (1, 128, 128);
    "warp" "warp":
        warp_tree Race (1, 64, 64)
        warp_tree_volatile Race (1, 64, 64)
        warp_exchange Race (1, 32, 32)
        half_a_syncwarp Race (1, 32, 32)
        shuffle_as_barrier Race (1, 32, 32)
        vote_as_barrier Race (1, 32, 32)
        lanes_write_one_word Race (1, 32, 32)
        place_in_queue Race (1, 32, 32)
        warp_exchange_global Race (1, 32, 32)
        bytes_of_a_word Race (1, 32, 32);
    "global" "global":
        global_bins Race (4, 64, 256)
        total_of_blocks Race (4, 32, 128)
        next_block Race (4, 64, 256)
        plain_flags Race (4, 64, 256)
        counters_cleared_by_first Race (4, 64, 256)
        watched_counter_cleared Race (2, 64, 128)
        rotation_in_place Race (1, 128, 128)
        own_results Race (2, 64, 128)
        pivot_row Race (1, 64, 64);
    "flags" "flags":
        last_block_unfenced Race (4, 64, 256)
        last_block_fenced_in_block Race (4, 64, 256)
        last_block_fenced_by_one Race (4, 64, 256)
        look_back_unfenced Race (4, 64, 256)
        look_back_fenced_late Race (4, 64, 256)
        look_back_by_one Race (4, 64, 256)
        plain_look_at_flag Race (2, 32, 64)
        lock_unfenced Race (4, 32, 128)
        lock_let_go_early Race (4, 32, 128)
        lock_of_lanes Race (1, 32, 32)
        shared_flag_unfenced Race (1, 64, 64)
        buffer_given_back_early Race (1, 64, 64)
        counter_at_block_scope Race (4, 64, 64)
        last_block_at_block_scope Race (4, 32, 64)
        released_at_block_scope Race (2, 32, 64)
        acquired_at_block_scope Race (2, 64, 64);
    "barriers" "barriers":
        barrier_for_half_a_warp Barrier (1, 64, 64)
        barrier_for_half_a_block Barrier (1, 64, 64)
        barrier_for_half_of_each_warp Barrier (1, 64, 64)
        barrier_on_either_side Barrier (1, 64, 64)
        barrier_trips_differ Barrier (1, 64, 64)
        barrier_trips_differ_before_barrier Barrier (1, 64, 64)
        barrier_trips_differ_at_end Barrier (1, 64, 64)
        barrier_skipped_at_end Barrier (1, 64, 64)
        barrier_in_ragged_loop Barrier (1, 64, 100)
        one_barrier_more Barrier (1, 64, 64)
        two_barriers_for_a_warp Barrier (1, 64, 64)
        named_barrier_for_more Barrier (1, 128, 128)
        named_barrier_for_some_lanes Barrier (1, 128, 128)
        named_barrier_disagreed Barrier (1, 128, 128)
        shuffle_in_branch Lanes (1, 32, 32)
        two_shuffles Lanes (1, 32, 32)
        shuffle_from_absent_lane Lanes (1, 32, 32)
        shuffle_after_return Lanes (1, 64, 52)
        ballot_in_ragged_loop Lanes (1, 32, 100)
        own_lane_missing Lanes (1, 32, 32)
        lanes_disagree Lanes (1, 32, 32)
        syncwarp_in_branch Lanes (1, 32, 32)
        syncwarp_passed_by Barrier (1, 32, 64)
        syncwarp_for_another Barrier (1, 32, 64);
    "bounds" "bounds":
        read_past_n OutOfBounds (2, 64, 100)
        write_past_n OutOfBounds (2, 64, 100)
        right_neighbour OutOfBounds (1, 64, 64)
        left_neighbour OutOfBounds (1, 64, 64)
        negative_remainder OutOfBounds (1, 64, 100)
        scaled_twice OutOfBounds (1, 64, 64)
        rows_and_columns OutOfBounds (1, 64, 64)
        past_shared_array OutOfBounds (1, 64, 64)
        too_little_dynamic_shared OutOfBounds (1, 64, 64)
        misaligned_vector Misaligned (1, 16, 64)
        misaligned_shared Misaligned (1, 64, 64)
        past_local_array OutOfBounds (1, 32, 64)
        freed_memory OutOfBounds (1, 64, 64)
        null_pointer OutOfBounds (1, 64, 64)
        atomic_past_n OutOfBounds (1, 64, 64);
    "uninitialised" "uninitialised":
        accumulates_into_fresh Uninitialised (1, 64, 64)
        atomics_into_fresh Uninitialised (1, 64, 64)
        half_written Uninitialised (1, 64, 64)
        bytes_half_written Uninitialised (1, 64, 64)
        shared_accumulator Uninitialised (1, 64, 64)
        partial_tile Uninitialised (1, 64, 50)
        halo_forgotten Uninitialised (1, 64, 64)
        local_array Uninitialised (1, 64, 64)
        exchanged_and_looked_at Uninitialised (1, 64, 64)
        padding_compared Uninitialised (1, 32, 64);
    "copies" "copies.compute_80":
        copy_not_waited_for Race (1, 64, 64)
        copy_without_barrier Race (1, 64, 64)
        copy_waited_for_late Race (1, 64, 64)
        copy_of_younger_group Race (1, 64, 64)
        stage_filled_early Race (1, 64, 64);
    "pipelines" "pipelines.compute_90":
        wait_for_wrong_parity Mbarrier (1, 96, 192)
        bytes_not_announced Mbarrier (1, 96, 192)
        too_few_bytes_announced Deadlock (1, 96, 192)
        second_copy_not_announced Mbarrier (1, 96, 192)
        stage_filled_while_in_use Race (1, 96, 192)
        stage_released_unfenced Fence (1, 96, 192)
        stage_acquired_unfenced Fence (1, 96, 192)
        stage_refilled_unfenced Fence (1, 96, 192)
        more_consumers_than_counted Mbarrier (1, 96, 192)
        fewer_consumers_than_counted Deadlock (1, 96, 192)
        arrival_in_one_branch Deadlock (1, 96, 192)
        stage_read_before_wait Race (1, 96, 192)
        lane_arrives_for_others Race (1, 96, 192)
        lane_waits_for_others Race (1, 96, 192)
        barrier_for_a_copy Race (1, 96, 192)
        source_written_late Race (1, 96, 192);
    "mbarriers" "mbarriers.compute_90":
        init_without_barrier Mbarrier (1, 64, 128)
        init_not_fenced Fence (1, 64, 128)
        initialised_every_round Mbarrier (1, 64, 128)
        buffer_over_barrier Mbarrier (1, 64, 128)
        barrier_given_up Mbarrier (1, 64, 128)
        arrives_for_too_many Mbarrier (1, 64, 128)
        result_not_fenced Fence (1, 64, 128)
        result_fenced_early Fence (1, 64, 128)
        result_stored_early Race (1, 64, 128)
        buffer_written_while_copied Race (1, 64, 128)
        younger_buffer_written Race (1, 64, 128)
        result_read_when_source_is Race (1, 64, 128)
        exit_while_copied Race (1, 64, 128)
        misaligned_copy Misaligned (1, 64, 128)
        copy_past_end OutOfBounds (1, 64, 128)
        copy_of_odd_size Mbarrier (1, 64, 128);
    "waiting" "waiting":
        flag_that_nobody_raises Deadlock (2, 64, 128)
        two_locks Deadlock (2, 32, 64)
        lock_not_let_go Deadlock (4, 32, 128)
        flag_behind_barrier Deadlock (1, 64, 64)
        ticket_drawn_twice Deadlock (3, 32, 64)
        grid_barrier Deadlock (4, 64, 256);
};

/// Those on which it has not been run.
pub const UNRECORDED: &[Planted] = planted! {
    "values" "values":
        maximum_of_eleven Lanes (1, 11, 32)
        sum_of_eleven Lanes (1, 11, 32)
        butterfly_of_24 Lanes (1, 24, 32)
        neighbour_into_shared Lanes (1, 11, 32)
        neighbour_as_index Lanes (1, 11, 32)
        neighbour_decides Lanes (1, 11, 32)
        neighbour_into_atomic Lanes (1, 11, 32)
        neighbour_votes Lanes (1, 11, 32)
        half_of_a_pair Lanes (1, 11, 32)
        double_from_absent_lane Lanes (1, 11, 32)
        handed_on Lanes (1, 11, 32)
        butterfly_after_return Lanes (1, 32, 21)
        packed_halves Lanes (1, 11, 32);
    "leaving" "leaving":
        barrier_of_even_lanes_at_end Barrier (1, 64, 64)
        barrier_of_second_warp_at_end Barrier (1, 64, 64)
        thread_zero_returns Barrier (1, 64, 64);
    "arrays" "arrays":
        first_into_second OutOfBounds (1, 64, 64)
        second_into_first OutOfBounds (1, 64, 64)
        static_into_dynamic OutOfBounds (1, 64, 64)
        dynamic_into_static OutOfBounds (1, 64, 64)
        pointer_moved_on OutOfBounds (1, 64, 64)
        vector_across_two OutOfBounds (1, 64, 64)
        row_behind_tile OutOfBounds (1, 64, 64)
        bin_too_many OutOfBounds (1, 64, 64)
        argument_of_function OutOfBounds (1, 64, 64)
        union_of_two_uses OutOfBounds (1, 64, 64)
        parts_of_dynamic OutOfBounds (1, 64, 64);
};

/// All of them.
pub fn all() -> impl Iterator<Item = &'static Planted> {
    PLANTED.iter().chain(UNRECORDED)
}
