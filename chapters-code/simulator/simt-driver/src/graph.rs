//! Graphs: operations and what each depends on, and the executable form that is launched.
//!
//! A node is an object with a handle of its own. An executable graph is a copy of the operations
//! in an order in which each follows all that it depends on; later changes of the graph do not
//! reach it.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex};

use crate::capture;
use crate::context::{self, Context};
use crate::error::{CUresult, Failure, Result};
use crate::handles::Handle;
use crate::operation::{self, Operation};
use crate::order::{self, Stamp};
use crate::state::{driver, lock};
use crate::stream;

/// A graph.
#[derive(Default)]
pub struct Graph {
    /// In the order in which they were added.
    nodes: Mutex<Vec<Handle>>,
}

/// A node of a graph.
pub struct Node {
    /// Its graph.
    pub graph: Handle,
    /// The node that it was cloned from, or null.
    original: Handle,
    /// The context in which the operation runs; null for that of the stream.
    pub context: Handle,
    /// What can be changed.
    pub state: Mutex<State>,
}

/// What can be changed of a node.
pub struct State {
    /// What it does.
    pub operation: Operation,
    /// The nodes that come before it.
    pub dependencies: Vec<Handle>,
    /// Addresses of the kernel's arguments, for callers that ask for the node's parameters.
    pub arguments: Vec<usize>,
}

/// An operation of an executable graph.
#[derive(Clone)]
pub struct Step {
    node: Handle,
    /// The steps that it depends on, by their index.
    pub before: Vec<usize>,
    /// Its context; null for that of the stream.
    pub context: Handle,
    /// What it does.
    pub operation: Operation,
}

/// An executable graph.
pub struct Exec {
    /// The flags that it was instantiated with.
    pub flags: u64,
    steps: Mutex<Arc<Vec<Step>>>,
}

/// An empty graph.
pub fn create() -> Result<Handle> {
    Ok(driver()?.graphs.insert(Graph::default()))
}

fn graph(handle: Handle) -> Result<Arc<Graph>> {
    driver()?.graphs.look_up(handle, CUresult::INVALID_VALUE, "a graph")
}

/// The node of a handle.
pub fn node(handle: Handle) -> Result<Arc<Node>> {
    driver()?.nodes.look_up(handle, CUresult::INVALID_VALUE, "a node")
}

fn exec(handle: Handle) -> Result<Arc<Exec>> {
    driver()?.execs.look_up(handle, CUresult::INVALID_VALUE, "an executable graph")
}

/// The nodes of a graph, in the order in which they were added.
pub fn nodes(handle: Handle) -> Result<Vec<Handle>> {
    Ok(lock(&graph(handle)?.nodes).clone())
}

/// Adds a node that comes after `dependencies`.
pub fn add(
    handle: Handle,
    context: Handle,
    operation: Operation,
    dependencies: Vec<Handle>,
) -> Result<Handle> {
    let graph = graph(handle)?;
    for &dependency in &dependencies {
        in_graph(handle, dependency)?;
    }
    if dependencies.iter().collect::<HashSet<_>>().len() < dependencies.len() {
        return Err(CUresult::INVALID_VALUE.because("a dependency is named twice"));
    }
    let new = driver()?.nodes.insert(Node {
        graph: handle,
        original: Handle::NULL,
        context,
        state: Mutex::new(State::new(operation, dependencies)),
    });
    lock(&graph.nodes).push(new);
    Ok(new)
}

impl State {
    fn new(operation: Operation, dependencies: Vec<Handle>) -> Self {
        Self { operation, dependencies, arguments: Vec::new() }
    }
}

/// The node of a handle, if it is of a graph.
pub fn in_graph(graph: Handle, handle: Handle) -> Result<Arc<Node>> {
    let found = node(handle)?;
    if found.graph == graph {
        return Ok(found);
    }
    Err(CUresult::INVALID_VALUE.because(format!("node {:#x} is of another graph", handle.0)))
}

/// Adds dependencies, from each node to the one that comes after it. A cycle is found when the
/// graph is instantiated.
pub fn add_dependencies(graph: Handle, edges: &[(Handle, Handle)]) -> Result {
    for &(from, to) in edges {
        in_graph(graph, from)?;
        let target = in_graph(graph, to)?;
        let mut state = lock(&target.state);
        if from == to || state.dependencies.contains(&from) {
            return Err(CUresult::INVALID_VALUE.because("the dependency is there, or on itself"));
        }
        state.dependencies.push(from);
    }
    Ok(())
}

