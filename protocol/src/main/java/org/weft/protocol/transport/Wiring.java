package org.weft.protocol.transport;

import java.util.random.RandomGenerator;
import org.weft.protocol.seam.Scheduler;
import org.weft.protocol.seam.Ticker;

/** What every connection of a transport is given. */
record Wiring(
    TransportOptions options,
    Scheduler scheduler,
    Ticker ticker,
    RandomGenerator random,
    TransportMetrics metrics,
    RequestMemory requestMemory) {}
