package org.weft.metadata.recovery;

import java.util.SortedMap;
import java.util.SortedSet;
import java.util.concurrent.CompletableFuture;
import org.weft.metadata.grant.WriteGrant;
import org.weft.protocol.capability.SignedCapability;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.StorageMap;

/** What the resolving of files needs from their volume. Called on the volume's thread. */
public interface AbandonedFiles {
  /**
   * What a resolve begins with.
   *
   * @param number above which no grant of the dead writer lies; never used before
   * @param map where the file is now, which may be later than when the grant was made
   * @param publishedBytes length that was published, of the newest truncation
   * @param truncationNumber of that truncation: what components say of earlier ones has no meaning
   * @param trimming that truncation is not finished
   * @param oldest grant that anything may be pending, or lost, of
   * @param suspects components whose OSDs lost power and that are taken as they are (P 5.9)
   * @param starts incarnations of the OSDs by which all that was judged, by component. A later
   *     start may have lost what the earlier one said it has, and is not to be asked instead
   */
  record Begun(
      Lsn number,
      StorageMap map,
      long publishedBytes,
      int truncationNumber,
      boolean trimming,
      Lsn oldest,
      SortedSet<Integer> suspects,
      SortedMap<Integer, Long> starts) {}

  /**
   * What a resolve ended with.
   *
   * @param begun the begin of this resolve
   * @param sizeBytes the length that components know of, which may be less than the published one
   * @param gone components that it did without
   * @param damage which bytes are lost or too old, and what can be done; empty if none are
   */
  record Resolved(Begun begun, long sizeBytes, SortedSet<Integer> gone, String damage) {}

  /** Grants whose writer is gone or has lost a component, oldest first; one of each file. */
  Iterable<WriteGrant> waiting();

  /** True if the file has no name any more: it is to be removed, and need not be resolved. */
  boolean isNameless(WriteGrant grant);

  /**
   * Marks missing what lies on OSDs that are down, and says so. It takes a number for one attempt,
   * larger than every grant that ever was and never given out again. Completes on the volume's
   * thread once it is durable that the attempt has begun and the writer is shut out. No OSD may
   * hear of that before (P 6.3).
   */
  CompletableFuture<Begun> begin(WriteGrant grant);

  /**
   * Components that the map calls missing, and that may still lie on OSDs which SysMgr has not
   * given up. These OSDs go on serving, and come back through no quarantine. Called on the volume's
   * thread.
   */
  SortedSet<Integer> leftBehind(WriteGrant grant, Begun begun);

  /**
   * Makes sure that each OSD of the components still has the start that the attempt began with.
   * What another start lost is not decided yet (P 5.9). Completes on the volume's thread; fails
   * with UNAVAILABLE, or as the OSD that does not answer.
   */
  CompletableFuture<Void> requireKnownStarts(Begun begun);

  /**
   * A component is of no use, as its own OSD says: it is marked missing. Completes once that is
   * durable, on the volume's thread; fails if the code does not bear it.
   */
  CompletableFuture<Lsn> lose(WriteGrant grant, OsdId osd);

  /**
   * As the other one, of a component without which nothing can be decided, and that never gets
   * better. It is marked missing whether the code bears it or not, and an operator is told.
   */
  CompletableFuture<Lsn> giveUp(WriteGrant grant, OsdId osd, String why);

  /** The manager's right to everything on the file, under that number. */
  SignedCapability capability(WriteGrant grant, Lsn number);

  /**
   * Ends the grant. Completes once that is durable, on the volume's thread. Fails with UNAVAILABLE
   * if the file has changed since the resolve began, so that it has to be resolved again.
   */
  CompletableFuture<Lsn> finish(WriteGrant grant, Resolved resolved);

  /** Removes a nameless one, with its grants; completes as {@link #finish}. */
  CompletableFuture<Lsn> remove(WriteGrant grant);
}
