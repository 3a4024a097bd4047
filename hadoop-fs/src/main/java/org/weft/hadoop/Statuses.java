package org.weft.hadoop;

import java.util.Optional;
import org.apache.hadoop.fs.Path;
import org.weft.client.FileStatus;
import org.weft.client.FoundNode;
import org.weft.protocol.capability.FileHandle;
import org.weft.protocol.layout.Layout;

/** Makes Hadoop's statuses of Weft's. */
final class Statuses {
  private final PathNames names;
  private final long blockBytes;

  Statuses(PathNames names, long blockBytes) {
    this.names = names;
    this.blockBytes = blockBytes;
  }

  /** One that a path handle can be made of without asking again. */
  WeftFileStatus of(FoundNode found) {
    return of(found.status(), found.handle());
  }

  WeftFileStatus of(FileStatus status) {
    return of(status, Optional.empty());
  }

  private WeftFileStatus of(FileStatus status, Optional<FileHandle> handle) {
    return new WeftFileStatus(
        status, handle, blockBytesOf(status), names.hadoopPath(status.path()), target(status));
  }

  /** As the link says it, seen from the link's directory. */
  private Path target(FileStatus status) {
    if (!status.isSymlink()) {
      return null;
    }
    Path raw = Links.asPath(status.symlinkTarget().orElse(""));
    if (raw.isUriPathAbsolute()) {
      return names.qualified(raw);
    }
    Path directory = names.hadoopPath(status.path().parent().orElse(status.path()));
    return new Path(directory, raw);
  }

  /** Whole stripes: a split that ends within one would make two tasks read it. */
  private long blockBytesOf(FileStatus status) {
    return status.layout().map(this::wholeStripes).orElse(blockBytes);
  }

  private long wholeStripes(Layout layout) {
    long stripe = layout.stripeBytes();
    return (blockBytes + stripe - 1) / stripe * stripe;
  }
}
