package org.weft.client.ids;

import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.weft.protocol.rpc.Payload;

/**
 * The files of a cluster by their numbers. Thread-safe; no method blocks, calls run side by side.
 * Futures complete on the client's callback executor, and fail with an {@link
 * org.weft.protocol.error.WeftException}:
 *
 * <ul>
 *   <li>STALE: there is no such node any more, or no such volume.
 *   <li>NOT_FOUND, EXISTS, NOT_DIRECTORY, IS_DIRECTORY, NOT_EMPTY, NAME_INVALID, CROSS_VOLUME,
 *       INVALID_ARGUMENT, NO_SPACE, TOO_MANY_LINKS: as POSIX has them.
 *   <li>PERMISSION_DENIED: a mode does not allow it (EACCES); NOT_OWNER: only the owner or the
 *       superuser may do it (EPERM).
 *   <li>GUARD_FAILED: the node's ctime is another than the guard.
 *   <li>UNSUPPORTED: of a node that is no regular file, where bytes are asked for.
 *   <li>BEING_WRITTEN: another client writes the file alone, or waits for its recovery;
 *       UNAVAILABLE, OVERLOADED, DEADLINE_EXCEEDED, SESSION_EXPIRED: ask again after a while.
 * </ul>
 *
 * <p>Search permission is checked on the directory that is named, and on none above it. What
 * changes names or attributes is durable in the manager's journal when its future is done.
 *
 * <p>Symbolic links are never followed.
 */
public interface FilesById {
  CompletableFuture<NodeAttributes> attributes(RequestBy by, NodeId node);

  /**
   * The node that a path leads to, whatever permissions say: for exports. No link is followed.
   *
   * @param path absolute in the cluster
   */
  CompletableFuture<NodeAttributes> resolve(String path);

  /**
   * Sets attributes, in one record. Where the size is among them, the file is opened for writing
   * first, and cut or grown after the record of the rest. The change is that of both.
   *
   * @param guardCtimeNanos the ctime that the node must have, else GUARD_FAILED
   */
  CompletableFuture<NodeChange> setAttributes(
      RequestBy by, NodeId node, AttributesWish wish, OptionalLong guardCtimeNanos);

  /** What a name of a directory leads to; where another volume stands, the root of that one. */
  CompletableFuture<Answers.Found> lookUp(RequestBy by, NodeId directory, String name);

  /** The directory above, across the root of a volume; the root of the cluster is its own. */
  CompletableFuture<Answers.Found> parent(RequestBy by, NodeId directory);

  /** What the caller may do with a node. */
  CompletableFuture<Answers.Rights> rights(RequestBy by, NodeId node);

  /**
   * Reads bytes of a regular file. Takes read permission, execute permission or ownership.
   *
   * @param offsetBytes not negative; behind the end nothing is read
   * @param countBytes not negative
   */
  CompletableFuture<Answers.BytesRead> read(
      RequestBy by, NodeId file, long offsetBytes, int countBytes);

  /**
   * Looks up a file that the caller is about to write. Takes write permission or ownership. Nothing
   * is written yet, so the result need not be waited for or used.
   *
   * @param countBytes that will be written; those of more than 0 take setuid and setgid away
   */
  CompletableFuture<AllowedWrite> writable(
      RequestBy by, NodeId file, int countBytes, WriteStability stability);

  /**
   * Looks the file up and writes it.
   *
   * @param bytes taken over and released, whatever comes of it
   */
  default CompletableFuture<Answers.BytesWritten> write(
      RequestBy by, NodeId file, long offsetBytes, Payload bytes, WriteStability stability) {
    return writable(by, file, bytes.lengthBytes(), stability)
        .whenComplete(
            (allowed, failure) -> {
              if (failure != null) {
                bytes.release();
              }
            })
        .thenCompose(allowed -> allowed.write(offsetBytes, bytes));
  }

  /** Brings all that was written UNSTABLE of the file to stable storage. */
  CompletableFuture<NodeChange> commit(RequestBy by, NodeId file);

  /**
   * Grows whenever bytes may have been lost that this client had taken UNSTABLE. If the number that
   * was read before a write is the same after a commit, its bytes are on stable storage.
   */
  long losses();

  /**
   * How many sessions with managers have ended because they heard nothing of this client for a
   * lease. It may have been frozen. Falls when a volume is deleted.
   */
  long lostSessions();

  /** Makes a regular file, or takes the one that is there. */
  CompletableFuture<Answers.Made> create(
      RequestBy by, NodeId directory, String name, CreateWish how);

  /** Makes a node that is no regular file. */
  CompletableFuture<Answers.Made> make(RequestBy by, NodeId directory, String name, NewNode node);

  /** Removes a name of anything but a directory. */
  CompletableFuture<Answers.Removed> remove(RequestBy by, NodeId directory, String name);

  /** Removes an empty directory. */
  CompletableFuture<Answers.Removed> removeDirectory(RequestBy by, NodeId directory, String name);

  /** Moves a name, over one that is there if that is of the same sort. */
  CompletableFuture<Answers.Renamed> rename(
      RequestBy by, NodeId from, String oldName, NodeId to, String newName);

  /** Adds a name to a node that is no directory. */
  CompletableFuture<Answers.Linked> link(RequestBy by, NodeId node, NodeId directory, String name);

  /**
   * Lists a directory. An entry that stays where it is is listed exactly once, whatever else
   * changes. "." and ".." are not listed.
   *
   * @param behindCookie of the last entry seen, 0 at the beginning
   * @param mostEntries up to 1,000; fewer may come, but one at least unless there is none
   */
  CompletableFuture<Answers.Page> list(
      RequestBy by, NodeId directory, long behindCookie, int mostEntries, boolean withAttributes);

  /** Space of the node's volume. */
  CompletableFuture<Answers.Space> space(RequestBy by, NodeId node);

  /**
   * What a refused call has looked at. No message is sent for it: the refusal says it (P
   * 6.5c.8.37).
   *
   * @param asked a node of the volume that was asked
   * @param failure what the call's future failed with
   * @return NOTHING where the failure says nothing, as those of earlier managers
   */
  Answers.LookedAt lookedAt(NodeId asked, Throwable failure);
}
