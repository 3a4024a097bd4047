package org.weft.metadata.journal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.weft.protocol.rpc.Payload;
import org.weft.protocol.seam.SegmentDirectory;
import org.weft.protocol.seam.SegmentFile;

/** Files that are read alone: whatever would change one of them fails. Thread-safe. */
public final class LookedAtFiles implements SegmentDirectory {
  private final String place;
  private final SegmentDirectory files;

  /**
   * @param place of the folder, for people
   */
  public LookedAtFiles(String place, SegmentDirectory files) {
    this.place = place;
    this.files = files;
  }

  /** The refusal of each call that would change something. */
  public static IOException refused(String what) {
    return new IOException(what + " is only looked at, and must not be changed");
  }

  @Override
  public SegmentFile open(String name) throws IOException {
    return new LookedAtFile(place + "/" + name, files.open(name));
  }

  @Override
  public SegmentFile create(String name) throws IOException {
    throw refused(place + "/" + name);
  }

  @Override
  public List<String> list() throws IOException {
    return files.list();
  }

  @Override
  public void delete(String name) throws IOException {
    throw refused(place + "/" + name);
  }

  @Override
  public void rename(String from, String to) throws IOException {
    throw refused(place + "/" + from);
  }

  @Override
  public void sync() throws IOException {
    throw refused(place);
  }

  private record LookedAtFile(String place, SegmentFile file) implements SegmentFile {
    @Override
    public long sizeBytes() throws IOException {
      return file.sizeBytes();
    }

    @Override
    public void read(ByteBuffer target, long offsetBytes) throws IOException {
      file.read(target, offsetBytes);
    }

    @Override
    public void write(ByteBuffer[] sources, long offsetBytes) throws IOException {
      throw refused(place);
    }

    @Override
    public void resize(long sizeBytes) throws IOException {
      throw refused(place);
    }

    @Override
    public void sync() throws IOException {
      throw refused(place);
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
