package org.weft.nfs.oncrpc;

import org.weft.protocol.seam.Scheduler;
import org.weft.protocol.seam.Ticker;

/** What connections of a transport share. */
record ServerWiring(
    OncRpcOptions options,
    RpcMemory memory,
    DuplicateCache duplicates,
    RpcCounters counters,
    CallObserver observer,
    Scheduler scheduler,
    Ticker ticker,
    SocketGuard guard) {}
