package org.weft.client;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;

/** Where the bytes of a file being read come from; any number of calls at a time. */
interface FileSource {
  /** Fills the buffer from the offset; the range lies within the file. */
  CompletableFuture<Void> read(long offsetBytes, ByteBuffer target);
}
