package org.weft.osd.command.read;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.weft.osd.command.request.CommandHandler;
import org.weft.osd.command.request.CommandReply;
import org.weft.osd.command.request.ReceivedCommand;
import org.weft.osd.store.ObjectStore;
import org.weft.osd.store.PartitionState;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.wire.ListPartitionsReply;
import org.weft.protocol.wire.ListPartitionsRequest;
import org.weft.protocol.wire.PartitionInfo;

/** LIST_PARTITIONS: for the cluster's daemons, which sign with the join secret. */
public final class ListPartitionsHandler implements CommandHandler {
  private final ObjectStore store;
  private final byte[] joinSecret;

  public ListPartitionsHandler(ObjectStore store, byte[] joinSecret) {
    this.store = store;
    this.joinSecret = joinSecret;
  }

  @Override
  public CompletionStage<CommandReply> handle(ReceivedCommand command) throws WeftException {
    if (!command.signedWith(joinSecret)) {
      throw new WeftException(
          ErrorCode.UNAUTHENTICATED,
          "LIST_PARTITIONS is for daemons: sign it with the secret made from the join token");
    }
    var unused = command.parse(ListPartitionsRequest.parser());
    ListPartitionsReply.Builder reply = ListPartitionsReply.newBuilder();
    store.partitions().forEach(partition -> reply.addPartitions(message(partition)));
    return CompletableFuture.completedStage(CommandReply.of(reply.build()));
  }

  private static PartitionInfo message(PartitionState partition) {
    PartitionInfo.Builder info =
        PartitionInfo.newBuilder()
            .setPartitionId(partition.id().value())
            .setFenceEpoch(partition.fenceEpoch())
            .setCreateFloor(partition.createFloor());
    partition.keys().forEach(key -> info.addKeyVersion(key.version()));
    return info.build();
  }
}
