package org.weft.cli.fs;

import java.io.IOException;
import org.weft.cli.files.PendingDirectory;
import org.weft.cli.files.RemoteFiles;
import org.weft.cli.files.WorkPool;
import org.weft.cli.output.Failures;
import org.weft.cli.output.Progress;
import org.weft.client.FileStatus;
import org.weft.client.WeftPath;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;

/**
 * Removes trees from below, several files at a time. A directory goes when everything in it has
 * gone; where something stays, the directories above it stay too, without a failure of their own.
 */
final class Removal {
  private final RemoteFiles files;
  private final WorkPool pool;
  private final Failures failures;
  private final Progress progress;

  Removal(RemoteFiles files, WorkPool pool, Failures failures, Progress progress) {
    this.files = files;
    this.pool = pool;
    this.failures = failures;
    this.progress = progress;
  }

  private boolean removeDirectory(WeftPath path) {
    try {
      files.rmdir(path);
      progress.addItem();
      return true;
    } catch (IOException e) {
      return vanished(e);
    }
  }

  private boolean vanished(IOException failure) {
    boolean gone = failure instanceof WeftException rpc && rpc.code() == ErrorCode.NOT_FOUND;
    if (!gone) {
      failures.add(failure);
    }
    return gone;
  }

  /** Removes one file. */
  void file(WeftPath path) throws IOException {
    pool.submit(
        () -> {
          files.unlink(path);
          progress.addItem();
        });
  }

  /**
   * Removes a directory, which is no link to one, with all that is in it; the pool still works on
   * it when this returns. A link that others put there meanwhile is not followed.
   */
  void tree(WeftPath directory) {
    descend(null, directory.withoutLinksFromHere());
  }

  private void descend(PendingDirectory parent, WeftPath directory) {
    PendingDirectory node =
        new PendingDirectory(parent, complete -> complete && removeDirectory(directory));
    boolean listed = false;
    try {
      RemoteFiles.Entries entries = files.listNames(directory);
      for (FileStatus entry = entries.next();
          entry != null && !failures.stop();
          entry = entries.next()) {
        if (entry.isDirectory()) {
          descend(node, entry.path());
        } else {
          unlinkIn(node, entry.path());
        }
      }
      listed = !failures.stop();
    } catch (IOException e) {
      listed = vanished(e);
    } finally {
      node.done(listed);
    }
  }

  private void unlinkIn(PendingDirectory node, WeftPath path) throws IOException {
    node.add();
    boolean given = false;
    try {
      pool.submit(() -> node.done(unlink(path)));
      given = true;
    } finally {
      if (!given) {
        node.done(false);
      }
    }
  }

  private boolean unlink(WeftPath path) {
    try {
      files.unlink(path);
      progress.addItem();
      return true;
    } catch (IOException e) {
      return vanished(e);
    }
  }
}
