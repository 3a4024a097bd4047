package org.weft.metadata.serving.sysmgr;

import java.util.concurrent.CompletableFuture;
import org.weft.metadata.backup.PairReports;
import org.weft.protocol.wire.ReadmitOsdRequest;
import org.weft.protocol.wire.VolumeFormattedRequest;
import org.weft.protocol.wire.VolumeRecoveredRequest;
import org.weft.protocol.wire.VolumeStepRequest;

/**
 * How a volume tells SysMgr what it has carried out. May be called on any thread; the futures
 * complete on any.
 */
public interface SysmgrReports extends PairReports {
  /** The root directory is journalled and flushed. */
  CompletableFuture<Void> formatted(VolumeFormattedRequest request);

  /** The journal of a volume was made anew from what OSDs hold (P 6.8e). */
  CompletableFuture<Void> recovered(VolumeRecoveredRequest request);

  /** A part of a volume's creation or deletion is done. */
  CompletableFuture<Void> step(VolumeStepRequest step);

  /** An OSD in quarantine is compared with the volume's maps (P 5.8). */
  CompletableFuture<Void> readmit(ReadmitOsdRequest compared);
}
