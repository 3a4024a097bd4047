package org.weft.nfs.files;

import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.weft.client.ids.Answers;
import org.weft.client.ids.AttributesWish;
import org.weft.client.ids.CreateWish;
import org.weft.client.ids.NewNode;
import org.weft.client.ids.NodeAttributes;
import org.weft.client.ids.NodeChange;
import org.weft.client.ids.NodeId;
import org.weft.protocol.rpc.Payload;

/**
 * Serves files by their ids. No method blocks; stages complete on any thread, and fail with {@link
 * FileException}, in which STALE says that an id is of no node any more. Calls run side by side.
 * Symbolic links are never followed. Permissions are checked with each call. The owner of a file
 * may always read and write it, as it may have been open when its mode changed.
 *
 * <p>What changes names or attributes is on stable storage when it is answered. ctime of a node
 * grows with each of its changes.
 */
public interface FileService {
  ServiceLimits limits();

  CompletionStage<NodeAttributes> attributes(Request by, NodeId file);

  /**
   * Sets attributes, in one record.
   *
   * @param guardNanos the ctime that the node must have, else GUARD_FAILED
   */
  CompletionStage<NodeChange> setAttributes(
      Request by, NodeId file, AttributesWish change, OptionalLong guardNanos);

  CompletionStage<Answers.Found> lookUp(Request by, NodeId directory, FileName name);

  /** The directory above, across the root of a volume; a root that has none is its own. */
  CompletionStage<Answers.Found> parent(Request by, NodeId directory);

  CompletionStage<FileReply.Granted> access(Request by, NodeId file, Set<AccessRight> wanted);

  /** The attributes of a symbolic link, with what it leads to; INVALID of another node. */
  CompletionStage<NodeAttributes> readLink(Request by, NodeId link);

  /**
   * Reads bytes of a regular file.
   *
   * @param offsetBytes not negative; behind the end nothing is read
   * @param countBytes not negative, at most {@link ServiceLimits#mostReadBytes}
   */
  CompletionStage<Answers.BytesRead> read(
      Request by, NodeId file, long offsetBytes, int countBytes);

  /**
   * Writes bytes of a regular file.
   *
   * @param offsetBytes not negative
   * @param bytes taken over and released, whatever comes of it
   */
  CompletionStage<FileReply.Written> write(
      Request by, NodeId file, long offsetBytes, Payload bytes, Stability stability);

  /**
   * Brings what was written UNSTABLE to stable storage.
   *
   * @param countBytes 0 for all from the offset on
   */
  CompletionStage<FileReply.Committed> commit(
      Request by, NodeId file, long offsetBytes, long countBytes);

  CompletionStage<Answers.Made> create(
      Request by, NodeId directory, FileName name, CreateWish mode);

  CompletionStage<Answers.Made> make(Request by, NodeId directory, FileName name, NewNode node);

  /** Removes a name of anything but a directory. */
  CompletionStage<Answers.Removed> remove(Request by, NodeId directory, FileName name);

  /** Removes an empty directory. */
  CompletionStage<Answers.Removed> removeDirectory(Request by, NodeId directory, FileName name);

  /** Moves a name, over one that is there if that is of the same sort. */
  CompletionStage<Answers.Renamed> rename(
      Request by, NodeId from, FileName oldName, NodeId to, FileName newName);

  /** Adds a name to a file that is no directory. */
  CompletionStage<Answers.Linked> link(Request by, NodeId file, NodeId directory, FileName name);

  /**
   * Lists a directory. An entry that stays where it is is listed exactly once, whatever else
   * changes. "." and ".." are not listed.
   *
   * @param behindCookie of the last entry seen, 0 at the beginning
   * @param mostEntries fewer may come, but one at least unless there is none
   */
  CompletionStage<Answers.Page> list(
      Request by, NodeId directory, long behindCookie, int mostEntries, boolean withAttributes);

  CompletionStage<FileReply.Space> space(Request by, NodeId file);
}
