package org.weft.bench.load;

import java.io.IOException;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** The loads by name. */
public enum Workload {
  STREAM_WRITE("each thread writes a new file and closes it", 1 << 20),
  STREAM_READ("each thread reads its own file from start to end", 1 << 20),
  PREAD("reads at random aligned offsets of one file that all threads share", 4 << 10),
  CREATE("creates an empty file and closes it", 0),
  STAT("asks for the attributes of a random file", 0),
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

  /** Bytes of one operation where nobody asks for others; 0: it moves no data. */
  public int defaultIoBytes() {
    return defaultIoBytes;
  }

  /** True if its rate is in bytes, not in operations. */
  public boolean isStream() {
    return this == STREAM_WRITE || this == STREAM_READ;
  }

  Load in(Place place) {
    return switch (this) {
      case STREAM_WRITE -> new StreamLoads.Write(place);
      case STREAM_READ -> new StreamLoads.Read(place);
      case PREAD -> new StreamLoads.RandomRead(place);
      case CREATE -> new NamespaceLoads.Create(place);
      case STAT -> new NamespaceLoads.Stat(place);
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

  /** Where a load works. */
  record Place(BenchFiles files, BenchSettings settings, String root) {
    String directory(int thread) {
      return root + "/" + (settings.sharedDirectory() ? "shared" : "thread-" + thread);
    }

    String file(int thread, long number) {
      return directory(thread) + "/" + thread + "-" + number;
    }

    void mkdirs() throws IOException {
      for (int thread = 0; thread < settings.threads(); thread++) {
        files.mkdirs(directory(thread));
      }
    }

    /** Empties the place. */
    void clear() throws IOException {
      files.deleteTree(root);
      mkdirs();
    }

    void writeFile(String path, long bytes) throws IOException {
      int chunk = (int) Math.min(Math.max(bytes, 1), 1 << 20);
      Pattern pattern = new Pattern(chunk);
      long id = Pattern.idOf(path);
      try (BenchFiles.Output out = files.create(path)) {
        for (long offset = 0; offset < bytes; offset += chunk) {
          int length = (int) Math.min(chunk, bytes - offset);
          out.write(pattern.at(id, offset, length), 0, length);
        }
      }
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
