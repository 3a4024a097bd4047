package org.weft.client;

import java.nio.ByteBuffer;

/**
 * A whole file in memory.
 *
 * @param bytes from position 0 to its limit
 */
public record FileContent(FileStatus status, ByteBuffer bytes) {}
