package org.weft.metadata.journal;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import org.weft.protocol.rpc.Payload;
import org.weft.protocol.seam.SegmentDirectory;
import org.weft.protocol.seam.SegmentFile;

/**
 * Files in memory on a machine that can lose power. Of the bytes written since the last sync any
 * subset of 512-byte sectors survives. A size that was not synced may be the old or the new one.
 * Files made, deleted or renamed since the directory's last sync may be there or not. What was
 * synced survives.
 *
 * <p>{@link #losePowerAfter} makes every operation fail from some operation on; {@link #restart}
 * gives the directory as the next boot finds it. Not thread-safe.
 */
final class PowerLossDirectory implements SegmentDirectory {
  private static final int SECTOR_BYTES = 512;

  private static final class Content {
    byte[] now = new byte[0];
    byte[] synced = new byte[0];
  }

  private final SortedMap<String, Content> files = new TreeMap<>();
  private SortedMap<String, Content> syncedFiles = new TreeMap<>();
  private int operations;
  private int syncs;
  private int losePowerAt = Integer.MAX_VALUE;
  private boolean diskFull;
  private Error writeError;

  /**
   * Every operation from number {@code operation} on, counted from 0, fails and changes nothing.
   */
  void losePowerAfter(int operation) {
    losePowerAt = operation;
  }

  int operations() {
    return operations;
  }

  int syncs() {
    return syncs;
  }

  void diskFull(boolean full) {
    diskFull = full;
  }

  /** The next write ends in this, and leaves nothing. */
  void throwAtTheNextWrite(Error error) {
    writeError = error;
  }

  /** What a machine finds that lost power now. */
  PowerLossDirectory restart(Random random) {
    PowerLossDirectory next = new PowerLossDirectory();
    List<String> names = new ArrayList<>(files.keySet());
    syncedFiles.keySet().stream().filter(name -> !files.containsKey(name)).forEach(names::add);
    for (String name : names) {
      boolean now = files.containsKey(name);
      boolean synced = syncedFiles.containsKey(name);
      if (now && synced || random.nextBoolean()) {
        Content content = now ? files.get(name) : syncedFiles.get(name);
        next.files.put(name, survivor(content, random));
      }
    }
    next.syncedFiles = new TreeMap<>(next.files);
    return next;
  }

  private static Content survivor(Content content, Random random) {
    int size = random.nextBoolean() ? content.now.length : content.synced.length;
    if (content.now.length == content.synced.length) {
      size = content.now.length;
    }
    byte[] bytes = Arrays.copyOf(content.synced, size);
    int style = random.nextInt(3);
    for (int at = 0; at < Math.min(size, content.now.length); at += SECTOR_BYTES) {
      int length = Math.min(SECTOR_BYTES, Math.min(size, content.now.length) - at);
      if (style == 0 || style == 1 && random.nextBoolean()) {
        System.arraycopy(content.now, at, bytes, at, length);
      }
    }
    Content survivor = new Content();
    survivor.now = bytes;
    survivor.synced = bytes.clone();
    return survivor;
  }

  /** A copy that lost nothing, as after the death of the process alone. */
  PowerLossDirectory copy() {
    PowerLossDirectory copy = new PowerLossDirectory();
    files.forEach(
        (name, content) -> {
          Content same = new Content();
          same.now = content.now.clone();
          same.synced = content.now.clone();
          copy.files.put(name, same);
        });
    copy.syncedFiles = new TreeMap<>(copy.files);
    return copy;
  }

  /** The bytes of a file, to look at and to damage. */
  byte[] bytesOf(String name) {
    return files.get(name).now;
  }

  private void operation() throws IOException {
    if (operations++ >= losePowerAt) {
      throw new IOException("the power is gone");
    }
  }

  @Override
  public SegmentFile open(String name) throws IOException {
    operation();
    Content content = files.get(name);
    if (content == null) {
      throw new NoSuchFileException(name);
    }
    return new MemoryFile(content);
  }

  @Override
  public SegmentFile create(String name) throws IOException {
    operation();
    if (files.containsKey(name)) {
      throw new FileAlreadyExistsException(name);
    }
    Content content = new Content();
    files.put(name, content);
    return new MemoryFile(content);
  }

  @Override
  public List<String> list() throws IOException {
    operation();
    return List.copyOf(files.keySet());
  }

  @Override
  public void delete(String name) throws IOException {
    operation();
    if (files.remove(name) == null) {
      throw new NoSuchFileException(name);
    }
  }

  @Override
  public void rename(String from, String to) throws IOException {
    operation();
    files.put(to, files.remove(from));
  }

  @Override
  public void sync() throws IOException {
    operation();
    syncedFiles = new TreeMap<>(files);
  }

  private final class MemoryFile implements SegmentFile {
    private final Content content;

    MemoryFile(Content content) {
      this.content = content;
    }

    @Override
    public long sizeBytes() throws IOException {
      operation();
      return content.now.length;
    }

    @Override
    public void read(ByteBuffer target, long offsetBytes) throws IOException {
      operation();
      if (offsetBytes + target.remaining() > content.now.length) {
        throw new EOFException();
      }
      target.put(content.now, (int) offsetBytes, target.remaining());
    }

    @Override
    public void write(ByteBuffer[] sources, long offsetBytes) throws IOException {
      operation();
      if (diskFull) {
        throw new IOException("No space left on device");
      }
      if (writeError != null) {
        Error error = writeError;
        writeError = null;
        throw error;
      }
      int at = (int) offsetBytes;
      for (ByteBuffer source : sources) {
        int length = source.remaining();
        if (at + length > content.now.length) {
          content.now = Arrays.copyOf(content.now, at + length);
        }
        source.get(content.now, at, length);
        at += length;
      }
    }

    @Override
    public void resize(long sizeBytes) throws IOException {
      operation();
      content.now = Arrays.copyOf(content.now, (int) sizeBytes);
    }

    @Override
    public void sync() throws IOException {
      operation();
      syncs++;
      content.synced = content.now.clone();
    }

    @Override
    public Payload payload(long offsetBytes, int lengthBytes, Runnable released) {
      throw new UnsupportedOperationException("a journal is not sent");
    }

    @Override
    public void close() {}
  }
}
