package org.weft.hadoop;

import com.google.protobuf.ByteString;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.apache.hadoop.fs.InvalidPathHandleException;
import org.apache.hadoop.fs.PathHandle;
import org.weft.client.FileStatus;
import org.weft.client.WeftPath;
import org.weft.protocol.capability.FileHandle;
import org.weft.protocol.error.WeftException;

/**
 * A file as a status described it, to be opened only if it still is that one.
 *
 * <pre>
 * version u8 = 2 | mayMove u8 | mayChange u8 | objectId u64 | changeNumber u64 | mtime i64 | size u64 |
 * if it may move: the volume's handle of the file, 32 bytes | path, UTF-8
 * </pre>
 *
 * @param handle present if it may move: it is found by this, under whatever name; else it must have
 *     this name
 * @param mayChange its contents may differ. Else any change makes the handle void; where the file
 *     may move, any change of its time or size, as moving is a change, too
 */
record WeftPathHandle(
    WeftPath path,
    long objectId,
    long changeNumber,
    long mtimeMillis,
    long sizeBytes,
    Optional<FileHandle> handle,
    boolean mayChange)
    implements PathHandle {
  private static final long serialVersionUID = 1L;
  private static final byte VERSION = 2;
  private static final int HEAD_BYTES = 3 + 4 * Long.BYTES;

  static WeftPathHandle of(
      WeftPath path, WeftFileStatus status, Optional<FileHandle> handle, boolean mayChange) {
    return new WeftPathHandle(
        path,
        status.objectId(),
        status.changeNumber(),
        status.getModificationTime(),
        status.getLen(),
        handle,
        mayChange);
  }

  boolean mayMove() {
    return handle.isPresent();
  }

  @Override
  public ByteBuffer bytes() {
    byte[] name = path.toString().getBytes(StandardCharsets.UTF_8);
    byte[] ofVolume = handle.map(known -> known.encode().toByteArray()).orElse(new byte[0]);
    return ByteBuffer.allocate(HEAD_BYTES + ofVolume.length + name.length)
        .put(VERSION)
        .put((byte) (mayMove() ? 1 : 0))
        .put((byte) (mayChange ? 1 : 0))
        .putLong(objectId)
        .putLong(changeNumber)
        .putLong(mtimeMillis)
        .putLong(sizeBytes)
        .put(ofVolume)
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
      boolean mayMove = bytes.get() != 0;
      boolean mayChange = bytes.get() != 0;
      long objectId = bytes.getLong();
      long changeNumber = bytes.getLong();
      long mtimeMillis = bytes.getLong();
      long sizeBytes = bytes.getLong();
      Optional<FileHandle> ofVolume = mayMove ? Optional.of(handle(bytes)) : Optional.empty();
      WeftPath path = WeftPath.of(StandardCharsets.UTF_8.decode(bytes).toString());
      return new WeftPathHandle(
          path, objectId, changeNumber, mtimeMillis, sizeBytes, ofVolume, mayChange);
    } catch (BufferUnderflowException | IllegalArgumentException | WeftException e) {
      throw new InvalidPathHandleException("these bytes are no path handle of Weft's", e);
    }
  }

  private static FileHandle handle(ByteBuffer from) throws WeftException {
    byte[] encoded = new byte[FileHandle.BYTES];
    from.get(encoded);
    return FileHandle.decode(ByteString.copyFrom(encoded));
  }

  /** Refuses a file that is not the one, or has changed where it must not. */
  void check(FileStatus found) throws InvalidPathHandleException {
    if (found.objectId() != objectId) {
      throw new InvalidPathHandleException(path + ": another file has this name now");
    }
    if (!mayChange && hasChanged(found)) {
      throw new InvalidPathHandleException(path + ": the file has changed");
    }
  }

  private boolean hasChanged(FileStatus found) {
    return mayMove()
        ? found.mtimeMillis() != mtimeMillis || found.sizeBytes() != sizeBytes
        : found.changeNumber() != changeNumber;
  }
}