/// Removes dependencies.
pub fn remove_dependencies(graph: Handle, edges: &[(Handle, Handle)]) -> Result {
    for &(from, to) in edges {
        let target = in_graph(graph, to)?;
        let dependencies = &mut lock(&target.state).dependencies;
        let Some(index) = dependencies.iter().position(|&d| d == from) else {
            return Err(CUresult::INVALID_VALUE.because("there is no such dependency"));
        };
        dependencies.remove(index);
    }
    Ok(())
}

/// All dependencies of a graph, each as the node before and the node after.
pub fn edges(graph: Handle) -> Result<Vec<(Handle, Handle)>> {
    let mut edges = Vec::new();
    for after in nodes(graph)? {
        let before = lock(&node(after)?.state).dependencies.clone();
        edges.extend(before.into_iter().map(|before| (before, after)));
    }
    Ok(edges)
}

/// Nodes, and all that come before them.
pub fn ancestors(last: &[Handle]) -> Result<HashSet<Handle>> {
    let (mut found, mut open) = (HashSet::new(), last.to_vec());
    while let Some(handle) = open.pop() {
        if found.insert(handle) {
            open.extend(&lock(&node(handle)?.state).dependencies);
        }
    }
    Ok(found)
}

/// Destroys a graph and its nodes; executable graphs made from it live on.
pub fn destroy(handle: Handle) -> Result {
    let nodes = nodes(handle)?;
    driver()?.graphs.remove(handle);
    for node in nodes {
        driver()?.nodes.remove(node);
    }
    Ok(())
}

/// Destroys a node; what depended on it does so no longer.
pub fn destroy_node(handle: Handle) -> Result {
    let graph = graph(node(handle)?.graph)?;
    let mut nodes = lock(&graph.nodes);
    nodes.retain(|&other| other != handle);
    for &other in &*nodes {
        lock(&node(other)?.state).dependencies.retain(|&d| d != handle);
    }
    driver()?.nodes.remove(handle);
    Ok(())
}

/// Copies a graph.
pub fn clone(handle: Handle) -> Result<Handle> {
    let (clone, mut copies) = (create()?, HashMap::new());
    for original in nodes(handle)? {
        let source = node(original)?;
        let operation = lock(&source.state).operation.clone();
        let copy = driver()?.nodes.insert(Node {
            graph: clone,
            original,
            context: source.context,
            state: Mutex::new(State::new(operation, Vec::new())),
        });
        copies.insert(original, copy);
        lock(&graph(clone)?.nodes).push(copy);
    }
    let edges = edges(handle)?;
    let copied: Vec<_> = edges.iter().map(|(from, to)| (copies[from], copies[to])).collect();
    add_dependencies(clone, &copied)?;
    Ok(clone)
}

/// The node of a clone that was copied from a node.
pub fn find_in_clone(original: Handle, clone: Handle) -> Result<Handle> {
    for handle in nodes(clone)? {
        if node(handle)?.original == original {
            return Ok(handle);
        }
    }
    Err(CUresult::INVALID_VALUE.because("the graph holds no copy of the node"))
}

/// The nodes of a graph in an order in which each follows all that it depends on, and otherwise
/// in that in which they were added.
fn topological_order(graph: Handle) -> Result<Vec<Handle>> {
    let (mut open, mut done, mut order) = (nodes(graph)?, HashSet::new(), Vec::new());
    while !open.is_empty() {
        let mut waiting = Vec::new();
        for &handle in &open {
            if lock(&node(handle)?.state).dependencies.iter().all(|d| done.contains(d)) {
                done.insert(handle);
                order.push(handle);
            } else {
                waiting.push(handle);
            }
        }
        if waiting.len() == open.len() {
            return Err(CUresult::INVALID_VALUE.because("the graph has a cycle"));
        }
        open = waiting;
    }
    Ok(order)
}

fn steps(graph: Handle) -> Result<Vec<Step>> {
    let order = topological_order(graph)?;
    let index: HashMap<_, _> = order.iter().enumerate().map(|(i, &node)| (node, i)).collect();
    let step = |&handle| {
        let node = node(handle)?;
        let state = lock(&node.state);
        let mut before: Vec<usize> = state.dependencies.iter().map(|d| index[d]).collect();
        before.sort_unstable();
        Ok(Step { node: handle, before, context: node.context, operation: state.operation.clone() })
    };
    order.iter().map(step).collect()
}

