package org.weft.hadoop;

import java.io.IOException;
import java.util.NoSuchElementException;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.PathFilter;
import org.apache.hadoop.fs.RemoteIterator;

/** Entries that pass a filter, files with the hosts of their bytes. Not thread-safe. */
final class FilteredListing implements RemoteIterator<LocatedFileStatus> {
  private final RemoteIterator<WeftFileStatus> all;
  private final PathFilter filter;
  private final BlockHosts hosts;
  private WeftFileStatus next;

  FilteredListing(RemoteIterator<WeftFileStatus> all, PathFilter filter, BlockHosts hosts)
      throws IOException {
    this.all = all;
    this.filter = filter;
    this.hosts = hosts;
    advance();
  }

  private void advance() throws IOException {
    next = null;
    while (next == null && all.hasNext()) {
      WeftFileStatus candidate = all.next();
      if (filter.accept(candidate.getPath())) {
        next = candidate;
      }
    }
  }

  @Override
  public boolean hasNext() {
    return next != null;
  }

  @Override
  public LocatedFileStatus next() throws IOException {
    if (next == null) {
      throw new NoSuchElementException("the listing has ended");
    }
    WeftFileStatus current = next;
    advance();
    BlockLocation[] locations =
        current.isFile() ? hosts.locate(current, 0, current.getLen()) : null;
    return new WeftLocatedFileStatus(current, locations);
  }
}
