package org.weft.bench.disk;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicLong;
import org.weft.protocol.seam.ForwardedDirectory;
import org.weft.protocol.seam.SegmentDirectory;
import org.weft.protocol.seam.SegmentFile;

/** A folder whose syncs are counted. Thread-safe. */
public final class CountedSegmentDirectory extends ForwardedDirectory {
  private final AtomicLong syncs;

  /**
   * @param syncs grows by one with each sync of a file or of the folder
   */
  public CountedSegmentDirectory(SegmentDirectory folder, AtomicLong syncs) {
    super(folder);
    this.syncs = syncs;
  }

  @Override
  protected SegmentFile forwarded(SegmentFile file) {
    return new ForwardedFile(file) {
      @Override
      public void sync() throws IOException {
        syncs.incrementAndGet();
        super.sync();
      }
    };
  }

  @Override
  public void sync() throws IOException {
    syncs.incrementAndGet();
    super.sync();
  }
}
