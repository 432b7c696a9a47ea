//! Control flow: resolves labels to indices, and finds where diverged lanes reconverge.
//!
//! Lanes that diverge at a branch reconverge at its immediate post-dominator: the first instruction
//! on every path from the branch to the end of the kernel. It is found by Lengauer and Tarjan's
//! algorithm for dominators, on the reversed graph of basic blocks. The last block of an endless
//! loop counts as an end of the kernel, because without any path to the end there are no
//! post-dominators.

use crate::ir::{Control, Instruction, Op};

/// Replaces labels by indices, and sets where each branch reconverges.
pub(crate) fn resolve(code: &mut [Instruction], index_of: impl Fn(u32) -> u32) {
    for instruction in code.iter_mut() {
        if let Op::Bra(branch) = &mut instruction.op {
            branch.target = index_of(branch.target);
        } else if let Op::BrxIdx { targets, .. } = &mut instruction.op {
            for target in targets {
                *target = index_of(*target);
            }
        }
    }
    let blocks = Blocks::of(code);
    let post_dominators = immediate_post_dominators(&blocks.successors);
    for (block, &post_dominator) in post_dominators.iter().enumerate() {
        let point = post_dominator.map(|block| blocks.starts[block] as u32);
        let last = &mut code[blocks.starts[block + 1] - 1].op;
        if let Op::Bra(branch) = last {
            branch.reconverge = point;
        } else if let Op::BrxIdx { reconverge, .. } = last {
            *reconverge = point;
        }
    }
}

/// The basic blocks of a kernel.
pub(crate) struct Blocks {
    /// The index of each block's first instruction, and the length of the code.
    pub starts: Vec<usize>,
    /// The successors of each block. [`EXIT`] is the end of the kernel.
    pub successors: Vec<Vec<usize>>,
}

/// The end of the kernel, as a successor.
const EXIT: usize = usize::MAX;

impl Blocks {
    /// Finds the basic blocks of a kernel's code.
    pub fn of(code: &[Instruction]) -> Self {
        let mut is_start = vec![false; code.len() + 1];
        is_start[0] = true;
        is_start[code.len()] = true;
        for (index, instruction) in code.iter().enumerate() {
            for &target in instruction.targets() {
                is_start[target as usize] = true;
            }
            is_start[index + 1] |= !matches!(instruction.control(), Control::Next);
        }
        let starts: Vec<usize> = (0..=code.len()).filter(|&index| is_start[index]).collect();
        let mut block_of = vec![0; code.len()];
        for (block, bounds) in starts.windows(2).enumerate() {
            block_of[bounds[0]..bounds[1]].fill(block);
        }
        let successors = starts
            .windows(2)
            .enumerate()
            .map(|(block, bounds)| successors(&code[bounds[1] - 1], block, &block_of))
            .collect();
        Self { starts, successors }
    }
}

/// Returns the successors of a block, given its last instruction.
fn successors(last: &Instruction, block: usize, block_of: &[usize]) -> Vec<usize> {
    let targets = last.targets().iter();
    let mut successors: Vec<usize> = targets.map(|&target| block_of[target as usize]).collect();
    if matches!(last.control(), Control::End) {
        successors.push(EXIT);
    }
    if last.falls_through() {
        successors.push(block + 1);
    }
    successors
}

/// Returns the immediate post-dominator of each node of a graph, or `None` if it is the exit.
fn immediate_post_dominators(successors: &[Vec<usize>]) -> Vec<Option<usize>> {
    let exit = successors.len();
    let mut reversed = vec![Vec::new(); exit + 1];
    for (node, nexts) in successors.iter().enumerate() {
        for &next in nexts {
            reversed[if next == EXIT { exit } else { next }].push(node);
        }
    }
    let search = Search::from_exit(&mut reversed);
    let dominators = Dominators::of(&search, &reversed);
    (0..exit).map(|node| Some(dominators[node]).filter(|&dominator| dominator != exit)).collect()
}

