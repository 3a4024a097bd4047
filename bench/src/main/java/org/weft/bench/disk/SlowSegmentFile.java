package org.weft.bench.disk;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import org.weft.protocol.rpc.Payload;
import org.weft.protocol.seam.SegmentFile;

/** One of its files. */
record SlowSegmentFile(SegmentFile file, DiskRate rate) implements SegmentFile {
  @Override
  public long sizeBytes() throws IOException {
    return file.sizeBytes();
  }

  @Override
  public void read(ByteBuffer target, long offsetBytes) throws IOException {
    rate.move(target.remaining());
    file.read(target, offsetBytes);
  }

  @Override
  public void write(ByteBuffer[] sources, long offsetBytes) throws IOException {
    long bytes = 0;
    for (ByteBuffer source : sources) {
      bytes += source.remaining();
    }
    rate.move(bytes);
    file.write(sources, offsetBytes);
  }

  @Override
  public void resize(long sizeBytes) throws IOException {
    file.resize(sizeBytes);
  }

  @Override
  public void sync() throws IOException {
    file.sync();
  }

  /** Waits before the payload is there, so that the thread that sends the payload does not wait. */
  @Override
  public Payload payload(long offsetBytes, int lengthBytes, Runnable released) {
    try {
      rate.move(lengthBytes);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return file.payload(offsetBytes, lengthBytes, released);
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
