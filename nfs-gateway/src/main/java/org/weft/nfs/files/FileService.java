package org.weft.nfs.files;

import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.weft.protocol.rpc.Payload;

/**
 * Serves files by their ids. No method blocks; stages complete on any thread, and fail with {@link
 * FileException}, in which STALE says that an id is of no node any more. Calls run side by side.
 * Symbolic links are never followed. Permissions are checked with each call; the owner of a file
 * may always read and write it, as it may have been open when its mode changed.
 *
 * <p>What changes names or attributes is on stable storage when it is answered. ctime of a node
 * grows with each of its changes.
 */
public interface FileService {
  ServiceLimits limits();

  CompletionStage<Attributes> attributes(Request by, FileId file);

  /**
   * Sets attributes, in one record.
   *
   * @param guardNanos the ctime that the node must have, else GUARD_FAILED
   */
  CompletionStage<Change> setAttributes(
      Request by, FileId file, AttributeChange change, OptionalLong guardNanos);

  CompletionStage<FileReply.Found> lookUp(Request by, FileId directory, FileName name);

  /** The directory above, across the root of a volume; a root that has none is its own. */
  CompletionStage<FileReply.Found> parent(Request by, FileId directory);

  CompletionStage<FileReply.Granted> access(Request by, FileId file, Set<AccessRight> wanted);

  CompletionStage<FileReply.Target> readLink(Request by, FileId link);

  /**
   * Reads bytes of a regular file.
   *
   * @param offsetBytes not negative; behind the end nothing is read
   * @param countBytes not negative, at most {@link ServiceLimits#mostReadBytes}
   */
  CompletionStage<FileReply.Bytes> read(Request by, FileId file, long offsetBytes, int countBytes);

  /**
   * Writes bytes of a regular file.
   *
   * @param offsetBytes not negative
   * @param bytes taken over and released, whatever comes of it
   */
  CompletionStage<FileReply.Written> write(
      Request by, FileId file, long offsetBytes, Payload bytes, Stability stability);

  /**
   * Brings what was written UNSTABLE to stable storage.
   *
   * @param countBytes 0 for all from the offset on
   */
  CompletionStage<FileReply.Committed> commit(
      Request by, FileId file, long offsetBytes, long countBytes);

  CompletionStage<FileReply.Made> create(Request by, FileId directory, FileName name, CreateMode mode);

  CompletionStage<FileReply.Made> make(Request by, FileId directory, FileName name, NewNode node);

  /** Removes a name of anything but a directory. */
  CompletionStage<FileReply.Removed> remove(Request by, FileId directory, FileName name);

  /** Removes an empty directory. */
  CompletionStage<FileReply.Removed> removeDirectory(Request by, FileId directory, FileName name);

  /** Moves a name, over one that is there if that is of the same sort. */
  CompletionStage<FileReply.Renamed> rename(
      Request by, FileId from, FileName oldName, FileId to, FileName newName);

  /** Adds a name to a file that is no directory. */
  CompletionStage<FileReply.Linked> link(Request by, FileId file, FileId directory, FileName name);

  /**
   * Lists a directory. An entry that stays where it is is listed exactly once, whatever else
   * changes. "." and ".." are not listed.
   *
   * @param behindCookie of the last entry seen, 0 at the beginning
   * @param mostEntries fewer may come, but one at least unless there is none
   */
  CompletionStage<FileReply.Listing> list(
      Request by, FileId directory, long behindCookie, int mostEntries, boolean withAttributes);

  CompletionStage<FileReply.Space> space(Request by, FileId file);
}
