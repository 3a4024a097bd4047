package org.weft.metadata.readmission;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.weft.protocol.id.OsdId;

/** The volume as its OSDs' readmission sees it. Called, and completing, on the volume's thread. */
public interface ComparedVolume {
  /** OSDs in quarantine that wait for this volume, ascending. */
  List<QuarantinedOsd> quarantined();

  /**
   * How many objects on the OSD have missed something, or are to be removed there because maps call
   * them missing. They are caught up by themselves.
   */
  int waitingCopies(OsdId osd);

  /** How many of those are to be removed: only they would mislead a client that reads there. */
  int waitingRemovals(OsdId osd);

  /**
   * How many files wait to be resolved before what the OSD holds of them can be believed (P 5.9).
   */
  long suspectFiles(OsdId osd);

  /**
   * Gives up what the OSD may have lost (P 5.9). Completes when that is journalled and so part of
   * {@link #waitingCopies}; fails with UNAVAILABLE while it has to wait, with the reason.
   */
  CompletableFuture<Void> giveUpLosses(QuarantinedOsd osd);

  /** Tells SysMgr that the volume has compared the OSD; fails if it was not taken. */
  CompletableFuture<Void> readmit(QuarantinedOsd osd);
}