/// Makes an executable graph.
pub fn instantiate(graph: Handle, flags: u64) -> Result<Handle> {
    const AUTO_FREE: u64 = 1;
    const DEVICE_LAUNCH: u64 = 4;
    const NODE_PRIORITY: u64 = 8;
    capture::unsafe_call()?;
    match flags & !NODE_PRIORITY {
        0 | AUTO_FREE => {}
        DEVICE_LAUNCH => {
            return Err(CUresult::NOT_SUPPORTED.because("graphs that kernels launch"));
        }
        _ => return Err(CUresult::INVALID_VALUE.because(format!("no such flags: {flags:#x}"))),
    }
    let steps = Mutex::new(Arc::new(steps(graph)?));
    Ok(driver()?.execs.insert(Exec { flags, steps }))
}

/// The flags of an executable graph.
pub fn flags(handle: Handle) -> Result<u64> {
    Ok(exec(handle)?.flags)
}

/// Destroys an executable graph.
pub fn destroy_exec(handle: Handle) -> Result {
    exec(handle)?;
    driver()?.execs.remove(handle);
    Ok(())
}

/// Changes what a node's copy in an executable graph does, to something of the same type.
pub fn update(handle: Handle, node: Handle, operation: Operation) -> Result {
    let exec = exec(handle)?;
    let mut steps = lock(&exec.steps);
    let unknown = || CUresult::INVALID_VALUE.because("the executable graph has no such node");
    let found = Arc::make_mut(&mut steps).iter_mut().find(|s| s.node == node);
    let step = found.ok_or_else(unknown)?;
    same_type(&step.operation, &operation)?;
    step.operation = operation;
    Ok(())
}

/// Where a graph has another shape than an executable graph.
pub struct Difference {
    /// The node that differs; null if the executable graph has more.
    pub node: Handle,
    /// True if the node is of another type.
    pub is_of_type: bool,
}

/// Makes an executable graph do what a graph does, unless the graph has another shape.
pub fn update_all(handle: Handle, graph: Handle) -> Result<Option<Difference>> {
    let exec = exec(handle)?;
    let (new, mut old) = (steps(graph)?, lock(&exec.steps));
    let found = new.iter().zip(&**old).find_map(|(new, old)| {
        let is_of_type = new.operation.node_type() != old.operation.node_type();
        let node = new.node;
        (is_of_type || new.before != old.before).then_some(Difference { node, is_of_type })
    });
    if found.is_some() || new.len() != old.len() {
        let node = new.get(old.len()).map_or(Handle::NULL, |step| step.node);
        let is_of_type = false;
        return Ok(Some(found.unwrap_or(Difference { node, is_of_type })));
    }
    for (step, new) in Arc::make_mut(&mut old).iter_mut().zip(new) {
        (step.context, step.operation) = (new.context, new.operation);
    }
    Ok(None)
}

/// Fails unless one operation may replace the other.
pub fn same_type(old: &Operation, new: &Operation) -> Result {
    if old.node_type() == new.node_type() {
        return Ok(());
    }
    Err(CUresult::INVALID_VALUE.because("the node is of another type"))
}

/// Fails unless a stream can take an executable graph now.
pub fn check_launch(handle: Handle, stream: Handle) -> Result {
    let context = stream::queueing(stream)?;
    exec(handle)?;
    capture::not_capturing(stream, &context)
}

/// Runs an executable graph in a stream.
pub fn launch(handle: Handle, stream: Handle) -> Result {
    check_launch(handle, stream)?;
    let steps = lock(&exec(handle)?.steps).clone();
    operation::submit(stream, Operation::Graph(steps))
}

/// Runs the operations of a graph. One whose kernel faults is the last to run. Those that belong to
/// no context run in that of the stream.
pub fn run(steps: &[Step], stream: &Context, stamp: Option<&Stamp>) -> Result {
    let stamps = stamp.map_or_else(Vec::new, |stamp| order::stamp_steps(stamp, steps));
    for (index, step) in steps.iter().enumerate() {
        let named = |failure: Failure| {
            let cause = failure.cause.unwrap_or_default();
            failure.code.because(format!("node {index} of the graph: {cause}"))
        };
        let other = (!step.context.is_null()).then(|| context::of(step.context));
        let other = other.transpose().map_err(named)?;
        let context = other.as_deref().unwrap_or(stream);
        if context.faulted() {
            break;
        }
        step.operation.run(context, stamps.get(index)).map_err(named)?;
    }
    Ok(())
}
