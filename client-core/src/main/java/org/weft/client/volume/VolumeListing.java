package org.weft.client.volume;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.weft.protocol.wire.DirectoryEntry;
import org.weft.protocol.wire.FileAttributes;
import org.weft.protocol.wire.FileKind;
import org.weft.protocol.wire.ReaddirReply;

/**
 * Pages of a directory in which volumes show with the attributes of their root directories, which
 * their own managers know. Thread-safe.
 */
public final class VolumeListing {
  private final VolumeRouter router;
  private final int plainNames;

  /**
   * Listings.
   *
   * @param plainNames so many names at the end of a path are no links that are followed
   */
  public VolumeListing(VolumeRouter router, int plainNames) {
    this.router = router;
    this.plainNames = plainNames;
  }

  /** As {@link VolumeCalls#readdir}. */
  public CompletableFuture<ReaddirReply> page(
      String path, long cookie, int maxEntries, boolean withAttributes) {
    CompletableFuture<ReaddirReply> page =
        router.at(
            path, calls -> calls.readdir(path, plainNames, cookie, maxEntries, withAttributes));
    return withAttributes ? page.thenCompose(reply -> completed(path, reply)) : page;
  }

  private CompletableFuture<ReaddirReply> completed(String path, ReaddirReply reply) {
    List<CompletableFuture<Void>> asked = new ArrayList<>();
    ReaddirReply.Builder whole = reply.toBuilder();
    for (int index = 0; index < reply.getEntriesCount(); index++) {
      DirectoryEntry entry = reply.getEntries(index);
      if (entry.getKind() == FileKind.VOLUME) {
        DirectoryEntry.Builder target = whole.getEntriesBuilder(index);
        asked.add(rootOf(path, entry).thenAccept(target::setAttributes));
      }
    }
    return asked.isEmpty()
        ? CompletableFuture.completedFuture(reply)
        : CompletableFuture.allOf(asked.toArray(CompletableFuture[]::new))
            .thenApply(all -> whole.build());
  }

  /** A volume whose manager is away does not keep the others from being listed. */
  private CompletableFuture<FileAttributes> rootOf(String path, DirectoryEntry entry) {
    String child = path.equals("/") ? path + entry.getName() : path + "/" + entry.getName();
    FileAttributes unknown =
        FileAttributes.newBuilder()
            .setObjectId(entry.getObjectId())
            .setKind(FileKind.VOLUME)
            .build();
    return router.at(child, calls -> calls.attributes(child)).exceptionally(failure -> unknown);
  }
}
