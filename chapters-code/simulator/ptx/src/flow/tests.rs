//! Compares post-dominators with their definition.

use super::*;

/// Computes post-dominators by definition: `b` post-dominates `a` if every path from `a` to the
/// exit contains `b`. The immediate one is the one that all others post-dominate.
fn brute_force(successors: &[Vec<usize>]) -> Vec<Option<usize>> {
    let count = successors.len();
    let reaches_exit = |from: usize, without: usize| {
        let mut seen = vec![false; count];
        let mut stack = vec![from];
        while let Some(node) = stack.pop() {
            if node == EXIT {
                return true;
            }
            if node != without && !std::mem::replace(&mut seen[node], true) {
                stack.extend(&successors[node]);
            }
        }
        false
    };
    let post_dominates = |b: usize, a: usize| a != b && !reaches_exit(a, b);
    (0..count)
        .map(|a| {
            let all: Vec<usize> = (0..count).filter(|&b| post_dominates(b, a)).collect();
            all.iter().copied().find(|&b| all.iter().all(|&c| c == b || post_dominates(c, b)))
        })
        .collect()
}

fn check(successors: &[&[usize]], expected: &[Option<usize>]) {
    let successors: Vec<Vec<usize>> = successors.iter().map(|nexts| nexts.to_vec()).collect();
    assert_eq!(immediate_post_dominators(&successors), expected, "{successors:?}");
}

#[test]
fn shapes_of_programs() {
    // This is an if with an else.
    check(&[&[1, 2], &[3], &[3], &[EXIT]], &[Some(3), Some(3), Some(3), None]);
    // This is a loop.
    check(&[&[1], &[1, 2], &[EXIT]], &[Some(1), Some(2), None]);
    // This is an early return.
    check(&[&[1, EXIT], &[2, 3], &[3], &[EXIT]], &[None, Some(3), Some(3), None]);
    // This is a loop with an exit in its middle.
    check(&[&[1], &[2, 3], &[1, 3], &[EXIT]], &[Some(1), Some(3), Some(3), None]);
    // This is a loop with two entries.
    check(&[&[1, 2], &[2, 3], &[1], &[EXIT]], &[Some(1), Some(3), Some(1), None]);
}

#[test]
fn a_loop_without_end_reconverges_in_its_last_block() {
    check(&[&[1, 2], &[3], &[3], &[0]], &[Some(3), Some(3), Some(3), None]);
    check(&[&[1, 2], &[EXIT], &[3, 4], &[4], &[2]], &[None, None, Some(4), Some(4), None]);
}

/// Pseudo-random numbers by xorshift.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }
}

fn every_node_ends(successors: &[Vec<usize>]) -> bool {
    let mut ends = vec![false; successors.len()];
    for _ in 0..successors.len() {
        for (node, nexts) in successors.iter().enumerate() {
            ends[node] |= nexts.iter().any(|&next| next == EXIT || ends[next]);
        }
    }
    ends.iter().all(|&ends| ends)
}

#[test]
fn random_graphs_agree_with_the_definition() {
    let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
    let mut compared = 0;
    for _ in 0..4000 {
        let count = 1 + numbers.below(12);
        let mut successor = || match numbers.below(count + 1) {
            next if next == count => EXIT,
            next => next,
        };
        let successors: Vec<Vec<usize>> =
            (0..count).map(|node| (0..=node % 3).map(|_| successor()).collect()).collect();
        let found = immediate_post_dominators(&successors);
        if every_node_ends(&successors) {
            assert_eq!(found, brute_force(&successors), "{successors:?}");
            compared += 1;
        }
    }
    assert!(compared > 500, "only {compared} graphs");
}

#[test]
fn a_long_ladder_takes_no_time() {
    // Each node leads to the next two. Quadratic algorithms would take minutes for this.
    let count = 200_000;
    let next = |node: usize| if node < count { node } else { EXIT };
    let successors: Vec<Vec<usize>> =
        (0..count).map(|node| vec![next(node + 1), next(node + 2)]).collect();
    assert_eq!(immediate_post_dominators(&successors)[0], None);
}
