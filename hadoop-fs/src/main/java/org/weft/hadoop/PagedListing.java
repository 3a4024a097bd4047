package org.weft.hadoop;

import java.io.IOException;
import java.util.NoSuchElementException;
import java.util.function.Function;
import org.apache.hadoop.fs.RemoteIterator;
import org.weft.client.FileStatus;
import org.weft.client.WeftFiles;
import org.weft.protocol.error.WeftException;

/** The entries of a directory, page by page, in the directory's own order. Not thread-safe. */
final class PagedListing<T> implements RemoteIterator<T> {
  private final WeftFiles.PageReader pages;
  private final Function<FileStatus, T> convert;
  private FileStatus next;

  PagedListing(WeftFiles.PageReader pages, Function<FileStatus, T> convert) throws IOException {
    this.pages = pages;
    this.convert = convert;
    this.next = pages.next();
  }

  @Override
  public boolean hasNext() {
    return next != null;
  }

  @Override
  public T next() throws IOException {
    if (next == null) {
      throw new NoSuchElementException("the listing has ended");
    }
    FileStatus current = next;
    try {
      next = pages.next();
    } catch (WeftException e) {
      throw HadoopFailures.ofLookup(e, current.path());
    }
    return convert.apply(current);
  }
}
