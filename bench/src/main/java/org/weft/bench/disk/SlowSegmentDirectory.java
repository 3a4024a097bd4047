package org.weft.bench.disk;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import org.weft.protocol.rpc.Payload;
import org.weft.protocol.seam.ForwardedDirectory;
import org.weft.protocol.seam.SegmentDirectory;
import org.weft.protocol.seam.SegmentFile;

/**
 * A folder on a disk of a fixed rate. Every byte that is written to its files or read from them
 * takes its time, also from the page cache. Seeks cost nothing, and neither does what is not in
 * segment files (the tables). Thread-safe.
 */
public final class SlowSegmentDirectory extends ForwardedDirectory {
  private final DiskRate rate;

  public SlowSegmentDirectory(SegmentDirectory folder, long bytesPerSecond) {
    this(folder, new DiskRate(bytesPerSecond));
  }

  SlowSegmentDirectory(SegmentDirectory folder, DiskRate rate) {
    super(folder);
    this.rate = rate;
  }

  @Override
  protected SegmentFile forwarded(SegmentFile file) {
    return new SlowFile(file);
  }

  @Override
  public boolean keepsWaiting() {
    return true;
  }

  private final class SlowFile extends ForwardedFile {
    SlowFile(SegmentFile file) {
      super(file);
    }

    @Override
    public void read(ByteBuffer target, long offsetBytes) throws IOException {
      rate.move(target.remaining());
      super.read(target, offsetBytes);
    }

    @Override
    public void readFromMedium(ByteBuffer target, long offsetBytes) throws IOException {
      rate.move(target.remaining());
      super.readFromMedium(target, offsetBytes);
    }

    @Override
    public void write(ByteBuffer[] sources, long offsetBytes) throws IOException {
      long bytes = 0;
      for (ByteBuffer source : sources) {
        bytes += source.remaining();
      }
      rate.move(bytes);
      super.write(sources, offsetBytes);
    }

    /**
     * The wait comes before the payload is there, so that the thread that sends it does not wait.
     */
    @Override
    public Payload payload(long offsetBytes, int lengthBytes, Runnable released) {
      try {
        rate.move(lengthBytes);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      return super.payload(offsetBytes, lengthBytes, released);
    }
  }
}
