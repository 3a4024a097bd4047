package org.weft.bench.disk;

import java.io.IOException;
import java.util.List;
import org.weft.protocol.seam.SegmentDirectory;
import org.weft.protocol.seam.SegmentFile;

/**
 * A folder on a disk of a fixed rate: every byte that is written to its files or read from them
 * takes its time, page cache or not. Seeks cost nothing, and neither does what is not in segment
 * files (the tables). Thread-safe.
 */
public final class SlowSegmentDirectory implements SegmentDirectory {
  private final SegmentDirectory folder;
  private final DiskRate rate;

  public SlowSegmentDirectory(SegmentDirectory folder, long bytesPerSecond) {
    this(folder, new DiskRate(bytesPerSecond));
  }

  SlowSegmentDirectory(SegmentDirectory folder, DiskRate rate) {
    this.folder = folder;
    this.rate = rate;
  }

  @Override
  public SegmentFile open(String name) throws IOException {
    return new SlowSegmentFile(folder.open(name), rate);
  }

  @Override
  public SegmentFile create(String name) throws IOException {
    return new SlowSegmentFile(folder.create(name), rate);
  }

  @Override
  public List<String> list() throws IOException {
    return folder.list();
  }

  @Override
  public void delete(String name) throws IOException {
    folder.delete(name);
  }

  @Override
  public void rename(String from, String to) throws IOException {
    folder.rename(from, to);
  }

  @Override
  public void sync() throws IOException {
    folder.sync();
  }

  @Override
  public long usableBytes() throws IOException {
    return folder.usableBytes();
  }

  @Override
  public boolean keepsWaiting() {
    return true;
  }
}
