package org.weft.bench.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.weft.protocol.rpc.Payload;
import org.weft.protocol.seam.SegmentDirectory;
import org.weft.protocol.seam.SegmentFile;

/** A folder that does what another one does, but for what its subclass does besides. */
abstract class ForwardedDirectory implements SegmentDirectory {
  private final SegmentDirectory folder;

  ForwardedDirectory(SegmentDirectory folder) {
    this.folder = folder;
  }

  /** What stands for a file of the other folder. */
  abstract SegmentFile forwarded(SegmentFile file);

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
  abstract static class ForwardedFile implements SegmentFile {
    private final SegmentFile file;

    ForwardedFile(SegmentFile file) {
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
