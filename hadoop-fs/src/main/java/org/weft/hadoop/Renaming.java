package org.weft.hadoop;

import java.io.IOException;
import java.util.Optional;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.PathIOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.client.FileStatus;
import org.weft.client.WeftFiles;
import org.weft.client.WeftPath;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;

/** Hadoop's two ways of renaming, both by Weft's one atomic rename. */
final class Renaming {
  private static final Logger LOG = LoggerFactory.getLogger(Renaming.class);

  private final WeftFiles files;

  Renaming(WeftFiles files) {
    this.files = files;
  }

  /**
   * {@code FileSystem.rename}: into a directory that exists, over nothing. False where HDFS says
   * so: the source is missing, the target exists or has no parent, a directory would end up below
   * itself.
   */
  boolean intoOrTo(WeftPath source, WeftPath target) throws IOException {
    if (source.isRoot()) {
      return refused(source, target, "the root cannot be renamed");
    }
    if (source.equals(target)) {
      return link(source).filter(status -> !status.isDirectory()).isPresent();
    }
    if (target.startsWith(source)) {
      return refused(source, target, "a directory cannot move below itself");
    }
    if (target.isRoot()) {
      return to(source, target.child(source.name()));
    }
    try {
      files.rename(source, target, false);
      return true;
    } catch (WeftException e) {
      if (e.code() != ErrorCode.EXISTS) {
        return falseOrThrow(source, target, e);
      }
    }
    return isDirectory(target)
        ? to(source, target.child(source.name()))
        : refused(source, target, "the target exists");
  }

  private boolean isDirectory(WeftPath path) throws IOException {
    return files.find(path).filter(FileStatus::isDirectory).isPresent();
  }

  private Optional<FileStatus> link(WeftPath path) throws IOException {
    try {
      return Optional.of(files.linkAttributes(path));
    } catch (WeftException e) {
      if (e.code().leadsNowhere()) {
        return Optional.empty();
      }
      throw e;
    }
  }

  private boolean to(WeftPath source, WeftPath target) throws IOException {
    if (source.equals(target)) {
      return link(source).isPresent();
    }
    if (target.startsWith(source)) {
      return refused(source, target, "a directory cannot move below itself");
    }
    try {
      files.rename(source, target, false);
      return true;
    } catch (WeftException e) {
      return falseOrThrow(source, target, e);
    }
  }

  private static boolean falseOrThrow(WeftPath source, WeftPath target, WeftException refusal)
      throws IOException {
    if (refusal.code().isOfNames() || refusal.code() == ErrorCode.INVALID_ARGUMENT) {
      return refused(source, target, refusal.getMessage());
    }
    throw refusal;
  }

  private static boolean refused(WeftPath source, WeftPath target, String why) {
    LOG.debug("rename {} to {}: {}", source, target, why);
    return false;
  }

  /**
   * {@code FileContext.rename}: to exactly that name; says by exceptions why not.
   *
   * @param overwrite a file may be replaced by a file, an empty directory by a directory
   */
  void exactlyTo(WeftPath source, WeftPath target, boolean overwrite) throws IOException {
    if (source.isRoot() || target.isRoot()) {
      throw new PathIOException(
          source.toString(), "the root cannot be renamed, and nothing can take its place");
    }
    if (source.equals(target)) {
      files.linkAttributes(source);
      throw new FileAlreadyExistsException(
          "the source " + source + " and the destination are the same");
    }
    if (target.startsWith(source)) {
      files.linkAttributes(source);
      throw new PathIOException(
          source.toString(), "cannot be renamed to " + target + ", which lies below it");
    }
    if (overwrite) {
      requireOtherThanTarget(source, target);
    }
    files.rename(source, target, overwrite);
  }

  /** A link that took the place of what it leads to would lead to itself. */
  private void requireOtherThanTarget(WeftPath link, WeftPath target) throws IOException {
    FileStatus status = files.linkAttributes(link);
    if (status.isSymlink()
        && link.parent().orElse(link).resolve(status.symlinkTarget().orElse("")).equals(target)) {
      throw new FileAlreadyExistsException(
          "the symbolic link " + link + " cannot replace " + target + ", to which it leads");
    }
  }
}
