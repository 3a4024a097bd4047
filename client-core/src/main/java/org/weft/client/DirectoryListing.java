package org.weft.client;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.BiFunction;
import org.weft.client.callback.Callbacks;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.wire.DirectoryEntry;
import org.weft.protocol.wire.FileAttributes;
import org.weft.protocol.wire.FileKind;
import org.weft.protocol.wire.ReaddirReply;

/**
 * The entries of a directory, page by page, in the directory's own order. An entry that is there
 * throughout is seen once; one that comes or goes meanwhile may be seen or not. A page with an
 * entry whose attributes no OSD gives fails with TOO_MANY_LOST, and may be asked for again.
 *
 * <p>One page is asked for at a time: the next call comes after the last future has completed.
 */
public final class DirectoryListing {
  private static final int MAX_NAMED = 5;

  private final WeftPath directory;
  private final boolean withAttributes;
  private final BiFunction<String, Long, CompletableFuture<ReaddirReply>> readdir;
  private final Callbacks callbacks;
  private long cookie;
  private boolean ended;
  private boolean asking;

  DirectoryListing(
      WeftPath directory,
      boolean withAttributes,
      BiFunction<String, Long, CompletableFuture<ReaddirReply>> readdir,
      Callbacks callbacks) {
    this.directory = directory;
    this.withAttributes = withAttributes;
    this.readdir = readdir;
    this.callbacks = callbacks;
  }

  /** The next entries, at least one; empty at the end. */
  public CompletableFuture<Optional<List<FileStatus>>> nextPage() {
    long from;
    synchronized (this) {
      if (asking) {
        throw new IllegalStateException(
            directory + ": the page before has not arrived yet; ask for one at a time");
      }
      if (ended) {
        return CompletableFuture.completedFuture(Optional.empty());
      }
      asking = true;
      from = cookie;
    }
    return callbacks.deliver(
        page(from)
            .whenComplete(
                (page, failure) -> {
                  synchronized (this) {
                    asking = false;
                  }
                }));
  }

  private CompletableFuture<Optional<List<FileStatus>>> page(long from) {
    return readdir.apply(directory.toString(), from).thenApply(this::accept);
  }

  private synchronized Optional<List<FileStatus>> accept(ReaddirReply reply) {
    List<DirectoryEntry> entries = reply.getEntriesList();
    if (withAttributes) {
      requireAttributes(entries);
    }
    ended = reply.getEnd() || entries.isEmpty();
    if (entries.isEmpty()) {
      return Optional.empty();
    }
    cookie = entries.get(entries.size() - 1).getCookie();
    return Optional.of(entries.stream().map(this::status).toList());
  }

  /**
   * Fails where a file's true length is out of reach: a job that planned by a length of zero would
   * skip the file unnoticed.
   */
  private void requireAttributes(List<DirectoryEntry> entries) {
    List<String> without =
        entries.stream()
            .filter(entry -> !entry.hasAttributes() && entry.getKind() != FileKind.VOLUME)
            .map(DirectoryEntry::getName)
            .limit(MAX_NAMED)
            .toList();
    if (!without.isEmpty()) {
      throw new CompletionException(
          new WeftException(
              ErrorCode.TOO_MANY_LOST,
              directory
                  + " cannot be listed: no OSD that has the attributes of "
                  + without
                  + " replies; start the OSDs that are down, weft status shows them"));
    }
  }

  private FileStatus status(DirectoryEntry entry) {
    FileAttributes attributes = entry.getAttributes();
    if (!entry.hasAttributes()) {
      // Not asked for, or another volume's root: its own manager knows the rest.
      attributes =
          FileAttributes.newBuilder()
              .setObjectId(entry.getObjectId())
              .setKind(entry.getKind())
              .build();
    }
    return FileStatus.fromMessage(directory.child(entry.getName()), attributes);
  }
}
