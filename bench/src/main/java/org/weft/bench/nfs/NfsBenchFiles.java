package org.weft.bench.nfs;

import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.weft.bench.load.BenchFiles;

/**
 * An export of NFS version 3. It keeps the handles of names that it has met, as a kernel keeps its
 * names, and no bytes. Streams have eight transfers of 1 MiB under way. What the server does not
 * keep until its COMMIT (its verifier changed) is an error of the measurement.
 */
final class NfsBenchFiles implements BenchFiles {
  private static final int WINDOW = 8;

  private final NfsCalls calls;
  private final byte[] root;
  private final Closeable connection;
  private final Map<String, byte[]> handles = new ConcurrentHashMap<>();

  /**
   * @param connection under the calls; closed with this
   */
  NfsBenchFiles(NfsCalls calls, byte[] root, Closeable connection) {
    this.calls = calls;
    this.connection = connection;
    this.root = root.clone();
  }

  private static String parent(String path) {
    return path.substring(0, path.lastIndexOf('/'));
  }

  private static String name(String path) {
    return path.substring(path.lastIndexOf('/') + 1);
  }

  private byte[] handle(String path) throws IOException {
    if (path.isEmpty() || path.equals("/")) {
      return root;
    }
    byte[] known = handles.get(path);
    if (known == null) {
      known = calls.lookup(handle(parent(path)), name(path)).handle();
      handles.put(path, known);
    }
    return known;
  }

  @Override
  public void mkdirs(String path) throws IOException {
    if (path.isEmpty() || path.equals("/")) {
      return;
    }
    try {
      var unused = handle(path);
    } catch (NfsCalls.NotThere e) {
      mkdirs(parent(path));
      handles.put(path, calls.mkdir(handle(parent(path)), name(path)));
    }
  }

  @Override
  public Output create(String path) throws IOException {
    byte[] directory = handle(parent(path));
    handles.remove(path);
    byte[] made;
    try {
      made = calls.create(directory, name(path));
    } catch (NfsCalls.IsThere e) {
      // It is replaced, which needs two calls.
      calls.remove(directory, name(path));
      made = calls.create(directory, name(path));
    }
    handles.put(path, made);
    return new Writing(made, 0);
  }

  @Override
  public Output append(String path) throws IOException {
    NfsCalls.Node node = calls.lookup(handle(parent(path)), name(path));
    return new Writing(node.handle(), node.lengthBytes());
  }

  @Override
  public Update update(String path, boolean gathered) throws IOException {
    if (!gathered) {
      // Its writes are UNSTABLE, and would stand beside writes that are durable.
      throw new UnsupportedOperationException("NFS is measured with gathered writes alone");
    }
    return new Updating(new Writing(handle(path), 0));
  }

  @Override
  public Update updateStable(String path) throws IOException {
    return new Stable(handle(path));
  }

  @Override
  public Input open(String path) throws IOException {
    // Close-to-open: a kernel looks at the attributes too.
    calls.getAttributes(handle(path));
    return new Reading(handle(path));
  }

  @Override
  public long lengthBytes(String path) throws IOException {
    try {
      return calls.lookup(handle(parent(path)), name(path)).lengthBytes();
    } catch (NfsCalls.NotThere e) {
      return -1;
    }
  }

  @Override
  public void stat(String path) throws IOException {
    calls.getAttributes(handle(path));
  }

  @Override
  public int list(String path) throws IOException {
    return calls.list(handle(path)).size();
  }

  @Override
  public void rename(String source, String target) throws IOException {
    calls.rename(handle(parent(source)), name(source), handle(parent(target)), name(target));
    byte[] moved = handles.remove(source);
    if (moved == null) {
      handles.remove(target);
    } else {
      handles.put(target, moved);
    }
  }

  @Override
  public void delete(String path) throws IOException {
    calls.remove(handle(parent(path)), name(path));
    handles.remove(path);
  }

  @Override
  public void deleteTree(String path) throws IOException {
    byte[] directory;
    try {
      directory = handle(path);
    } catch (NfsCalls.NotThere e) {
      return;
    }
    for (NfsCalls.Entry entry : calls.list(directory)) {
      String below = path + "/" + entry.name();
      if (entry.isDirectory()) {
        deleteTree(below);
      } else {
        delete(below);
      }
    }
    calls.rmdir(handle(parent(path)), name(path));
    handles.remove(path);
  }

  @Override
  public void close() throws IOException {
    connection.close();
  }

  /** WRITEs under way, in the order of their offsets. */
  private final class Writing implements Output {
    /** One that is not answered. */
    private record UnderWay(int bytes, CompletionStage<NfsCalls.Written> written) {}

    private final byte[] handle;
    private final Deque<UnderWay> underWay = new ArrayDeque<>();
    private long position;
    private long verifier;
    private boolean isCommitted = true;

