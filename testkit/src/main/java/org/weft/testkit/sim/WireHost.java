package org.weft.testkit.sim;

import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import org.weft.protocol.seam.Ticker;

/**
 * A process as a {@link VirtualWire} sees it.
 *
 * @param machine what links between machines are named by
 * @param gate takes what the process has to do: runs it now, or later if the process is stopped, or
 *     never
 * @param sockets the same for what arrives, by the lane on which it does: of one lane in its order
 * @param alive false from the moment that it was killed
 */
public record WireHost(
    String machine,
    Executor gate,
    BiConsumer<Object, Runnable> sockets,
    Ticker ticker,
    BooleanSupplier alive) {}