/// A depth-first search of the reversed graph.
struct Search {
    /// Nodes in the order of their discovery.
    order: Vec<usize>,
    /// The index of each node in `order`.
    number: Vec<usize>,
    /// For each node, the node from which it was discovered. Both are indices in `order`.
    parent: Vec<usize>,
}

impl Search {
    /// Searches from the exit, the last node. Nodes that it cannot reach are in endless loops or
    /// lead to one; the last of them in the code gets an edge from the exit, until all are reached.
    fn from_exit(reversed: &mut [Vec<usize>]) -> Self {
        let exit = reversed.len() - 1;
        let mut search = Self {
            order: Vec::with_capacity(reversed.len()),
            number: vec![usize::MAX; reversed.len()],
            parent: Vec::with_capacity(reversed.len()),
        };
        search.visit(exit, 0, reversed);
        for node in (0..exit).rev() {
            if search.number[node] == usize::MAX {
                reversed[exit].push(node);
                search.visit(node, 0, reversed);
            }
        }
        search
    }

    fn visit(&mut self, root: usize, parent: usize, edges: &[Vec<usize>]) {
        let mut stack = vec![(root, parent)];
        while let Some((node, parent)) = stack.pop() {
            if self.number[node] != usize::MAX {
                continue;
            }
            let number = self.order.len();
            self.number[node] = number;
            self.order.push(node);
            self.parent.push(parent);
            stack.extend(edges[node].iter().map(|&next| (next, number)));
        }
    }
}

/// Lengauer and Tarjan's algorithm, in its simple form, O(m log n). Nodes are indices in the
/// search's `order`.
struct Dominators {
    semi: Vec<usize>,
    /// The forest of processed nodes, with compressed paths.
    ancestor: Vec<usize>,
    /// The node with the least `semi` on the path to the ancestor.
    label: Vec<usize>,
}

impl Dominators {
    /// Returns the immediate dominator of each node.
    fn of(search: &Search, edges: &[Vec<usize>]) -> Vec<usize> {
        let count = search.order.len();
        let mut predecessors = vec![Vec::new(); count];
        for (number, &node) in search.order.iter().enumerate() {
            edges[node].iter().for_each(|&next| predecessors[search.number[next]].push(number));
        }
        let mut forest = Self {
            semi: (0..count).collect(),
            ancestor: vec![usize::MAX; count],
            label: (0..count).collect(),
        };
        let mut idom = vec![0; count];
        let mut bucket = vec![Vec::new(); count];
        for node in (1..count).rev() {
            for &predecessor in &predecessors[node] {
                let best = forest.eval(predecessor);
                forest.semi[node] = forest.semi[node].min(forest.semi[best]);
            }
            bucket[forest.semi[node]].push(node);
            let parent = search.parent[node];
            forest.ancestor[node] = parent;
            for member in std::mem::take(&mut bucket[parent]) {
                let best = forest.eval(member);
                let lower = forest.semi[best] < forest.semi[member];
                idom[member] = if lower { best } else { parent };
            }
        }
        for node in 1..count {
            if idom[node] != forest.semi[node] {
                idom[node] = idom[idom[node]];
            }
        }
        let mut dominators = vec![0; count];
        for (number, &node) in search.order.iter().enumerate() {
            dominators[node] = search.order[idom[number]];
        }
        dominators
    }

    /// Returns the node with the least `semi` between a node and the root of its tree, excluding
    /// the root.
    fn eval(&mut self, node: usize) -> usize {
        if self.ancestor[node] == usize::MAX {
            return node;
        }
        // The path is compressed from the top down, without recursion.
        let mut path = vec![node];
        let mut above = self.ancestor[node];
        while self.ancestor[above] != usize::MAX {
            path.push(above);
            above = self.ancestor[above];
        }
        for &lower in path.iter().rev().skip(1) {
            let upper = self.ancestor[lower];
            if self.semi[self.label[upper]] < self.semi[self.label[lower]] {
                self.label[lower] = self.label[upper];
            }
            self.ancestor[lower] = self.ancestor[upper];
        }
        self.label[node]
    }
}

#[cfg(test)]
mod tests;
