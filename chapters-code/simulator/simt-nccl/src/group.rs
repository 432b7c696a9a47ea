//! Collectives and messages: what a thread has called since its group began, and how that is launched.

use std::{
    cell::RefCell,
    collections::BTreeMap,
    ffi::{c_int, c_void},
    mem::take,
};

use cudarc::{
    driver::{
        result,
        sys::{
            CUdeviceptr, CUevent_wait_flags::CU_EVENT_WAIT_DEFAULT as WAIT, CUstream,
            CUstreamCaptureStatus,
        },
    },
    nccl::sys::{ncclComm_t, ncclWindow_t},
};

use crate::{
    driver::{self, Inside, MOST, checked},
    entry::{Result, invalid_argument, invalid_usage},
    ledger::{Calls, Ledger},
    types::{DataType, Operator},
    windows::{self, Request},
    world::{Comm, wait, wait_for_window, world},
};

/// The largest number of messages of a launch: `MOST_MESSAGES` of nccl.cu.
const MOST_MESSAGES: usize = 160;

/// A collective, with the numbers of its operator and its root.
#[derive(Clone, Copy)]
pub enum Kind {
    /// `ncclAllReduce`
    AllReduce(c_int),
    /// `ncclReduce`
    Reduce(c_int, c_int),
    /// `ncclReduceScatter`
    ReduceScatter(c_int),
    /// `ncclBroadcast`
    Broadcast(c_int),
    /// `ncclAllGather`
    AllGather,
    /// `ncclGather`
    Gather(c_int),
    /// `ncclScatter`
    Scatter(c_int),
}

/// What a rank sends from and receives to.
#[derive(Clone, Copy)]
pub struct Buffers {
    /// Where it sends from.
    pub send: *const c_void,
    /// Where it receives to.
    pub receive: *mut c_void,
    /// The number of elements.
    pub count: usize,
    /// The number of their type.
    pub data_type: c_int,
}

/// `Collective` of nccl.cu.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Collective {
    send: CUdeviceptr,
    receive: CUdeviceptr,
    part: usize,
    total: usize,
    send_step: usize,
    receive_step: usize,
    senders: i32,
    receivers: i32,
    op: i32,
    divisor: i32,
    factor: u64,
    factor_at: CUdeviceptr,
}

/// `ALL` and `SELF` of nccl.cu.
const ALL: i32 = -1;
const SELF: i32 = -2;

/// `Messages` of nccl.cu.
#[repr(C)]
struct Messages {
    of: [(CUdeviceptr, usize); MOST_MESSAGES],
    first: [[u8; MOST]; 2],
    end: [[u8; MOST]; 2],
}

/// A call of a group.
struct Call {
    comm: ncclComm_t,
    stream: CUstream,
    /// What has to match on the other side.
    what: String,
    work: Work,
}

enum Work {
    Collective { kernel: String, argument: Collective },
    Message { is_send: bool, peer: usize, address: CUdeviceptr, bytes: usize },
    Window(Request),
}

/// What a thread has called since its outermost group began.
#[derive(Default)]
struct Group {
    depth: usize,
    calls: Vec<Call>,
    /// Communicators that the thread has joined.
    joined: Vec<u64>,
    failed: bool,
}

thread_local! {
    static GROUP: RefCell<Group> = RefCell::default();
}

/// Begins a group.
pub fn start() {
    GROUP.with_borrow_mut(|group| group.depth += 1);
}

/// Ends a group, and launches what the outermost has collected.
pub fn end() -> Result {
    let group = GROUP.with_borrow_mut(|group| match group.depth {
        0 => None,
        1 => Some(take(group)),
        _ => {
            group.depth -= 1;
            Some(Group::default())
        }
    });
    let Some(group) = group else { return invalid_usage("no ncclGroupStart before it") };
    if group.failed {
        return invalid_usage("a call of the group has failed, so none is done");
    }
    group.joined.into_iter().try_for_each(wait)?;
    launch(group.calls)
}

/// Whether the thread is in a group, which then waits for a communicator at its end.
pub fn waits_for(communicator: u64) -> bool {
    GROUP.with_borrow_mut(|group| {
        if group.depth > 0 {
            group.joined.push(communicator);
        }
        group.depth > 0
    })
}

