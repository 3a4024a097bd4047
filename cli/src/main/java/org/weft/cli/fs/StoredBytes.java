package org.weft.cli.fs;

import org.weft.client.FileStatus;
import org.weft.protocol.layout.Layout;

/**
 * What a file takes on its OSDs, parity included and in whole blocks, if it has no holes and no
 * component is missing.
 */
final class StoredBytes {
  private StoredBytes() {}

  static long of(FileStatus status) {
    return status.layout().map(layout -> of(layout, status.sizeBytes())).orElse(0L);
  }

  static long of(Layout layout, long sizeBytes) {
    if (layout.isSmall(sizeBytes)) {
      return blocks(sizeBytes) * (layout.parityUnits() + 1);
    }
    long full = sizeBytes / layout.stripeBytes();
    long rest = sizeBytes % layout.stripeBytes();
    // The parity of the last stripe is as long as its longest data unit.
    long parity = blocks(Math.min(rest, layout.unitBytes())) * layout.parityUnits();
    return full * layout.width() * layout.unitBytes() + blocks(rest) + parity;
  }

  private static long blocks(long bytes) {
    return (bytes + Layout.BLOCK_BYTES - 1) / Layout.BLOCK_BYTES * Layout.BLOCK_BYTES;
  }
}
