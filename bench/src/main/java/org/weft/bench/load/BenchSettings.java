package org.weft.bench.load;

/**
 * How one workload is run.
 *
 * @param directory that is made, and removed with all that is in it
 * @param threads that work at the same time
 * @param clients sessions with connections of their own, among which the threads are dealt out
 * @param fileBytes of the files that streams write and read
 * @param ioBytes of one read or write; 0: what the workload is named for
 * @param files small files of each thread
 * @param perDirectory small files in one directory, then comes the next one; 0: no bound
 * @param seconds that a repetition lasts at most
 * @param streamSeconds that a repetition of a stream lasts at least: more whole files, or passes
 * @param operations of each thread in a repetition at most
 * @param sharedDirectory all threads work in one directory
 * @param cold each repetition is made by new clients, which meet each file once
 * @param verify compare what is read with what must be there
 * @param restSeconds to wait before a repetition, when all that it needs has been made
 * @param settleSeconds to wait after a repetition before the CPU is read, for what is done behind
 */
public record BenchSettings(
    String directory,
    int threads,
    int clients,
    long fileBytes,
    int ioBytes,
    int files,
    int perDirectory,
    int seconds,
    int streamSeconds,
    long operations,
    boolean sharedDirectory,
    boolean cold,
    boolean verify,
    int restSeconds,
    int settleSeconds) {
  public BenchSettings {
    require(threads >= 1, "threads", threads);
    require(clients >= 1, "clients", clients);
    require(fileBytes >= 1, "bytes of a file", fileBytes);
    require(ioBytes >= 0, "bytes of an operation", ioBytes);
    require(files >= 1, "files", files);
    require(perDirectory >= 0, "files of a directory", perDirectory);
    require(seconds >= 1, "seconds", seconds);
    require(streamSeconds >= 0, "seconds of a stream", streamSeconds);
    require(operations >= 1, "operations", operations);
    require(restSeconds >= 0, "seconds of rest", restSeconds);
    require(settleSeconds >= 0, "seconds to settle", settleSeconds);
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
        clients,
        fileBytes,
        wantedIoBytes,
        files,
        perDirectory,
        seconds,
        streamSeconds,
        operations,
        sharedDirectory,
        cold,
        verify,
        restSeconds,
        settleSeconds);
  }
}