/// Notes that a call of the group has failed, if there is a group.
pub fn fail() {
    GROUP.with_borrow_mut(|group| group.failed |= group.depth > 0);
}

/// Adds a call to the group of this thread, or launches it at once.
fn post(call: Result<Call>) -> Result {
    let call = call.inspect_err(|_| fail())?;
    if GROUP.with_borrow(|group| group.depth == 0) {
        return launch(vec![call]);
    }
    GROUP.with_borrow_mut(|group| group.calls.push(call));
    Ok(())
}

/// Makes sure that a buffer of some elements is device memory.
fn check(address: CUdeviceptr, count: usize, data_type: DataType, which: &str) -> Result {
    let bytes = count.checked_mul(data_type.size());
    let wanted = || format!("{which} buffer at {address:#x}: {count} {}", data_type.name());
    match driver::bytes_from(address) {
        _ if count == 0 => Ok(()),
        None => invalid_argument(format!("{} are not in device memory", wanted())),
        Some(there) if bytes.is_none_or(|bytes| bytes > there) => invalid_argument(format!(
            "{} do not fit: {there} bytes are left of the allocation",
            wanted()
        )),
        Some(_) => Ok(()),
    }
}

/// Makes sure that a number is a rank's.
fn checked_rank(number: c_int, ranks: usize, what: &str) -> Result<usize> {
    match usize::try_from(number) {
        Ok(rank) if rank < ranks => Ok(rank),
        _ => invalid_argument(format!("{what} {number}, where there are {ranks} ranks")),
    }
}

/// Calls a collective.
pub fn collective(
    name: &str,
    kind: Kind,
    buffers: Buffers,
    comm: ncclComm_t,
    stream: CUstream,
) -> Result {
    post(prepare(name, kind, buffers, comm, stream))
}

fn prepare(
    name: &str,
    kind: Kind,
    Buffers { send, receive, count, data_type }: Buffers,
    comm: ncclComm_t,
    stream: CUstream,
) -> Result<Call> {
    let data_type = DataType::new(data_type)?;
    let (send, receive) = (send.addr() as CUdeviceptr, receive.addr() as CUdeviceptr);
    let mut world = world();
    let own = world.comm(comm)?;
    let (ranks, rank) = (own.ranks, own.rank as i32);
    let (op, root, senders, receivers) = match kind {
        Kind::AllReduce(op) => (Some(op), None, ALL, ALL),
        Kind::Reduce(op, root) => (Some(op), Some(root), ALL, root),
        Kind::ReduceScatter(op) => (Some(op), None, ALL, SELF),
        Kind::Broadcast(root) => (None, Some(root), root, ALL),
        Kind::AllGather => (None, None, SELF, ALL),
        Kind::Gather(root) => (None, Some(root), SELF, root),
        Kind::Scatter(root) => (None, Some(root), root, SELF),
    };
    let op = op.map(|number| Operator::new(number, &own.factors)).transpose()?;
    let mut what = format!("{name} of {count} {}", data_type.name());
    if let Some(op) = op {
        what += &format!(" with {}", op.name());
    }
    if let Some(root) = root {
        checked_rank(root, ranks, "root")?;
        what += &format!(" and root {root}");
    }
    // What a rooted collective reads or writes on one rank has no counterpart on the others.
    for (which, at, set) in [("send", send, senders), ("receive", receive, receivers)] {
        if [ALL, SELF].contains(&set) {
            what += &own.windows.place(which, at);
        }
    }
    if let Some(Operator::PremultipliedSum(factor)) = op
        && factor.data_type != data_type
    {
        let (factor, own) = (factor.data_type.name(), data_type.name());
        return invalid_argument(format!(
            "the operator's factor is of {factor}, the buffers of {own}"
        ));
    }
    // A part per rank of one buffer, or a buffer per rank.
    let is_split = senders != SELF && receivers != SELF;
    let Some(total) = (if is_split { Some(count) } else { count.checked_mul(ranks) }) else {
        return invalid_argument(format!("{count} elements for each of {ranks} ranks"));
    };
    let part = if is_split { count.div_ceil(ranks) } else { count };
    let [send_step, receive_step] =
        [senders, receivers].map(|set| if set == SELF { 0 } else { part });
    let inside = Inside::new(own.context)?;
    let elements = |step| if step == 0 { count } else { total };
    if [ALL, SELF, rank].contains(&senders) {
        check(send, elements(send_step), data_type, "send")?;
    }
    if [ALL, SELF, rank].contains(&receivers) {
        check(receive, elements(receive_step), data_type, "receive")?;
    }
    check_stream(own, stream)?;
    drop(inside);
    let arguments = op.map(|op| op.arguments(data_type, ranks));
    let (op, divisor, factor, factor_at) = arguments.unwrap_or_default();
    let kernel = format!("ncclCollective_{}", data_type.kernel(arguments.is_some())?);
    let argument = Collective {
        send,
        receive,
        part,
        total,
        send_step,
        receive_step,
        senders,
        receivers,
        op,
        divisor,
        factor,
        factor_at,
    };
    Ok(Call { comm, stream, what, work: Work::Collective { kernel, argument } })
}

