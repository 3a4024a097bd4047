package org.weft.metadata.serving;

import org.weft.metadata.grant.RecallTable.Recall;
import org.weft.metadata.volume.Now;
import org.weft.metadata.volume.VolumeMachine;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.wire.RecallPush;

/**
 * Asks owners of ranges to give them back, again and again until they have (P 6.5). Confined to the
 * volume's thread.
 */
final class RecallPusher implements Runnable {
  private final PartitionId volume;
  private final VolumeMachine machine;
  private final ControlConnections connections;
  private final Environment environment;

  RecallPusher(
      PartitionId volume,
      VolumeMachine machine,
      ControlConnections connections,
      Environment environment) {
    this.volume = volume;
    this.machine = machine;
    this.connections = connections;
    this.environment = environment;
  }

  /** Pushes what is due; to be called now and then, and whenever somebody was told to wait. */
  @Override
  public void run() {
    Now now = new Now(environment.clock().nowMillis(), environment.ticker().nowNanos());
    for (Recall recall : machine.recalls(now)) {
      connections.push(
          RecallPush.newBuilder()
              .setVolumeId(volume.value())
              .setSessionId(recall.owner().session().value())
              .setObjectId(recall.owner().object().value())
              .setGrant(recall.owner().number().value())
              .setFrom(recall.range().from())
              .setTo(recall.range().toInMessage())
              .build());
    }
  }
}