    Writing(byte[] handle, long position) {
      this.handle = handle;
      this.position = position;
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      write(position, bytes, offset, length);
      position += length;
    }

    void write(long at, byte[] bytes, int offset, int length) throws IOException {
      for (int done = 0; done < length; done += NfsCalls.MAX_BYTES) {
        int count = Math.min(NfsCalls.MAX_BYTES, length - done);
        // The caller uses its array again while this one is under way.
        byte[] own = java.util.Arrays.copyOfRange(bytes, offset + done, offset + done + count);
        underWay.add(
            new UnderWay(count, calls.write(handle, at + done, own, count, NfsCalls.UNSTABLE)));
        if (underWay.size() >= WINDOW) {
          taken();
        }
      }
    }

    private void taken() throws IOException {
      UnderWay oldest = underWay.remove();
      NfsCalls.Written written = NfsCalls.await(oldest.written());
      if (written.countBytes() != oldest.bytes()) {
        throw new IOException("a WRITE took " + written.countBytes() + " of " + oldest.bytes());
      }
      if (!isCommitted && verifier != written.verifier()) {
        throw new IOException("the server started again while it was measured");
      }
      verifier = written.verifier();
      isCommitted = false;
    }

    @Override
    public void flush() throws IOException {
      while (!underWay.isEmpty()) {
        taken();
      }
    }

    @Override
    public void sync() throws IOException {
      flush();
      if (!isCommitted && calls.commit(handle).verifier() != verifier) {
        throw new IOException("the server started again while it was measured");
      }
      isCommitted = true;
    }

    /** As a kernel's close does it. */
    @Override
    public void close() throws IOException {
      sync();
    }
  }

  /** One FILE_SYNC WRITE after another, as of a program that opened the file with O_SYNC. */
  private final class Stable implements Update {
    private final byte[] handle;

    Stable(byte[] handle) {
      this.handle = handle;
    }

    @Override
    public void write(long positionBytes, byte[] bytes, int length) throws IOException {
      NfsCalls.Written written =
          NfsCalls.await(calls.write(handle, positionBytes, bytes, length, NfsCalls.FILE_SYNC));
      if (written.countBytes() != length) {
        throw new IOException("a WRITE took " + written.countBytes() + " of " + length);
      }
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }

  private record Updating(Writing file) implements Update {
    @Override
    public void write(long positionBytes, byte[] bytes, int length) throws IOException {
      file.write(positionBytes, bytes, 0, length);
    }

    @Override
    public void awaitReplies() throws IOException {
      file.flush();
    }

    @Override
    public void flush() throws IOException {
      file.sync();
    }

    @Override
    public void close() throws IOException {
      file.close();
    }
  }

  /** READs under way ahead of a stream. */
  private final class Reading implements Input {
    private final byte[] handle;
    private final Deque<CompletionStage<NfsCalls.Bytes>> ahead = new ArrayDeque<>();
    private byte[] current = new byte[0];
    private int at;
    private long asked;
    private boolean isEnd;

    Reading(byte[] handle) {
      this.handle = handle;
    }

    @Override
    public void readFully(byte[] bytes, int length) throws IOException {
      int done = 0;
      while (done < length) {
        if (at == current.length) {
          next();
        }
        int count = Math.min(length - done, current.length - at);
        System.arraycopy(current, at, bytes, done, count);
        at += count;
        done += count;
      }
    }

    private void next() throws IOException {
      while (!isEnd && ahead.size() < WINDOW) {
        ahead.add(calls.read(handle, asked, NfsCalls.MAX_BYTES));
        asked += NfsCalls.MAX_BYTES;
      }
      if (ahead.isEmpty()) {
        throw new IOException("the file ends early");
      }
      NfsCalls.Bytes read = NfsCalls.await(ahead.remove());
      if (!read.isEnd() && read.data().length < NfsCalls.MAX_BYTES) {
        throw new IOException("a READ brought " + read.data().length + " bytes, no whole transfer");
      }
      isEnd |= read.isEnd();
      current = read.data();
      at = 0;
      if (current.length == 0) {
        throw new IOException("the file ends early");
      }
    }

    @Override
    public void readFully(long positionBytes, byte[] bytes) throws IOException {
      int done = 0;
      while (done < bytes.length) {
        int count = Math.min(NfsCalls.MAX_BYTES, bytes.length - done);
        byte[] data = NfsCalls.await(calls.read(handle, positionBytes + done, count)).data();
        if (data.length == 0) {
          throw new IOException("the file ends early");
        }
        System.arraycopy(data, 0, bytes, done, data.length);
        done += data.length;
      }
    }

    @Override
    public void close() throws IOException {
      while (!ahead.isEmpty()) {
        var unused = NfsCalls.await(ahead.remove());
      }
    }
  }
}
