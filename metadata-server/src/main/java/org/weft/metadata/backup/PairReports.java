package org.weft.metadata.backup;

import java.util.concurrent.CompletableFuture;
import org.weft.protocol.wire.HandOverRequest;
import org.weft.protocol.wire.SetBackupRequest;

/** Reports of a primary to SysMgr about its backup. Any thread; the futures complete on any. */
public interface PairReports {
  /** It has this backup from now on, or none. */
  CompletableFuture<Void> setBackup(SetBackupRequest request);

  /** It serves the volume no more, and its backup is to. */
  CompletableFuture<Void> handOver(HandOverRequest request);
}
