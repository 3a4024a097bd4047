package org.weft.bench.load;

import java.io.Closeable;
import java.io.IOException;

/** The file system under load. Thread-safe; paths are absolute. */
public interface BenchFiles extends Closeable {
  /** A file being written; one thread. */
  interface Output extends Closeable {
    void write(byte[] bytes, int offset, int length) throws IOException;

    /** What was written is visible to others and survives this process. */
    void flush() throws IOException;

    /** What was written is on stable storage. */
    void sync() throws IOException;
  }

  /** A file being changed; one thread. */
  interface Update extends Closeable {
    void write(long positionBytes, byte[] bytes, int length) throws IOException;

    /** Returns when each write has its reply, where the client does not wait for that before. */
    default void awaitReplies() throws IOException {}

    /** What was written is visible to others and survives this process. */
    void flush() throws IOException;
  }

  /** A file being read. */
  interface Input extends Closeable {
    /** The next bytes of the stream; one thread. */
    void readFully(byte[] bytes, int length) throws IOException;

    /** Bytes at a position; many threads. */
    void readFully(long positionBytes, byte[] bytes) throws IOException;
  }

  /** Makes a directory and those above it. */
  void mkdirs(String path) throws IOException;

  /** A new file, in place of one that may be there. */
  Output create(String path) throws IOException;

  Output append(String path) throws IOException;

  /**
   * Opens a file for writing at any positions; an error where there is no such thing.
   *
   * @param gathered small writes may wait, in bounded memory, until the next flush
   */
  default Update update(String path, boolean gathered) throws IOException {
    throw new IOException(path + ": this file system changes no files");
  }

  /**
   * Opens a file for writing at any positions, each write on stable storage before it is over; an
   * error where there is no such thing.
   */
  default Update updateStable(String path) throws IOException {
    throw new IOException(path + ": this file system has no writes that are stable by themselves");
  }

  Input open(String path) throws IOException;

  /** Length of a file; -1 if there is none. */
  long lengthBytes(String path) throws IOException;

  /** Asks for the attributes of something that is there. */
  void stat(String path) throws IOException;

  /** Opens a file for reading, and closes it. */
  default void touch(String path) throws IOException {
    open(path).close();
  }

  /** Lists a directory with the attributes of its entries, and counts them. */
  int list(String path) throws IOException;

  void rename(String source, String target) throws IOException;

  void delete(String path) throws IOException;

  /** Removes a directory with all below it, if it is there. */
  void deleteTree(String path) throws IOException;

  /** Units that were late for this client's readers until now. */
  default LateUnits lateUnits() {
    return LateUnits.NONE;
  }
}
