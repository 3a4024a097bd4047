package org.weft.hadoop;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.apache.hadoop.fs.InvalidPathHandleException;
import org.apache.hadoop.fs.PathHandle;
import org.weft.client.FileStatus;
import org.weft.client.WeftPath;

/**
 * A file as a status described it, to be opened only if it still is that one.
 *
 * <pre>version u8 | mayChange u8 | objectId u64 | changeNumber u64 | path, UTF-8</pre>
 *
 * @param mayChange its contents may differ; else any change of the file makes the handle void
 */
record WeftPathHandle(WeftPath path, long objectId, long changeNumber, boolean mayChange)
    implements PathHandle {
  private static final long serialVersionUID = 1L;
  private static final byte VERSION = 1;
  private static final int HEAD_BYTES = 2 + 2 * Long.BYTES;

  @Override
  public ByteBuffer bytes() {
    byte[] name = path.toString().getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.allocate(HEAD_BYTES + name.length)
        .put(VERSION)
        .put((byte) (mayChange ? 1 : 0))
        .putLong(objectId)
        .putLong(changeNumber)
        .put(name)
        .flip()
        .asReadOnlyBuffer();
  }

  /** A handle of our own, or one that travelled as bytes. */
  static WeftPathHandle of(PathHandle handle) throws InvalidPathHandleException {
    if (handle instanceof WeftPathHandle own) {
      return own;
    }
    ByteBuffer bytes = handle.bytes().duplicate();
    try {
      byte version = bytes.get();
      if (version != VERSION) {
        throw new InvalidPathHandleException(
            "a path handle of version " + version + "; this release knows version " + VERSION);
      }
      boolean mayChange = bytes.get() != 0;
      long objectId = bytes.getLong();
      long changeNumber = bytes.getLong();
      WeftPath path = WeftPath.of(StandardCharsets.UTF_8.decode(bytes).toString());
      return new WeftPathHandle(path, objectId, changeNumber, mayChange);
    } catch (BufferUnderflowException | IllegalArgumentException e) {
      throw new InvalidPathHandleException("these bytes are no path handle of Weft's", e);
    }
  }

  /** Refuses a file that is not the one, or has changed where it must not. */
  void check(FileStatus found) throws InvalidPathHandleException {
    if (found.objectId() != objectId) {
      throw new InvalidPathHandleException(path + ": another file has this name now");
    }
    if (!mayChange && found.changeNumber() != changeNumber) {
      throw new InvalidPathHandleException(path + ": the file has changed");
    }
  }
}
