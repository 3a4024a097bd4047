package org.weft.bench.load;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** The loads by name. */
public enum Workload {
  STREAM_WRITE("each thread writes a new file and closes it", 1 << 20),
  STREAM_READ("each thread reads its own file from start to end", 1 << 20),
  PREAD("reads at random aligned offsets of one file that all threads share", 4 << 10),
  RANDOM_WRITE("writes at random aligned offsets of its own file, each sent at once", 1 << 10),
  GATHERED_WRITE("the same, gathered in the client and flushed at the end", 1 << 10),
  STABLE_WRITE("writes at random aligned offsets of its own file, each on stable storage", 4 << 10),
  STABLE_APPEND("writes behind the end of its own file, each on stable storage", 4 << 10),
  COMMIT_STREAM(
      "appends 8 MiB to its own file; the operation is the sync after their replies", 1 << 20),
  COMMIT_PIECES(
      "writes 256 pieces of its own file; the operation is the sync after their replies", 4 << 10),
  CREATE("creates an empty file and closes it", 0),
  STAT("asks for the attributes of a random file", 0),
  OPEN("opens a random file for reading and closes it", 0),
  LIST("lists a directory with its entries' attributes", 0),
  RENAME("renames a file within its directory", 0),
  DELETE("deletes an empty file", 0),
  SMALL_WRITE("creates a file, writes it and closes it", 4 << 10),
  OPEN_READ("opens a random small file, reads it and closes it", 4 << 10),
  HFLUSH("writes a record to an open file and makes it visible", 1 << 10),
  HSYNC("writes a record to an open file and makes it durable", 1 << 10),
  APPEND("opens a file to append, writes a record, closes it", 1 << 10);

  private final String description;
  private final int defaultIoBytes;

  Workload(String description, int defaultIoBytes) {
    this.description = description;
    this.defaultIoBytes = defaultIoBytes;
  }

  /** As in "stream-write". */
  public String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  public String description() {
    return description;
  }

  /** Bytes of one operation, unless the options say otherwise; 0: it moves no data. */
  public int defaultIoBytes() {
    return defaultIoBytes;
  }

  /** True if its rate is in bytes, not in operations. */
  public boolean isStream() {
    return this == STREAM_WRITE || this == STREAM_READ;
  }

  /** True if what it does is to read bytes. */
  boolean reads() {
    return this == STREAM_READ || this == PREAD || this == OPEN_READ;
  }

  /** Bytes of one operation under these settings. */
  int ioBytes(BenchSettings settings) {
    return settings.ioBytes() == 0 || defaultIoBytes == 0 ? defaultIoBytes : settings.ioBytes();
  }

  public String rateUnit() {
    return isStream() ? "MB/s" : "op/s";
  }

  public String cpuUnit() {
    return isStream() ? "s/GiB" : "us/op";
  }

  /** True if it can be asked to meet each file but once, so that no client knows it yet. */
  boolean meetsFilesOnce() {
    return this == STAT || this == OPEN || this == OPEN_READ;
  }

  Load in(Place place) {
    return switch (this) {
      case STREAM_WRITE -> new StreamLoads.Write(place);
      case STREAM_READ -> new StreamLoads.Read(place);
      case PREAD -> new StreamLoads.RandomRead(place);
      case RANDOM_WRITE -> new StreamLoads.RandomWrite(place, false);
      case GATHERED_WRITE -> new StreamLoads.RandomWrite(place, true);
      case STABLE_WRITE -> new StreamLoads.StableWrite(place);
      case STABLE_APPEND -> new SmallLoads.StableAppend(place);
      case COMMIT_STREAM -> new CommitLoads.Stream(place);
      case COMMIT_PIECES -> new CommitLoads.Pieces(place);
      case CREATE -> new NamespaceLoads.Create(place);
      case STAT -> new NamespaceLoads.Stat(place);
      case OPEN -> new NamespaceLoads.Open(place);
      case LIST -> new NamespaceLoads.ListAll(place);
      case RENAME -> new NamespaceLoads.Rename(place);
      case DELETE -> new NamespaceLoads.Delete(place);
      case SMALL_WRITE -> new SmallLoads.Write(place);
      case OPEN_READ -> new SmallLoads.Read(place);
      case HFLUSH -> new SmallLoads.Flush(place, false);
      case HSYNC -> new SmallLoads.Flush(place, true);
      case APPEND -> new SmallLoads.Append(place);
    };
  }

  /**
   * @throws IllegalArgumentException that lists the names there are
   */
  public static Workload named(String label) {
    return Arrays.stream(values())
        .filter(each -> each.label().equals(label))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "there is no workload '"
                        + label
                        + "'; there are "
                        + Arrays.stream(values())
                            .map(Workload::label)
                            .collect(Collectors.joining(", "))));
  }

  /**
   * Where a load works.
   *
   * @param clients among which the threads are dealt out
   * @param written what is there by now: lengths of files by path, -1 of one that was removed
   */
  record Place(
      List<BenchFiles> clients, BenchSettings settings, String root, Map<String, Long> written) {
    /** The client that does what is not measured. */
    BenchFiles files() {
      return clients.get(0);
    }

    BenchFiles files(int thread) {
      return clients.get(thread % clients.size());
    }

    /** Every client connects and finds its way to the directories, before it is measured. */
    void greet() throws IOException {
      for (int thread = 0; thread < Math.max(settings.threads(), clients.size()); thread++) {
        files(thread).stat(directory(thread % settings.threads()));
      }
    }

    void wrote(String path, long lengthBytes) {
      written.put(path, lengthBytes);
    }

    void removed(String path) {
      written.put(path, -1L);
    }

    String directory(int thread) {
      return root + "/" + (settings.sharedDirectory() ? "shared" : "thread-" + thread);
    }

    String file(int thread, long number) {
      int most = settings.perDirectory();
      String directory =
          most == 0 ? directory(thread) : directory(thread) + "/" + thread + "-" + number / most;
      return directory + "/" + thread + "-" + number;
    }

    /** Before a file is made that may be the first one of its directory. */
    void enter(int thread, long number) throws IOException {
      int most = settings.perDirectory();
      if (most > 0 && number % most == 0) {
        files(thread).mkdirs(directory(thread) + "/" + thread + "-" + number / most);
      }
    }

    void mkdirs() throws IOException {
      for (int thread = 0; thread < settings.threads(); thread++) {
        files().mkdirs(directory(thread));
      }
    }

    /** Empties the place. */
    void clear() throws IOException {
      written.clear();
      files().deleteTree(root);
      mkdirs();
    }

    /** A whole file with the bytes that belong there. */
    void writeFile(int thread, String path, long bytes) throws IOException {
      int chunk = (int) Math.min(Math.max(bytes, 1), 1 << 20);
      Pattern pattern = new Pattern(chunk);
      long id = Pattern.idOf(path);
      try (BenchFiles.Output out = files(thread).create(path)) {
        for (long offset = 0; offset < bytes; offset += chunk) {
          int length = (int) Math.min(chunk, bytes - offset);
          out.write(pattern.at(id, offset, length), 0, length);
        }
      }
      wrote(path, bytes);
    }
  }

  /** The work of one workload. */
  interface Load {
    /** Makes what all repetitions need; outside every time. */
    default void prepare() throws IOException {}

    /** Before each repetition; outside its time. */
    default void reset() throws IOException {}

    /** One thread's part of a repetition. */
    void run(Worker worker) throws IOException;
  }
}
