package org.weft.cli.fs;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Optional;
import org.weft.client.FileStatus;
import org.weft.client.SpaceStatus;
import org.weft.client.WeftPath;

/** What file commands need of a cluster. Blocks; thread-safe. */
interface RemoteFiles {
  /** Entries one by one. */
  interface Entries {
    /** The next; null at the end. */
    FileStatus next() throws IOException;
  }

  /** A file being written; closing publishes it. */
  abstract class Output extends OutputStream {
    /** Gives up what was written. */
    abstract void abort() throws IOException;
  }

  Optional<FileStatus> find(WeftPath path) throws IOException;

  Entries list(WeftPath directory) throws IOException;

  /** The same with paths and types only. */
  Entries listNames(WeftPath directory) throws IOException;

  /** Makes a directory; with parents, one that exists is no error. */
  void mkdir(WeftPath path, int mode, boolean parents) throws IOException;

  /** Makes or replaces a file. */
  Output create(WeftPath path, int mode) throws IOException;

  /** A file's bytes from the beginning. */
  InputStream open(WeftPath path) throws IOException;

  void rename(WeftPath source, WeftPath target, boolean replace) throws IOException;

  void unlink(WeftPath path) throws IOException;

  void rmdir(WeftPath path) throws IOException;

  SpaceStatus space() throws IOException;
}
