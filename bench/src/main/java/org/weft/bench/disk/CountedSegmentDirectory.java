package org.weft.bench.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.weft.protocol.rpc.Payload;
import org.weft.protocol.seam.SegmentDirectory;
import org.weft.protocol.seam.SegmentFile;

/** A folder whose syncs are counted. Thread-safe. */
public final class CountedSegmentDirectory implements SegmentDirectory {
  private final SegmentDirectory folder;
  private final AtomicLong syncs;

  /**
   * @param syncs grows by one with each sync of a file or of the folder
   */
  public CountedSegmentDirectory(SegmentDirectory folder, AtomicLong syncs) {
    this.folder = folder;
    this.syncs = syncs;
  }

  @Override
  public SegmentFile open(String name) throws IOException {
    return new Counted(folder.open(name));
  }

  @Override
  public SegmentFile create(String name) throws IOException {
    return new Counted(folder.create(name));
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
  public long usableBytes() throws IOException {
    return folder.usableBytes();
  }

  @Override
  public void sync() throws IOException {
    syncs.incrementAndGet();
    folder.sync();
  }

  @Override
  public boolean keepsWaiting() {
    return folder.keepsWaiting();
  }

  private final class Counted implements SegmentFile {
    private final SegmentFile file;

    private Counted(SegmentFile file) {
      this.file = file;
    }

    @Override
    public long sizeBytes() throws IOException {
      return file.sizeBytes();
    }

    @Override
    public void read(ByteBuffer target, long offsetBytes) throws IOException {
      file.read(target, offsetBytes);
    }

    @Override
    public void readFromMedium(ByteBuffer target, long offsetBytes) throws IOException {
      file.readFromMedium(target, offsetBytes);
    }

    @Override
    public void write(ByteBuffer[] sources, long offsetBytes) throws IOException {
      file.write(sources, offsetBytes);
    }

    @Override
    public void resize(long sizeBytes) throws IOException {
      file.resize(sizeBytes);
    }

    @Override
    public void sync() throws IOException {
      syncs.incrementAndGet();
      file.sync();
    }

    @Override
    public Payload payload(long offsetBytes, int lengthBytes, Runnable released) {
      return file.payload(offsetBytes, lengthBytes, released);
    }

    @Override
    public void close() throws IOException {
      file.close();
    }
  }
}
