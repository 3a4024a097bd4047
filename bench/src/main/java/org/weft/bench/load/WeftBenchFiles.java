package org.weft.bench.load;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import org.weft.client.Blocking;
import org.weft.client.CreateOptions;
import org.weft.client.FileStatus;
import org.weft.client.ReadOptions;
import org.weft.client.UpdateOptions;
import org.weft.client.WeftClient;
import org.weft.client.WeftFile;
import org.weft.client.WeftFiles;
import org.weft.client.WeftInputStream;
import org.weft.client.WeftOutput;
import org.weft.client.WeftPath;
import org.weft.client.internal.ClientParts;
import org.weft.client.stripe.hedge.HedgeCounts;

/** The files of a Weft cluster by the Java API. */
public final class WeftBenchFiles implements BenchFiles {
  /** Removals under way at a time, when a tree goes. */
  private static final int WINDOW = 64;

  private final WeftClient client;
  private final WeftFiles files;
  private final Closeable connection;

  /**
   * @param connection under the client; closed with this
   */
  public WeftBenchFiles(WeftClient client, Closeable connection) {
    this.client = client;
    this.files = client.files();
    this.connection = connection;
  }

  @Override
  public void mkdirs(String path) throws IOException {
    var unused = files.mkdirs(WeftPath.of(path), WeftFiles.DIRECTORY_MODE);
  }

  @Override
  public Output create(String path) throws IOException {
    return new Writing(
        Blocking.await(files.asynchronous().create(WeftPath.of(path), CreateOptions.replacing())));
  }

  @Override
  public Output append(String path) throws IOException {
    return new Writing(Blocking.await(files.asynchronous().append(WeftPath.of(path))));
  }

  @Override
  public Update update(String path, boolean gathered) throws IOException {
    UpdateOptions alone = UpdateOptions.alone();
    return new Updating(
        files.openForUpdate(WeftPath.of(path), gathered ? alone.withGathering() : alone), false);
  }

  @Override
  public Update updateStable(String path) throws IOException {
    return new Updating(
        files.openForUpdate(WeftPath.of(path), UpdateOptions.alone().withGathering()), true);
  }

  @Override
  public Input open(String path) throws IOException {
    return new Reading(files.open(WeftPath.of(path)));
  }

  @Override
  public long lengthBytes(String path) throws IOException {
    return files.find(WeftPath.of(path)).map(FileStatus::sizeBytes).orElse(-1L);
  }

  @Override
  public void stat(String path) throws IOException {
    var unused = files.attributes(WeftPath.of(path));
  }

  /** Without a stream: it would not be read. */
  @Override
  public void touch(String path) throws IOException {
    files.openInput(WeftPath.of(path), ReadOptions.defaults()).close();
  }

  @Override
  public int list(String path) throws IOException {
    WeftFiles.PageReader entries = files.list(WeftPath.of(path));
    int count = 0;
    while (entries.next() != null) {
      count++;
    }
    return count;
  }

  @Override
  public void rename(String source, String target) throws IOException {
    files.rename(WeftPath.of(source), WeftPath.of(target), false);
  }

  @Override
  public void delete(String path) throws IOException {
    files.unlink(WeftPath.of(path));
  }

  @Override
  public void deleteTree(String path) throws IOException {
    WeftPath root = WeftPath.of(path);
    if (files.find(root).isPresent()) {
      deleteBelow(root);
      files.rmdir(root);
    }
  }

  private void deleteBelow(WeftPath directory) throws IOException {
    Deque<CompletableFuture<?>> underWay = new ArrayDeque<>();
    WeftFiles.PageReader entries = files.listNames(directory);
    for (FileStatus entry = entries.next(); entry != null; entry = entries.next()) {
      if (entry.isDirectory()) {
        deleteBelow(entry.path());
        files.rmdir(entry.path());
      } else {
        underWay.add(files.asynchronous().unlink(entry.path()));
        if (underWay.size() >= WINDOW) {
          var unused = Blocking.await(underWay.remove());
        }
      }
    }
    while (!underWay.isEmpty()) {
      var unused = Blocking.await(underWay.remove());
    }
  }

  @Override
  public LateUnits lateUnits() {
    HedgeCounts counts = ClientParts.of(client).hedgeCounts();
    return new LateUnits(counts.begun(), counts.won(), counts.refused());
  }

  @Override
  public void close() throws IOException {
    connection.close();
  }

  /** Every write goes on at once: a load that writes small pieces means it. */
  private record Writing(WeftOutput file) implements Output {
    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      var unused = Blocking.await(file.write(ByteBuffer.wrap(bytes, offset, length)));
    }

    @Override
    public void flush() throws IOException {
      var unused = Blocking.await(file.hflush());
    }

    @Override
    public void sync() throws IOException {
      var unused = Blocking.await(file.hsync());
    }

    @Override
    public void close() throws IOException {
      var unused = Blocking.await(file.close());
    }
  }

  /**
   * @param stable each write is brought to stable storage by itself
   */
  private record Updating(WeftFile file, boolean stable) implements Update {
    @Override
    public void write(long positionBytes, byte[] bytes, int length) throws IOException {
      var unused = Blocking.await(file.write(positionBytes, ByteBuffer.wrap(bytes, 0, length)));
      if (stable) {
        var unusedToo = Blocking.await(file.hsync());
      }
    }

    @Override
    public void flush() throws IOException {
      var unused = Blocking.await(file.hflush());
    }

    @Override
    public void close() throws IOException {
      var unused = Blocking.await(file.close());
    }
  }

  private record Reading(WeftInputStream stream) implements Input {
    @Override
    public void readFully(byte[] bytes, int length) throws IOException {
      int count = stream.readNBytes(bytes, 0, length);
      if (count < length) {
        throw new IOException(
            stream.status().path() + " ended " + (length - count) + " bytes early");
      }
    }

    @Override
    public void readFully(long positionBytes, byte[] bytes) throws IOException {
      stream.readFully(positionBytes, bytes, 0, bytes.length);
    }

    @Override
    public void close() throws IOException {
      stream.close();
    }
  }
}