/// Sends or receives.
pub fn message(
    is_send: bool,
    address: usize,
    count: usize,
    data_type: c_int,
    peer: c_int,
    comm: ncclComm_t,
    stream: CUstream,
) -> Result {
    let address = address as CUdeviceptr;
    let prepare = || {
        let data_type = DataType::new(data_type)?;
        let mut world = world();
        let own = world.comm(comm)?;
        let peer = checked_rank(peer, own.ranks, "peer")?;
        let _inside = Inside::new(own.context)?;
        check(address, count, data_type, if is_send { "send" } else { "receive" })?;
        check_stream(own, stream)?;
        let bytes = count * data_type.size();
        let work = Work::Message { is_send, peer, address, bytes };
        Ok(Call { comm, stream, what: format!("{count} {}", data_type.name()), work })
    };
    post(prepare())
}

/// Registers a window.
pub fn window(
    comm: ncclComm_t,
    address: usize,
    bytes: usize,
    to: *mut ncclWindow_t,
    flags: c_int,
) -> Result {
    let request = windows::request(comm, address as CUdeviceptr, bytes, to, flags);
    let stream = std::ptr::null_mut();
    post(request.map(|(request, what)| Call { comm, stream, what, work: Work::Window(request) }))
}

/// Makes sure that a stream is of the rank's context, which is the current one.
fn check_stream(own: &Comm, stream: CUstream) -> Result {
    if driver::context_of(stream)? == own.context {
        return Ok(());
    }
    let Comm { rank, device, .. } = own;
    invalid_argument(format!("the stream is not of device {device}, which is rank {rank}'s"))
}

/// Enqueues calls, if each matches what other ranks have called.
fn launch(calls: Vec<Call>) -> Result {
    let mut world = world();
    let mut noted: BTreeMap<u64, Calls> = BTreeMap::new();
    let mut ranks: Vec<ncclComm_t> = Vec::new();
    let mut registered = Vec::new();
    for call in &calls {
        let (own, clique) = world.comm_and_clique(call.comm)?;
        let noted = noted.entry(own.clique).or_insert_with(|| clique.calls.clone());
        note(call, own.rank, noted)?;
        if let Work::Window(_) = call.work {
            registered.push((own.clique, noted.collectives.calls_of(own.rank)));
        }
        if !ranks.contains(&call.comm) {
            ranks.push(call.comm);
        }
    }
    for &rank in &ranks {
        let (own, clique) = world.comm_and_clique(rank)?;
        if let Some(calls) = noted.remove(&own.clique) {
            clique.calls = calls;
        }
    }
    ranks.into_iter().try_for_each(|rank| launch_of(world.comm(rank)?, rank, &calls))?;
    drop(world);
    registered.into_iter().try_for_each(|(clique, calls)| wait_for_window(clique, calls))
}

/// Notes a call of a rank, if it matches.
fn note(Call { what, work, .. }: &Call, rank: usize, calls: &mut Calls) -> Result {
    match *work {
        Work::Collective { .. } | Work::Window(_) => {
            calls.collectives.call(rank, what).or_else(|(first, other)| {
                invalid_argument(format!(
                    "rank {rank} calls {what}, where rank {first} has called {other}"
                ))
            })
        }
        Work::Message { is_send, peer, .. } => {
            let (from, to, party) = if is_send { (rank, peer, 0) } else { (peer, rank, 1) };
            let ledger = calls.messages.entry((from, to)).or_insert_with(|| Ledger::new(2));
            ledger.call(party, what).or_else(|(_, other)| {
                let [own, others] =
                    if is_send { ["sends", "receives"] } else { ["receives", "sends"] };
                invalid_argument(format!(
                    "rank {rank} {own} {what}, where rank {peer} {others} {other}"
                ))
            })
        }
    }
}

