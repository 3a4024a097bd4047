package org.weft.metadata.serving.client;

import org.weft.metadata.grant.GrantWishes;
import org.weft.metadata.grant.RecallTable.Recall;
import org.weft.metadata.grant.WriteGrant;
import org.weft.metadata.lock.LockWaits;
import org.weft.metadata.reading.GrantedReads;
import org.weft.metadata.volume.VolumeMachine;
import org.weft.metadata.volume.execution.Now;
import org.weft.metadata.volume.length.LengthQuestion;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.wire.GrantWantedPush;
import org.weft.protocol.wire.LengthWantedPush;
import org.weft.protocol.wire.LockFreedPush;
import org.weft.protocol.wire.ReadRecallPush;
import org.weft.protocol.wire.RecallPush;

/**
 * Asks owners of ranges to give them back, and writers how long their files are, again and again
 * until they have done so. Asks idle holders of write grants that others want to give them back.
 * Tells a client that waits for a byte-range lock that the lock may be free. Tells a client about
 * the recall of something that it was granted for reading (P 6.5). Confined to the volume's thread.
 */
public final class RecallPusher implements Runnable {
  private final PartitionId volume;
  private final VolumeMachine machine;
  private final ControlConnections connections;
  private final Environment environment;

  /**
   * @param connections on which sessions are asked
   */
  public RecallPusher(
      PartitionId volume,
      VolumeMachine machine,
      ControlConnections connections,
      Environment environment) {
    this.volume = volume;
    this.machine = machine;
    this.connections = connections;
    this.environment = environment;
  }

  /**
   * Pushes what is due. It is called from time to time, and whenever a client was asked to wait.
   */
  @Override
  public void run() {
    Now now = new Now(environment.clock().nowMillis(), environment.ticker().nowNanos());
    machine.recalls(now).forEach(this::push);
    machine.lengthQuestions(now).forEach(this::push);
    machine.freedLocks(now).forEach(this::push);
    machine.recalledReads(now).forEach(this::push);
    machine.wantedGrants(now).forEach(this::push);
  }

  private void push(GrantWishes.Word word) {
    WriteGrant holder = word.holder();
    connections.push(
        volume,
        holder.session(),
        Opcode.GRANT_WANTED,
        GrantWantedPush.newBuilder()
            .setVolumeId(volume.value())
            .setSessionId(holder.session().value())
            .setObjectId(holder.object().value())
            .setGrant(holder.number().value())
            .setForRepair(word.forRepair())
            .build());
  }

  private void push(GrantedReads.Word word) {
    ReadRecallPush.Builder push =
        ReadRecallPush.newBuilder()
            .setVolumeId(volume.value())
            .setSessionId(word.session().value())
            .setNumber(word.number().value());
    word.objects().forEach(object -> push.addObjectId(object.value()));
    connections.push(volume, word.session(), Opcode.READ_RECALL, push.build());
  }

  private void push(LockWaits.Word word) {
    connections.push(
        volume,
        word.session(),
        Opcode.LOCK_FREED,
        LockFreedPush.newBuilder()
            .setVolumeId(volume.value())
            .setSessionId(word.session().value())
            .setObjectId(word.object().value())
            .setWaitNumber(word.waitNumber())
            .build());
  }

  private void push(Recall recall) {
    WriteGrant owner = recall.owner();
    connections.push(
        volume,
        owner.session(),
        Opcode.RECALL,
        RecallPush.newBuilder()
            .setVolumeId(volume.value())
            .setSessionId(owner.session().value())
            .setObjectId(owner.object().value())
            .setGrant(owner.number().value())
            .setFrom(recall.range().from())
            .setTo(recall.range().toInMessage())
            .build());
  }

  private void push(LengthQuestion question) {
    WriteGrant writer = question.writer();
    connections.push(
        volume,
        writer.session(),
        Opcode.LENGTH_WANTED,
        LengthWantedPush.newBuilder()
            .setVolumeId(volume.value())
            .setSessionId(writer.session().value())
            .setObjectId(writer.object().value())
            .setQuestion(question.number().value())
            .build());
  }
}
