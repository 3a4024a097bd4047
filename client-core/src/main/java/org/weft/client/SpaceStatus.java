package org.weft.client;

/**
 * The space of a volume, in bytes of raw capacity: what parity takes is not taken off.
 *
 * @param files files and directories
 */
public record SpaceStatus(long capacityBytes, long usedBytes, long freeBytes, long files) {}
