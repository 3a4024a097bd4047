package org.weft.metadata.access;

/**
 * A wait for one OSD.
 *
 * @param problem the last error, for people
 * @param progress another number than before says that the OSD has done something meanwhile, so
 *     that the wait is a new one
 */
public record Waiting(String problem, long progress) {}
