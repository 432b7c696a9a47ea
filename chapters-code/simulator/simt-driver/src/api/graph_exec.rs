//! Executable graphs.

use std::ffi::{c_char, c_int, c_uint, c_ulonglong};

use super::graph::{copy, fill, first_version, host_call, kernel};
use crate::context;
use crate::entry::api;
use crate::error::{CUresult, Result};
use crate::graph::{self, Difference};
use crate::handles::Handle;
use crate::types::*;

api! {
    /// Makes an executable graph. There is never anything to report.
    fn cuGraphInstantiate_v2(
        exec: Out<CUgraphExec>,
        graph: CUgraph,
        error_node: Out<CUgraphNode>,
        _log: *mut c_char,
        _log_size: usize,
    ) {
        error_node.set_if_wanted(Handle::NULL)?;
        exec.set(graph::instantiate(graph, 0)?)
    }

    /// Makes an executable graph.
    fn cuGraphInstantiateWithFlags(exec: Out<CUgraphExec>, graph: CUgraph, flags: c_ulonglong) {
        exec.set(graph::instantiate(graph, flags)?)
    }

    /// Makes an executable graph. Uploading, which the flags may ask for, has no effect.
    per_thread(cuGraphInstantiateWithParams_ptsz) fn cuGraphInstantiateWithParams(
        exec: Out<CUgraphExec>,
        graph: CUgraph,
        params: Out<GraphInstantiateParams>,
    ) {
        const UPLOAD: u64 = 2;
        const ERROR: c_uint = 1;
        let wanted = In(params.0.cast_const()).get()?;
        let made = graph::instantiate(graph, wanted.flags & !UPLOAD);
        let result = if made.is_ok() { 0 } else { ERROR };
        params.set(GraphInstantiateParams { error_node: Handle::NULL, result, ..wanted })?;
        exec.set(made?)
    }

    /// The flags of an executable graph.
    fn cuGraphExecGetFlags(exec: CUgraphExec, flags: Out<c_ulonglong>) {
        flags.set(graph::flags(exec)?)
    }

    /// Destroys an executable graph.
    fn cuGraphExecDestroy(exec: CUgraphExec) {
        graph::destroy_exec(exec)
    }

    /// Runs an executable graph.
    per_thread(cuGraphLaunch_ptsz) fn cuGraphLaunch(exec: CUgraphExec, stream: CUstream) {
        graph::launch(exec, stream)
    }

    /// No effect: there is nothing to upload.
    per_thread(cuGraphUpload_ptsz) fn cuGraphUpload(exec: CUgraphExec, stream: CUstream) {
        graph::check_launch(exec, stream)
    }

    /// Changes the launch of a node in an executable graph.
    fn cuGraphExecKernelNodeSetParams(
        exec: CUgraphExec,
        node: CUgraphNode,
        params: In<KernelNodeParams>,
    ) {
        graph::update(exec, node, kernel(&params.get()?)?.1)
    }

    /// Changes the launch of a node in an executable graph.
    fn cuGraphExecKernelNodeSetParams_v2(
        exec: CUgraphExec,
        node: CUgraphNode,
        params: In<KernelNodeParams2>,
    ) {
        graph::update(exec, node, kernel(&first_version(params.get()?))?.1)
    }

    /// Changes a fill in an executable graph.
    fn cuGraphExecMemsetNodeSetParams(
        exec: CUgraphExec,
        node: CUgraphNode,
        params: In<MemsetNodeParams>,
        context: CUcontext,
    ) {
        context::of(context)?;
        graph::update(exec, node, fill(&params.get()?)?)
    }

    /// Changes a copy in an executable graph.
    fn cuGraphExecMemcpyNodeSetParams(
        exec: CUgraphExec,
        node: CUgraphNode,
        params: In<CudaMemcpy3D>,
        context: CUcontext,
    ) {
        context::of(context)?;
        graph::update(exec, node, copy(&params)?)
    }

    /// Changes a function of the host in an executable graph.
    fn cuGraphExecHostNodeSetParams(
        exec: CUgraphExec,
        node: CUgraphNode,
        params: In<HostNodeParams>,
    ) {
        graph::update(exec, node, host_call(&params)?)
    }

    /// Makes an executable graph do what a graph of the same shape does.
    fn cuGraphExecUpdate_v2(
        exec: CUgraphExec,
        graph: CUgraph,
        result: Out<GraphExecUpdateResultInfo>,
    ) {
        let difference = graph::update_all(exec, graph)?;
        let code = update_result(difference.as_ref());
        let error_node = difference.as_ref().map_or(Handle::NULL, |difference| difference.node);
        let error_from = Handle::NULL;
        result.set(GraphExecUpdateResultInfo { result: code, error_node, error_from })?;
        refuse(difference)
    }

    /// Makes an executable graph do what a graph of the same shape does.
    fn cuGraphExecUpdate(
        exec: CUgraphExec,
        graph: CUgraph,
        error_node: Out<CUgraphNode>,
        result: Out<c_int>,
    ) {
        let difference = graph::update_all(exec, graph)?;
        result.set(update_result(difference.as_ref()))?;
        error_node.set_if_wanted(difference.as_ref().map_or(Handle::NULL, |d| d.node))?;
        refuse(difference)
    }
}

/// `CUgraphExecUpdateResult`
fn update_result(difference: Option<&Difference>) -> c_int {
    match difference {
        None => 0,
        Some(difference) if difference.is_of_type => 3,
        Some(_) => 2,
    }
}

fn refuse(difference: Option<Difference>) -> Result {
    match difference {
        None => Ok(()),
        Some(_) => Err(CUresult::GRAPH_EXEC_UPDATE_FAILURE.because("the graph has another shape")),
    }
}
