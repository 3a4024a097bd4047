package org.weft.hadoop;

import com.google.protobuf.ByteString;
import java.util.Optional;
import org.apache.hadoop.fs.EtagSource;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.weft.protocol.capability.FileHandle;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.layout.StorageMap;

/**
 * A file's status with what Weft adds: an entity tag that differs after each change, the object's
 * id, and where its bytes lie. The last is not carried along when a status is serialised.
 */
public final class WeftFileStatus extends FileStatus implements EtagSource {
  private static final long serialVersionUID = 1L;
  private static final int MODE_BITS = 01777;

  private final long objectId;
  private final long changeNumber;
  private final transient StorageMap map;

  /** Null if it was not asked for. */
  private final byte[] handle;

  WeftFileStatus(
      org.weft.client.FileStatus status,
      Optional<FileHandle> handle,
      long blockBytes,
      Path path,
      Path symlink) {
    super(
        status.sizeBytes(),
        status.isDirectory(),
        status.isDirectory() ? 0 : 1,
        status.isDirectory() ? 0 : blockBytes,
        status.mtimeMillis(),
        status.atimeMillis(),
        new FsPermission((short) (status.mode() & MODE_BITS)),
        status.owner(),
        status.group(),
        symlink,
        path,
        attributes(status.hasAcl(), false, isErasureCoded(status), false));
    this.objectId = status.objectId();
    this.changeNumber = status.changeNumber();
    this.map = status.map().orElse(null);
    this.handle = handle.map(known -> known.encode().toByteArray()).orElse(null);
  }

  private static boolean isErasureCoded(org.weft.client.FileStatus status) {
    return status.layout().filter(layout -> layout.parityUnits() > 0).isPresent();
  }

  /** Never used again for another file of its volume. */
  public long objectId() {
    return objectId;
  }

  /** Differs after each change of the file or of its attributes. */
  public long changeNumber() {
    return changeNumber;
  }

  /** What the file is reached by whatever its name is; empty in listings. */
  Optional<FileHandle> handle() throws WeftException {
    return handle == null
        ? Optional.empty()
        : Optional.of(FileHandle.decode(ByteString.copyFrom(handle)));
  }

  /** Where the bytes lie; empty for what has none, and after serialisation. */
  Optional<StorageMap> map() {
    return Optional.ofNullable(map);
  }

  @Override
  public String getEtag() {
    return etag(objectId, changeNumber);
  }

  static String etag(long objectId, long changeNumber) {
    return Long.toHexString(objectId) + "-" + Long.toHexString(changeNumber);
  }

  /** By path, as Hadoop has it. */
  @Override
  public boolean equals(Object other) {
    return super.equals(other);
  }

  @Override
  public int hashCode() {
    return super.hashCode();
  }
}
