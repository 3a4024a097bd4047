package org.weft.cli.fs;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import org.weft.cli.files.RemoteFiles;
import org.weft.cli.output.PrintableText;
import org.weft.client.WeftPath;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;

/**
 * One file whose growth is shown. The file is followed by its name. A file that replaces it is
 * shown from its beginning, and so is one that was cut below what was shown. A file that has gone
 * is waited for. Not thread-safe.
 */
final class Following implements AutoCloseable {
  private static final int BUFFER_BYTES = 256 << 10;

  private final RemoteFiles files;
  private final WeftPath path;
  private final OutputStream out;
  private final PrintWriter err;
  private final byte[] buffer = new byte[BUFFER_BYTES];
  private RemoteFiles.OpenFile file;
  private long positionBytes;

  /** Opens the file; NOT_FOUND if there is none yet. */
  Following(RemoteFiles files, WeftPath path, OutputStream out, PrintWriter err)
      throws IOException {
    this.files = files;
    this.path = path;
    this.out = out;
    this.err = err;
    this.file = files.openFile(path);
  }

  WeftPath path() {
    return path;
  }

  /** Shows the end of the file as it is now. */
  void begin(TailStart start) throws IOException {
    long sizeBytes = file.status().sizeBytes();
    positionBytes = start.position(file, sizeBytes);
    copyTo(sizeBytes);
  }

  /** True if there is something to show that has not been shown. */
  boolean look() throws IOException {
    try {
      if (file == null) {
        return reopen();
      }
      long sizeBytes = file.refresh();
      if (sizeBytes < positionBytes) {
        say("was truncated to " + sizeBytes + " bytes; showing it from its beginning");
        positionBytes = 0;
      }
      // What its name leads to counts when there is nothing more to show of the file itself.
      return sizeBytes > positionBytes || (!hasName() && reopen());
    } catch (WeftException e) {
      if (!replaced(e.code())) {
        throw e;
      }
      return file != null && reopen();
    }
  }

  private boolean hasName() throws IOException {
    return files
        .find(path)
        .filter(found -> found.objectId() == file.status().objectId())
        .isPresent();
  }

  private static boolean replaced(ErrorCode code) {
    return code.isOutdated() || code == ErrorCode.NOT_FOUND;
  }

  private boolean reopen() throws IOException {
    try {
      RemoteFiles.OpenFile found = files.openFile(path);
      say(file == null ? "has come back" : "is another file now; showing it from its beginning");
      close();
      file = found;
      positionBytes = 0;
      return found.status().sizeBytes() > 0;
    } catch (WeftException e) {
      if (e.code() != ErrorCode.NOT_FOUND) {
        throw e;
      }
      if (file != null) {
        say("has gone; waiting for it to come back");
        close();
        file = null;
      }
      return false;
    }
  }

  /** Shows what {@link #look} found. */
  void show() throws IOException {
    try {
      copyTo(Long.MAX_VALUE);
    } catch (WeftException e) {
      // It was replaced in the middle; the next look finds out.
      if (!replaced(e.code())) {
        throw e;
      }
    }
  }

  private void copyTo(long endBytes) throws IOException {
    while (positionBytes < endBytes) {
      int count = file.read(positionBytes, buffer, 0, buffer.length);
      if (count < 0) {
        break;
      }
      out.write(buffer, 0, count);
      positionBytes += count;
    }
    out.flush();
  }

  @Override
  public void close() {
    if (file != null) {
      file.close();
    }
  }

  private void say(String what) {
    err.println("weft: tail: " + PrintableText.of(path + ": " + what));
    err.flush();
  }
}
