/**
 * The file system semantics of one volume: {@link org.weft.metadata.volume.VolumeMachine} decides,
 * one {@link org.weft.metadata.volume.execution.Operation} per kind of request, against cached
 * state. Its decision is a journal record, the reply included (P 6.1; Panasas FAST'08 section 5).
 * Pure and single-threaded: time, random numbers and the cluster's table are handed in, and the
 * code that runs the machine does the IO.
 *
 * <p>{@code metadata.serving} runs the machine, {@code metadata.rpc} makes operations of requests,
 * and {@code metadata.backup} and {@code metadata.salvage} feed it. No other module uses these
 * packages, but for benchmarks and the simulator.
 *
 * <p>This package is on top. Those below it use each other one way. The kinds of operations use
 * {@code operation}, which uses {@code execution}, then {@code path}, then {@code state}. {@code
 * length} is at the bottom.
 */
package org.weft.metadata.volume;
