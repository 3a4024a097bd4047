package org.weft.hadoop;

import java.io.FileNotFoundException;
import java.io.IOException;
import org.apache.hadoop.HadoopIllegalArgumentException;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathIOException;
import org.weft.client.AttributeChanges;
import org.weft.client.FileStatus;
import org.weft.client.WeftFiles;
import org.weft.client.WeftPath;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;

/** Changes that Hadoop defines otherwise than Weft. */
final class NamespaceChanges {
  private final WeftFiles files;

  NamespaceChanges(WeftFiles files) {
    this.files = files;
  }

  /**
   * Makes a directory of exactly that mode; one that exists stays as it is. Missing directories
   * above it get the same mode, and let their owner pass, as in HDFS. So a private path is private
   * from the first directory on.
   */
  void mkdirExactly(WeftPath path, AskedMode asked, boolean createParents) throws IOException {
    if (createParents) {
      WeftFiles above = files.withUmask(asked.umaskAbove());
      if (asked.agreesWith(asked.umaskAbove())) {
        above.mkdirs(path, asked.mode());
        return;
      }
      if (path.parent().isPresent()) {
        above.mkdirs(path.parent().get(), WeftFiles.DIRECTORY_MODE);
      }
    }
    try {
      files.withUmask(asked.umask()).mkdir(path, asked.mode());
    } catch (WeftException e) {
      if (e.code() == ErrorCode.EXISTS && files.attributes(path).isDirectory()) {
        return;
      }
      throw e;
    }
  }

  /** The message has the text that callers of the lease calls look for. */
  static void requireFile(WeftFiles files, WeftPath path) throws IOException {
    FileStatus status =
        files
            .find(path)
            .orElseThrow(() -> new FileNotFoundException("File does not exist: " + path));
    if (!status.isFile()) {
      throw new FileNotFoundException("Path is not a file: " + path);
    }
  }

  /** Hadoop's truncate only shortens. */
  static void requireShorter(FileStatus file, long newLength) {
    if (newLength < 0 || newLength > file.sizeBytes()) {
      throw new HadoopIllegalArgumentException(
          file.path()
              + ": cannot be truncated to "
              + newLength
              + " bytes, it has "
              + file.sizeBytes());
    }
  }

  /** What is null stays. */
  static AttributeChanges ownership(Path path, String owner, String group) throws IOException {
    if (owner == null && group == null) {
      throw new PathIOException(path.toString(), "neither an owner nor a group was given");
    }
    AttributeChanges changes = AttributeChanges.none();
    if (owner != null) {
      changes = changes.withOwner(owner);
    }
    return group == null ? changes : changes.withGroup(group);
  }

  /** What is -1 stays. */
  static AttributeChanges times(long mtimeMillis, long atimeMillis) {
    AttributeChanges changes = AttributeChanges.none();
    if (mtimeMillis != -1) {
      changes = changes.withMtimeMillis(mtimeMillis);
    }
    return atimeMillis == -1 ? changes : changes.withAtimeMillis(atimeMillis);
  }
}
