package org.weft.hadoop;

import java.io.IOException;
import org.apache.hadoop.fs.PathIOException;
import org.weft.client.FileStatus;
import org.weft.client.WeftFiles;
import org.weft.client.WeftPath;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;

/** Deletes files and whole directories; the files of one directory several at a time. */
final class PathRemoval {
  /** Others may go on making files in a directory that is being removed. */
  private static final int MAX_ROUNDS = 5;

  private final WeftFiles files;
  private final int parallelRequests;

  PathRemoval(WeftFiles files, int parallelRequests) {
    this.files = files;
    this.parallelRequests = parallelRequests;
  }

  /**
   * Removes what the path leads to. The root stays, as in HDFS: what it holds has to be named.
   *
   * @return false if there was nothing to remove
   * @throws WeftException NOT_EMPTY for a directory with entries, unless recursive
   */
  boolean delete(WeftPath path, boolean recursive) throws IOException {
    if (path.isRoot()) {
      if (!recursive && files.listNames(path).next() != null) {
        throw new PathIOException("/", "the root directory is not empty, and is not deleted");
      }
      return false;
    }
    try {
      files.unlink(path);
      return true;
    } catch (WeftException e) {
      if (e.code().leadsNowhere()) {
        return false;
      }
      if (e.code() != ErrorCode.IS_DIRECTORY) {
        throw e;
      }
    }
    // It is no link: that would have been removed. Others may put one there from now on.
    return deleteDirectory(path.withoutLinksFromHere(), recursive);
  }

  private boolean deleteDirectory(WeftPath path, boolean recursive) throws IOException {
    for (int round = 1; ; round++) {
      try {
        files.rmdir(path);
        return true;
      } catch (WeftException e) {
        if (isGone(e)) {
          return round > 1;
        }
        if (e.code() != ErrorCode.NOT_EMPTY || !recursive || round > MAX_ROUNDS) {
          throw e;
        }
      }
      empty(path);
    }
  }

  /** Returns, in whatever way, when no removal is under way any more. */
  private void empty(WeftPath directory) throws IOException {
    UnlinksUnderWay underWay = new UnlinksUnderWay(parallelRequests);
    try {
      WeftFiles.PageReader entries = files.listNames(directory);
      for (FileStatus entry = entries.next(); entry != null; entry = entries.next()) {
        WeftPath path = entry.path();
        if (entry.isDirectory()) {
          boolean unused = deleteDirectory(path, true);
        } else {
          underWay.begin(() -> files.asynchronous().unlink(path));
        }
      }
      underWay.awaitAll();
    } catch (IOException | RuntimeException | Error e) {
      underWay.awaitBehind(e);
      if (!(e instanceof WeftException refused) || !isGone(refused)) {
        throw e;
      }
    }
  }

  /** Another client was faster. */
  static boolean isGone(WeftException failure) {
    return failure.code() == ErrorCode.NOT_FOUND;
  }
}
