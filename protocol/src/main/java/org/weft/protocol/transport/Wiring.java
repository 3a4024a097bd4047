package org.weft.protocol.transport;

import java.util.Optional;
import java.util.random.RandomGenerator;
import org.weft.protocol.seam.Scheduler;
import org.weft.protocol.seam.Ticker;
import org.weft.protocol.transport.memory.ArrivalMemory;
import org.weft.protocol.transport.memory.PayloadMemory;
import org.weft.protocol.transport.memory.RequestMemory;

/**
 * The parts of a transport that every one of its connections uses.
 *
 * @param payloadMemory what payloads arrive in
 * @param machine the kernel's name of this boot, which local sockets are told with; empty if they
 *     are not used
 */
record Wiring(
    TransportOptions options,
    Scheduler scheduler,
    Ticker ticker,
    RandomGenerator random,
    TransportMetrics metrics,
    RequestMemory requestMemory,
    ArrivalMemory arrivalMemory,
    PayloadMemory payloadMemory,
    Optional<String> machine) {}
