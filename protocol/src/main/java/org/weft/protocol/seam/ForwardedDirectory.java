package org.weft.protocol.seam;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.weft.protocol.rpc.Payload;

/**
 * A folder that passes all on to another one, but for what its subclass does otherwise or besides:
 * it counts, waits or fails. As thread-safe as the other one.
 */
public abstract class ForwardedDirectory implements SegmentDirectory {
  private final SegmentDirectory folder;

  protected ForwardedDirectory(SegmentDirectory folder) {
    this.folder = folder;
  }

  /** What stands for a file of the other folder. */
  protected SegmentFile forwarded(SegmentFile file) {
    return file;
  }

  @Override
  public final SegmentFile open(String name) throws IOException {
    return forwarded(folder.open(name));
  }

  @Override
  public final SegmentFile create(String name) throws IOException {
    return forwarded(folder.create(name));
  }

  @Override
  public final List<String> list() throws IOException {
    return folder.list();
  }

  @Override
  public final void delete(String name) throws IOException {
    folder.delete(name);
  }

  @Override
  public final void rename(String from, String to) throws IOException {
    folder.rename(from, to);
  }

  @Override
  public final long usableBytes() throws IOException {
    return folder.usableBytes();
  }

  @Override
  public void sync() throws IOException {
    folder.sync();
  }

  @Override
  public boolean keepsWaiting() {
    return folder.keepsWaiting();
  }

  /** The same of a file. */
  public abstract static class ForwardedFile implements SegmentFile {
    private final SegmentFile file;

    protected ForwardedFile(SegmentFile file) {
      this.file = file;
    }

    @Override
    public final long sizeBytes() throws IOException {
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
    public final void resize(long sizeBytes) throws IOException {
      file.resize(sizeBytes);
    }

    @Override
    public void sync() throws IOException {
      file.sync();
    }

    @Override
    public Payload payload(long offsetBytes, int lengthBytes, Runnable released) {
      return file.payload(offsetBytes, lengthBytes, released);
    }

    @Override
    public final void close() throws IOException {
      file.close();
    }
  }
}
