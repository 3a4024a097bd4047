package org.weft.testkit.sim;

import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import org.weft.protocol.seam.Ticker;

/**
 * A process as a {@link VirtualWire} sees it.
 *
 * @param machine what links between machines are named by
 * @param gate takes what arrives: runs it now, or later if the process is stopped, or never
 * @param alive false from the moment that it was killed
 */
public record WireHost(String machine, Executor gate, Ticker ticker, BooleanSupplier alive) {}