/// Launches what a rank has called: its messages together, and then its collectives in their order. Its windows come first.
fn launch_of(own: &mut Comm, rank: ncclComm_t, calls: &[Call]) -> Result {
    let _inside = Inside::new(own.context)?;
    let calls = || calls.iter().filter(|call| call.comm == rank);
    for call in calls() {
        if let Work::Window(request) = call.work {
            own.windows.add(request)?;
        }
    }
    let mut streams: Vec<CUstream> = Vec::new();
    for call in calls().filter(|call| matches!(call.work, Work::Message { .. })) {
        if !streams.contains(&call.stream) {
            streams.push(call.stream);
        }
    }
    if let [first, others @ ..] = &streams[..] {
        let mut messages = messages(calls())?;
        others.iter().try_for_each(|&other| order(own, other, *first))?;
        launch_one(own, "ncclSendRecv", (own.ranks as u32, 2, 1), &mut messages, *first)?;
        others.iter().try_for_each(|&other| order(own, *first, other))?;
    }
    for call in calls() {
        if let Work::Collective { kernel, argument } = &call.work
            && argument.part > 0
        {
            launch_one(own, kernel, (1, 1, 1), &mut argument.clone(), call.stream)?;
        }
    }
    Ok(())
}

/// The messages of a rank's calls, sorted by direction and peer.
fn messages<'a>(calls: impl Iterator<Item = &'a Call>) -> Result<Messages> {
    let mut sorted: Vec<_> = calls
        .filter_map(|call| match call.work {
            Work::Message { is_send, peer, address, bytes } => {
                Some((usize::from(!is_send), peer, (address, bytes)))
            }
            Work::Collective { .. } | Work::Window(_) => None,
        })
        .collect();
    if sorted.len() > MOST_MESSAGES {
        let count = sorted.len();
        return invalid_usage(format!(
            "{count} sends and receives of a rank in a group: the simulator takes {MOST_MESSAGES}"
        ));
    }
    // Those of a peer stay in their order.
    sorted.sort_by_key(|&(direction, peer, _)| (direction, peer));
    let none = [[0; MOST]; 2];
    let mut messages = Messages { of: [(0, 0); MOST_MESSAGES], first: none, end: none };
    for (index, (direction, peer, message)) in sorted.into_iter().enumerate() {
        messages.of[index] = message;
        if messages.end[direction][peer] == 0 {
            messages.first[direction][peer] = index as u8;
        }
        messages.end[direction][peer] = index as u8 + 1;
    }
    Ok(messages)
}

/// Launches a kernel behind the communicator's last one.
fn launch_one<T>(
    own: &mut Comm,
    kernel: &str,
    grid: (u32, u32, u32),
    argument: &mut T,
    stream: CUstream,
) -> Result {
    // SAFETY: the stream is of the current context, as `check_stream` has found.
    let capture = unsafe { result::stream::is_capturing(stream) };
    let capture = checked(capture, "asking whether the stream is captured")?;
    // What is captured runs in the order of the graph.
    let is_captured = capture != CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_NONE;
    if !is_captured && own.last.is_some_and(|last| last != stream) {
        // SAFETY: both are of the current context.
        let ordered = unsafe { result::stream::wait_event(stream, own.event, WAIT) };
        checked(ordered, "ordering streams")?;
    }
    driver::launch(own.module, kernel, grid, own.control, argument, stream)?;
    if !is_captured {
        // SAFETY: both are of the current context.
        checked(unsafe { result::event::record(own.event, stream) }, "recording an event")?;
        own.last = Some(stream);
    }
    Ok(())
}

/// Lets what comes next in a stream wait for what another one has.
fn order(own: &Comm, before: CUstream, after: CUstream) -> Result {
    // SAFETY: all are of the current context, as `check_stream` has found.
    let ordered = unsafe {
        result::event::record(own.event, before)
            .and_then(|()| result::stream::wait_event(after, own.event, WAIT))
    };
    checked(ordered, "ordering streams")
}
