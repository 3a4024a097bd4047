package org.weft.bench.rebuild;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.weft.client.Blocking;
import org.weft.client.CreateOptions;
import org.weft.client.FileStatus;
import org.weft.client.LayoutSpec;
import org.weft.client.WeftClient;
import org.weft.client.WeftInputStream;
import org.weft.client.WeftOutput;
import org.weft.client.WeftPath;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.StorageMap;
import org.weft.recovery.rebuild.ComponentRebuild;

/** Files of one size, dealt out to volumes, each with bytes that follow from its number. */
final class FilledFiles {
  private static final int WRITERS = 4;
  private static final int CHUNK_BYTES = 1 << 20;

  private final WeftClient client;
  private final List<String> directories;
  private final int fileBytes;
  private final CreateOptions how;
  private final int count;

  /**
   * @param width of the one parity group of each file; 0: as the volume chooses
   */
  FilledFiles(WeftClient client, List<String> directories, int count, int fileBytes, int width) {
    this.client = client;
    this.directories = List.copyOf(directories);
    this.count = count;
    this.fileBytes = fileBytes;
    CreateOptions plain = CreateOptions.newFile();
    this.how = width == 0 ? plain : plain.withLayout(new LayoutSpec(width - 1, 1, 0, 0, 1));
  }

  WeftPath path(int number) {
    return WeftPath.of(directories.get(number % directories.size()) + "/f" + number);
  }

  int count() {
    return count;
  }

  int fileBytes() {
    return fileBytes;
  }

  /** Makes all of them. */
  void write() throws IOException, InterruptedException {
    AtomicInteger next = new AtomicInteger();
    ExecutorService writers = Executors.newFixedThreadPool(WRITERS);
    try {
      List<Future<?>> all = new ArrayList<>();
      for (int i = 0; i < WRITERS; i++) {
        all.add(
            writers.submit(
                () -> {
                  for (int file = next.getAndIncrement();
                      file < count;
                      file = next.getAndIncrement()) {
                    write(file);
                  }
                  return null;
                }));
      }
      for (Future<?> each : all) {
        var unused = each.get();
      }
    } catch (ExecutionException e) {
      throw new IOException("the cluster could not be filled: " + e.getCause().getMessage(), e);
    } finally {
      writers.shutdownNow();
    }
  }

  private void write(int number) throws IOException {
    WeftOutput file = Blocking.await(client.files().asynchronous().create(path(number), how));
    SplittableRandom random = new SplittableRandom(number);
    for (int at = 0; at < fileBytes; at += CHUNK_BYTES) {
      byte[] bytes = new byte[Math.min(CHUNK_BYTES, fileBytes - at)];
      random.nextBytes(bytes);
      var unused = Blocking.await(file.write(ByteBuffer.wrap(bytes)));
    }
    var unused = Blocking.await(file.close());
  }

  FileStatus status(int number) throws IOException {
    WeftPath path = path(number);
    return client
        .files()
        .find(path)
        .orElseThrow(() -> new IOException(path + " is gone, and this run has not removed it"));
  }

  private StorageMap map(int number) throws IOException {
    return status(number)
        .map()
        .orElseThrow(() -> new IOException(path(number) + " has no storage map"));
  }

  /** What one OSD holds: the files, and their bytes there. */
  record Held(List<Integer> files, long bytes) {
    Held {
      files = Collections.unmodifiableList(files);
    }
  }

  Held on(OsdId osd) throws IOException {
    List<Integer> files = new ArrayList<>();
    long bytes = 0;
    for (int number = 0; number < count; number++) {
      StorageMap map = map(number);
      int component = map.components().indexOf(osd);
      if (component >= 0 && ComponentRebuild.exists(map.layout(), fileBytes, component)) {
        files.add(number);
        bytes += ComponentRebuild.bytesOf(map.layout(), fileBytes, component);
      }
    }
    return new Held(files, bytes);
  }

  /** No component of it is on the OSD, or is missing. */
  boolean isWhole(int number, OsdId lost) throws IOException {
    StorageMap map = map(number);
    return map.missing().isEmpty() && !map.components().contains(lost);
  }

  int width() throws IOException {
    return map(0).layout().width();
  }

  /**
   * Compares every byte of a file.
   *
   * @throws IOException if one is wrong
   */
  void verify(int number) throws IOException {
    SplittableRandom random = new SplittableRandom(number);
    try (WeftInputStream in = client.files().open(path(number))) {
      for (int at = 0; at < fileBytes; at += CHUNK_BYTES) {
        byte[] expected = new byte[Math.min(CHUNK_BYTES, fileBytes - at)];
        random.nextBytes(expected);
        byte[] found = in.readNBytes(expected.length);
        if (!java.util.Arrays.equals(expected, found)) {
          throw new IOException(
              "%s is not what was written, within %d bytes from %d"
                  .formatted(path(number), expected.length, at));
        }
      }
    }
  }
}
