package org.weft.metadata.volume.execution;

/**
 * The time, as it is handed to the machine.
 *
 * @param wallMillis to be stored and shown: milliseconds since 1970-01-01T00:00:00Z
 * @param monotonicNanos for leases
 */
public record Now(long wallMillis, long monotonicNanos) {}
