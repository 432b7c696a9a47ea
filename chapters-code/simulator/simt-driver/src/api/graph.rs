//! Graphs and their nodes.

use std::ffi::{c_int, c_uint};

use crate::context;
use crate::entry::api;
use crate::error::{CUresult, Result};
use crate::graph::{self, node};
use crate::handles::Handle;
use crate::launch::{Arguments, Launch, Request};
use crate::operation::{HostCall, Operation};
use crate::state::lock;
use crate::transfer::{Fill, Rows, Transfer};
use crate::types::*;

/// Defines the functions that add a node: from the arguments after the dependencies, a node's context and operation.
macro_rules! with_nodes {
    (
        $($(#[$meta:meta])* fn $name:ident($($arg:ident: $ty:ty),*) => $node:expr;)*
        also { $($others:tt)* }
    ) => {
        api! {
            $($(#[$meta])*
            fn $name(
                node: Out<CUgraphNode>,
                graph: CUgraph,
                dependencies: In<CUgraphNode>,
                count: usize,
                $($arg: $ty,)*
            ) {
                let (context, operation) = $node;
                let dependencies = (0..count).map(|i| dependencies.at(i)).collect::<Result<_>>()?;
                node.set(graph::add(graph, context, operation, dependencies)?)
            })*
            $($others)*
        }
    };
}

with_nodes! {
    /// Adds a kernel.
    fn cuGraphAddKernelNode(params: In<KernelNodeParams>) => kernel(&params.get()?)?;
    /// Adds a kernel.
    fn cuGraphAddKernelNode_v2(params: In<KernelNodeParams2>)
        => kernel(&first_version(params.get()?))?;
    /// Adds a fill.
    fn cuGraphAddMemsetNode(params: In<MemsetNodeParams>, context: CUcontext)
        => (context::of(context)?.handle, fill(&params.get()?)?);
    /// Adds a copy.
    fn cuGraphAddMemcpyNode(params: In<CudaMemcpy3D>, context: CUcontext)
        => (context::of(context)?.handle, copy(&params)?);
    /// Adds a call of a function of the host.
    fn cuGraphAddHostNode(params: In<HostNodeParams>) => (Handle::NULL, host_call(&params)?);
    /// Adds a node that does nothing.
    fn cuGraphAddEmptyNode() => (Handle::NULL, Operation::Empty);
    also {
        /// Makes an empty graph.
        fn cuGraphCreate(graph: Out<CUgraph>, flags: c_uint) {
            if flags != 0 {
                return Err(CUresult::INVALID_VALUE.because(format!("no flags {flags:#x}")));
            }
            graph.set(graph::create()?)
        }

        /// Destroys a graph.
        fn cuGraphDestroy(graph: CUgraph) {
            graph::destroy(graph)
        }

        /// Copies a graph.
        fn cuGraphClone(clone: Out<CUgraph>, original: CUgraph) {
            clone.set(graph::clone(original)?)
        }

        /// The node of a clone that was copied from a node.
        fn cuGraphNodeFindInClone(found: Out<CUgraphNode>, original: CUgraphNode, clone: CUgraph) {
            found.set(graph::find_in_clone(original, clone)?)
        }

        /// Destroys a node.
        fn cuGraphDestroyNode(node: CUgraphNode) {
            graph::destroy_node(node)
        }

        /// Adds dependencies.
        fn cuGraphAddDependencies(
            graph: CUgraph,
            from: In<CUgraphNode>,
            to: In<CUgraphNode>,
            count: usize,
        ) {
            graph::add_dependencies(graph, &pairs(&from, &to, count)?)
        }

        /// Adds dependencies, which have no data.
        fn cuGraphAddDependencies_v2(
            graph: CUgraph,
            from: In<CUgraphNode>,
            to: In<CUgraphNode>,
            data: In<u64>,
            count: usize,
        ) {
            no_data(&data, count)?;
            graph::add_dependencies(graph, &pairs(&from, &to, count)?)
        }

        /// Removes dependencies.
        fn cuGraphRemoveDependencies(
            graph: CUgraph,
            from: In<CUgraphNode>,
            to: In<CUgraphNode>,
            count: usize,
        ) {
            graph::remove_dependencies(graph, &pairs(&from, &to, count)?)
        }

        /// Removes dependencies, which have no data.
        fn cuGraphRemoveDependencies_v2(
            graph: CUgraph,
            from: In<CUgraphNode>,
            to: In<CUgraphNode>,
            data: In<u64>,
            count: usize,
        ) {
            no_data(&data, count)?;
            graph::remove_dependencies(graph, &pairs(&from, &to, count)?)
        }

        /// The nodes of a graph.
        fn cuGraphGetNodes(graph: CUgraph, nodes: Out<CUgraphNode>, count: HostBytes) {
            list(&graph::nodes(graph)?, &[&nodes], count, |&node, _| node)
        }

        /// The nodes of a graph that depend on none.
        fn cuGraphGetRootNodes(graph: CUgraph, nodes: Out<CUgraphNode>, count: HostBytes) {
            let mut roots = graph::nodes(graph)?;
            let edges = graph::edges(graph)?;
            roots.retain(|&node| edges.iter().all(|&(_, after)| after != node));
            list(&roots, &[&nodes], count, |&node, _| node)
        }

        /// The dependencies of a graph.
        fn cuGraphGetEdges(
            graph: CUgraph,
            from: Out<CUgraphNode>,
            to: Out<CUgraphNode>,
            count: HostBytes,
        ) {
            edges(graph, [&from, &to], Out(std::ptr::null_mut()), count)
        }

        /// The dependencies of a graph, which have no data.
        fn cuGraphGetEdges_v2(
            graph: CUgraph,
            from: Out<CUgraphNode>,
            to: Out<CUgraphNode>,
            data: Out<u64>,
            count: HostBytes,
        ) {
            edges(graph, [&from, &to], data, count)
        }

        /// The nodes that come before a node.
        fn cuGraphNodeGetDependencies(handle: CUgraphNode, nodes: Out<CUgraphNode>, count: HostBytes) {
            list(&before(handle)?, &[&nodes], count, |&node, _| node)
        }

        /// The nodes that come before a node. Dependencies have no data.
        fn cuGraphNodeGetDependencies_v2(
            handle: CUgraphNode,
            nodes: Out<CUgraphNode>,
            data: Out<u64>,
            count: HostBytes,
        ) {
            clear(&data, count, before(handle)?.len())?;
            list(&before(handle)?, &[&nodes], count, |&node, _| node)
        }

        /// The nodes that come after a node.
        fn cuGraphNodeGetDependentNodes(
            handle: CUgraphNode,
            nodes: Out<CUgraphNode>,
            count: HostBytes,
        ) {
            list(&after(handle)?, &[&nodes], count, |&node, _| node)
        }

        /// The nodes that come after a node. Dependencies have no data.
        fn cuGraphNodeGetDependentNodes_v2(
            handle: CUgraphNode,
            nodes: Out<CUgraphNode>,
            data: Out<u64>,
            count: HostBytes,
        ) {
            clear(&data, count, after(handle)?.len())?;
            list(&after(handle)?, &[&nodes], count, |&node, _| node)
        }

        /// What a node does.
        fn cuGraphNodeGetType(handle: CUgraphNode, kind: Out<c_int>) {
            kind.set(lock(&node(handle)?.state).operation.node_type())
        }

        /// The launch of a kernel's node. The arguments are the node's own.
        fn cuGraphKernelNodeGetParams(handle: CUgraphNode, params: Out<KernelNodeParams>) {
            params.set(kernel_params(handle)?)
        }

        /// The launch of a kernel's node. The arguments are the node's own.
        fn cuGraphKernelNodeGetParams_v2(handle: CUgraphNode, params: Out<KernelNodeParams2>) {
            params.set(KernelNodeParams2 {
                base: kernel_params(handle)?,
                kernel: Handle::NULL,
                context: node(handle)?.context,
            })
        }

        /// Changes the launch of a kernel's node.
        fn cuGraphKernelNodeSetParams(handle: CUgraphNode, params: In<KernelNodeParams>) {
            set(handle, kernel(&params.get()?)?.1)
        }

        /// Changes the launch of a kernel's node.
        fn cuGraphKernelNodeSetParams_v2(handle: CUgraphNode, params: In<KernelNodeParams2>) {
            set(handle, kernel(&first_version(params.get()?))?.1)
        }

        /// Changes a fill.
        fn cuGraphMemsetNodeSetParams(handle: CUgraphNode, params: In<MemsetNodeParams>) {
            set(handle, fill(&params.get()?)?)
        }

        /// A fill.
        fn cuGraphMemsetNodeGetParams(handle: CUgraphNode, params: Out<MemsetNodeParams>) {
            let operation = lock(&node(handle)?.state).operation.clone();
            let Operation::Fill(fill) = operation else {
                return Err(other_type());
            };
            let (Rows { address, pitch, width, height }, value, size) = fill.parts();
            let element_size = size as c_uint;
            params.set(MemsetNodeParams { address, pitch, value, element_size, width, height })
        }
    }
}

/// Fails if dependencies have data, as those of programmatic launches do.
pub(super) fn no_data(data: &In<u64>, count: usize) -> Result {
    if data.is_null() {
        return Ok(());
    }
    for index in 0..count {
        if data.at(index)? != 0 {
            return Err(CUresult::NOT_SUPPORTED.because("a dependency with data"));
        }
    }
    Ok(())
}

/// Writes that `length` dependencies have no data, for as many as the caller has room for.
fn clear(data: &Out<u64>, count: HostBytes, length: usize) -> Result {
    if data.0.is_null() {
        return Ok(());
    }
    (0..length.min(count.load()?)).try_for_each(|i| Out(data.0.wrapping_add(i)).set(0))
}

fn before(handle: CUgraphNode) -> Result<Vec<Handle>> {
    Ok(lock(&node(handle)?.state).dependencies.clone())
}

fn after(handle: CUgraphNode) -> Result<Vec<Handle>> {
    let edges = graph::edges(node(handle)?.graph)?.into_iter();
    let after = edges.filter(|&(before, _)| before == handle);
    Ok(after.map(|(_, after)| after).collect())
}

fn edges(graph: CUgraph, ends: [&Out<CUgraphNode>; 2], data: Out<u64>, count: HostBytes) -> Result {
    let edges = graph::edges(graph)?;
    if ends.iter().any(|end| !end.0.is_null()) {
        clear(&data, count, edges.len())?;
    }
    let end = |&(from, to): &(Handle, Handle), side| if side == 0 { from } else { to };
    list(&edges, &ends, count, end)
}

fn pairs(
    from: &In<CUgraphNode>,
    to: &In<CUgraphNode>,
    count: usize,
) -> Result<Vec<(Handle, Handle)>> {
    (0..count).map(|i| Ok((from.at(i)?, to.at(i)?))).collect()
}

/// The launch and its context.
pub(super) fn kernel(params: &KernelNodeParams) -> Result<(CUcontext, Operation)> {
    let &KernelNodeParams { function, grid, block, shared_mem_bytes, .. } = params;
    let request = Request::new(function, grid, block, shared_mem_bytes);
    let arguments = Arguments { pointers: In(params.pointers), extra: In(params.extra) };
    let launch = Launch::new(&request, &arguments)?;
    Ok((launch.function.context, Operation::Kernel(launch)))
}

/// The parameters with the function in the one place where the first version has it.
pub(super) fn first_version(params: KernelNodeParams2) -> KernelNodeParams {
    let mut base = params.base;
    if base.function.is_null() {
        base.function = params.kernel;
    }
    base
}

/// The fill.
pub(super) fn fill(params: &MemsetNodeParams) -> Result<Operation> {
    let &MemsetNodeParams { address, pitch, value, element_size, width, height } = params;
    let rows = Rows { address, pitch, width, height };
    Fill::new(rows, value, element_size as usize).map(Operation::Fill)
}

/// The copy.
pub(super) fn copy(params: &In<CudaMemcpy3D>) -> Result<Operation> {
    Transfer::layers(&params.get()?).map(Operation::Copy)
}

/// The call of a function of the host.
pub(super) fn host_call(params: &In<HostNodeParams>) -> Result<Operation> {
    let HostNodeParams { function, user_data } = params.get()?;
    HostCall::new(function, user_data).map(Operation::Host)
}

fn set(handle: CUgraphNode, operation: Operation) -> Result {
    let node = node(handle)?;
    let mut state = lock(&node.state);
    graph::same_type(&state.operation, &operation)?;
    state.operation = operation;
    Ok(())
}

fn kernel_params(handle: CUgraphNode) -> Result<KernelNodeParams> {
    let node = node(handle)?;
    let mut state = lock(&node.state);
    let Operation::Kernel(launch) = &state.operation else {
        return Err(other_type());
    };
    let Request { function, grid, block, dynamic_shared, .. } = launch.request;
    let addresses = launch.argument_addresses();
    state.arguments = addresses;
    Ok(KernelNodeParams {
        function,
        grid,
        block,
        shared_mem_bytes: dynamic_shared,
        pointers: state.arguments.as_ptr(),
        extra: std::ptr::null(),
    })
}

fn other_type() -> crate::error::Failure {
    CUresult::INVALID_VALUE.because("the node is of another type")
}

/// Writes a list to an array for as many elements as the caller has room for, nulls behind its
/// end, and its length; without an array the length only. `side` picks what goes to which array.
fn list<T>(
    items: &[T],
    arrays: &[&Out<CUgraphNode>],
    count: HostBytes,
    side: impl Fn(&T, usize) -> Handle,
) -> Result {
    if arrays.iter().any(|array| array.0.is_null()) {
        return count.store(items.len());
    }
    let room: usize = count.load()?;
    for (number, array) in arrays.iter().enumerate() {
        for index in 0..room {
            let value = items.get(index).map_or(Handle::NULL, |item| side(item, number));
            Out(array.0.wrapping_add(index)).set(value)?;
        }
    }
    count.store(items.len().min(room))
}
