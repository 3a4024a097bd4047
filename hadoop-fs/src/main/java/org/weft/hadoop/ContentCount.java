package org.weft.hadoop;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.fs.ContentSummary;
import org.weft.client.Blocking;
import org.weft.client.DirectoryListing;
import org.weft.client.FileStatus;
import org.weft.client.WeftFiles;
import org.weft.client.WeftPath;
import org.weft.client.WeftQuota;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.layout.Layout;

/** Counts what a directory holds at any depth, with pages of several directories under way. */
final class ContentCount {
  /** A page on its way, and the listing that it belongs to. */
  private record Page(
      DirectoryListing listing, CompletableFuture<Optional<List<FileStatus>>> coming) {}

  private final WeftFiles files;
  private final int pageEntries;
  private final int parallelRequests;
  private final Deque<WeftPath> waiting = new ArrayDeque<>();
  private final Deque<Page> underWay = new ArrayDeque<>();
  private long lengthBytes;
  private long spaceBytes;
  private long fileCount;
  private long directoryCount;

  ContentCount(WeftFiles files, int pageEntries, int parallelRequests) {
    this.files = files;
    this.pageEntries = pageEntries;
    this.parallelRequests = parallelRequests;
  }

  ContentSummary count(WeftPath path) throws IOException {
    FileStatus counted = files.attributes(path);
    add(counted);
    Optional<WeftQuota> quota =
        counted.isDirectory() ? QuotaSummaries.own(files, path) : Optional.empty();
    while (!waiting.isEmpty() || !underWay.isEmpty()) {
      while (!waiting.isEmpty() && underWay.size() < parallelRequests) {
        ask(files.asynchronous().list(waiting.removeFirst(), pageEntries, true));
      }
      take(underWay.removeFirst());
    }
    ContentSummary.Builder summary =
        new ContentSummary.Builder()
            .length(lengthBytes)
            .fileCount(fileCount)
            .directoryCount(directoryCount)
            .spaceConsumed(spaceBytes);
    return quota.map(own -> limited(summary, own.limits())).orElse(summary).build();
  }

  /** What a quota limits is the length: so that is what its remainder is of. */
  private ContentSummary.Builder limited(ContentSummary.Builder summary, WeftQuota.Limits limits) {
    return summary
        .spaceConsumed(limits.hardBytes() == 0 ? spaceBytes : lengthBytes)
        .spaceQuota(QuotaSummaries.limit(limits.hardBytes()))
        .quota(QuotaSummaries.limit(limits.hardFiles()));
  }

  private void ask(DirectoryListing listing) {
    underWay.addLast(new Page(listing, listing.nextPage()));
  }

  private void take(Page page) throws IOException {
    Optional<List<FileStatus>> entries;
    try {
      entries = Blocking.await(page.coming());
    } catch (WeftException e) {
      if (e.code() == ErrorCode.NOT_FOUND) {
        return;
      }
      throw e;
    }
    if (entries.isPresent()) {
      entries.get().forEach(this::add);
      ask(page.listing());
    }
  }

  private void add(FileStatus status) {
    if (status.isDirectory()) {
      directoryCount++;
      waiting.addLast(status.path());
      return;
    }
    fileCount++;
    if (status.isFile()) {
      lengthBytes += status.sizeBytes();
      spaceBytes += spaceBytes(status);
    }
  }

  /** What the file's bytes and their parity take. */
  static long spaceBytes(FileStatus status) {
    return status
        .layout()
        .map(layout -> spaceBytes(layout, status.sizeBytes()))
        .orElse(status.sizeBytes());
  }

  private static long spaceBytes(Layout layout, long fileBytes) {
    if (layout.isSmall(fileBytes)) {
      return fileBytes * (1 + layout.parityUnits());
    }
    long whole = fileBytes / layout.stripeBytes();
    long rest = fileBytes % layout.stripeBytes();
    long parityOfRest = Math.min(rest, layout.unitBytes());
    return fileBytes + layout.parityUnits() * (whole * layout.unitBytes() + parityOfRest);
  }
}
