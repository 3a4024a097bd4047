package org.weft.metadata.recovery;

import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.weft.metadata.grant.WriteGrant;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.StorageMap;

/** What the finishing of truncations needs from its volume. Called on the volume's thread. */
public interface CutFiles {
  /**
   * A cut that is to be finished.
   *
   * @param number that everything is written under, and nothing else ever was
   * @param map where the file is; no OSD of a component that it calls present is down
   * @param sizeBytes length of the file, which it was cut to
   * @param truncation number of the cut
   */
  record Cut(ObjectId object, Lsn number, StorageMap map, long sizeBytes, int truncation) {}

  /** Grants under which a truncation is to be finished and no work was done yet, oldest first. */
  List<WriteGrant> waiting();

  /** Files that are in order again are not among these; others may be. */
  Set<ObjectId> unfinished();

  /**
   * What is to be done under the grant. Completes on the volume's thread; fails if it is not to be
   * done now, and the file is to be resolved first.
   */
  CompletableFuture<Cut> begin(WriteGrant grant);

  /**
   * Notes that the file goes without what it has on an OSD that has said itself that this cannot be
   * relied on (P 5.8). Completes once that is durable, on the volume's thread; fails if the file
   * would not bear it.
   */
  CompletableFuture<Lsn> lose(Cut cut, OsdId osd);

  /** Notes that the truncation is over. Completes once that is durable, on the volume's thread. */
  CompletableFuture<Lsn> finish(Cut cut);

  /** Nothing is sent to OSDs under the grant any more: the file may be resolved. */
  void ended(WriteGrant grant);
}
