package org.weft.recovery.resolve;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.weft.client.stripe.StripeWorld;
import org.weft.client.stripe.base.BlockChecksums;
import org.weft.client.stripe.base.StripedFile;
import org.weft.protocol.rpc.Payload;
import org.weft.protocol.wire.CompleteRequest;
import org.weft.protocol.wire.PunchRequest;
import org.weft.protocol.wire.TruncateRequest;
import org.weft.protocol.wire.WriteReply;
import org.weft.protocol.wire.WriteRequest;
import org.weft.protocol.wire.XorReadWriteRequest;

/** Single requests to single components of a file, as one writer of it would send them. */
final class RawWrites {
  private final StripeWorld world;
  private final StripedFile file;
  private final long grant;
  private final long eofBytes;

  /**
   * Of a writer.
   *
   * @param file with the writer's capability
   */
  RawWrites(StripeWorld world, StripedFile file, long eofBytes) {
    this.world = world;
    this.file = file;
    this.grant = StripeWorld.grantOf(file);
    this.eofBytes = eofBytes;
  }

  /** One component's part of a stripe write, at the beginning of the component. */
  CompletableFuture<WriteReply> write(
      int component, long seq, byte[] unit, List<Integer> participants) {
    WriteRequest.Builder request =
        WriteRequest.newBuilder()
            .setObjectId(file.name().object().value())
            .setGrant(grant)
            .setFirstSeq(seq)
            .setSeqCount(1)
            .addAllParticipants(participants)
            .setEof(eofBytes)
            .addAllBlockCrc(BlockChecksums.listOf(ByteBuffer.wrap(unit)));
    return world
        .context
        .osds()
        .write(file.target(component, 500), request, Payload.of(ByteBuffer.wrap(unit)));
  }

  /** The data unit's part of an XOR write. */
  CompletableFuture<Void> exchange(
      int component, long seq, byte[] unit, List<Integer> participants) {
    XorReadWriteRequest.Builder request =
        XorReadWriteRequest.newBuilder()
            .setObjectId(file.name().object().value())
            .setGrant(grant)
            .setSeq(seq)
            .addAllParticipants(participants)
            .setEof(eofBytes)
            .addAllBlockCrc(BlockChecksums.listOf(ByteBuffer.wrap(unit)));
    return world
        .context
        .osds()
        .xorReadWrite(file.target(component, 500), request, Payload.of(ByteBuffer.wrap(unit)))
        .thenAccept(answer -> answer.payload().release());
  }

  /** The first unit of one component gives its space back. */
  void punch(int component, long seq) {
    world.time.await(
        world
            .context
            .osds()
            .punch(
                file.target(component, 500),
                PunchRequest.newBuilder()
                    .setObjectId(file.name().object().value())
                    .setLength(StripeWorld.UNIT_BYTES)
                    .setGrant(grant)
                    .setSeq(seq)));
  }

  /** One component is cut: nothing of it is left. */
  void empty(int component, long seq, int truncationNumber) {
    world.time.await(
        world
            .context
            .osds()
            .truncate(
                file.target(component, 500),
                TruncateRequest.newBuilder()
                    .setObjectId(file.name().object().value())
                    .setTruncationNumber(truncationNumber)
                    .setGrant(grant)
                    .setSeq(seq)));
  }

  /** One component hears what is complete. */
  void tell(int component, long upTo) {
    world.time.await(
        world
            .context
            .osds()
            .complete(
                file.target(component, 500),
                CompleteRequest.newBuilder()
                    .setObjectId(file.name().object().value())
                    .setGrant(grant)
                    .setCompleteUpTo(upTo)));
  }
}
