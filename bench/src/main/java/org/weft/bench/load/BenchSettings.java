package org.weft.bench.load;

/**
 * How one workload is run.
 *
 * @param directory under which everything is made
 * @param threads that work at the same time
 * @param fileBytes of the files that streams write and read
 * @param ioBytes of one read or write; 0: what the workload is named for
 * @param files small files of each thread
 * @param seconds that a repetition lasts at most
 * @param operations of each thread in a repetition at most
 * @param warmups repetitions that do not count
 * @param repetitions that count
 * @param sharedDirectory all threads work in one directory
 * @param verify compare what is read with what must be there
 */
public record BenchSettings(
    String directory,
    int threads,
    long fileBytes,
    int ioBytes,
    int files,
    int seconds,
    long operations,
    int warmups,
    int repetitions,
    boolean sharedDirectory,
    boolean verify) {
  public BenchSettings {
    require(threads >= 1, "threads", threads);
    require(fileBytes >= 1, "bytes of a file", fileBytes);
    require(ioBytes >= 0, "bytes of an operation", ioBytes);
    require(files >= 1, "files", files);
    require(seconds >= 1, "seconds", seconds);
    require(operations >= 1, "operations", operations);
    require(warmups >= 0, "warm-up repetitions", warmups);
    require(repetitions >= 1, "repetitions", repetitions);
  }

  private static void require(boolean holds, String what, long got) {
    if (!holds) {
      throw new IllegalArgumentException("the number of " + what + " is too small: " + got);
    }
  }

  /** The same with others of these. */
  BenchSettings with(int wantedThreads, int wantedIoBytes) {
    return new BenchSettings(
        directory,
        wantedThreads,
        fileBytes,
        wantedIoBytes,
        files,
        seconds,
        operations,
        warmups,
        repetitions,
        sharedDirectory,
        verify);
  }
}
