package org.weft.osd.command.read;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.weft.osd.command.request.CommandHandler;
import org.weft.osd.command.request.CommandReply;
import org.weft.osd.command.request.ReceivedCommand;
import org.weft.osd.store.Durability;
import org.weft.osd.store.ObjectStore;
import org.weft.osd.store.StoreStatus;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.wire.OsdStatusReply;
import org.weft.protocol.wire.OsdStatusRequest;

/** OSD_STATUS: space and state, for anyone. */
public record StatusHandler(ObjectStore store, Durability durability) implements CommandHandler {
  /** A sign of life does not wait for commands that wait for the disk (P 5.8). */
  @Override
  public Optional<CommandReply> now(ReceivedCommand command) throws WeftException {
    if (!command.parse(OsdStatusRequest.parser()).getOnlyAlive()) {
      return Optional.empty();
    }
    long incarnation = store.identity().incarnation();
    return Optional.of(
        CommandReply.of(OsdStatusReply.newBuilder().setIncarnation(incarnation).build()));
  }

  @Override
  public CompletionStage<CommandReply> handle(ReceivedCommand command) throws WeftException {
    var unused = command.parse(OsdStatusRequest.parser());
    StoreStatus status = store.status();
    OsdStatusReply reply =
        OsdStatusReply.newBuilder()
            .setCapacityBytes(status.capacityBytes())
            .setUsedBytes(status.usedBytes())
            .setFreeBytes(status.freeBytes())
            .setReserveBytes(status.reserveBytes())
            .setObjects(status.objects())
            .setDurableCheckpoint(status.durableCheckpoint())
            .setDurability(durability.toString())
            .setIncarnation(store.identity().incarnation())
            .build();
    return CompletableFuture.completedStage(CommandReply.of(reply));
  }
}
