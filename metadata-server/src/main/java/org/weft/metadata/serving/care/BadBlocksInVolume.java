package org.weft.metadata.serving.care;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.weft.client.stripe.base.StripedFile;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.repair.DamagedVolume;
import org.weft.metadata.repair.Rebuild;
import org.weft.metadata.repair.RepairOptions;
import org.weft.metadata.volume.operation.repair.AbandonRebuild;
import org.weft.metadata.volume.operation.repair.BeginBlockRepair;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.ObjectName;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.wire.BadBlock;
import org.weft.protocol.wire.ListBadBlocksReply;
import org.weft.protocol.wire.ListBadBlocksRequest;
import org.weft.recovery.FileRecovery;
import org.weft.recovery.rebuild.BlockRepairOutcome;
import org.weft.recovery.rebuild.RebuildTask;

/** A served volume as the repair of bad blocks sees it. On the volume's thread. */
final class BadBlocksInVolume implements DamagedVolume {
  private static final int LIST_TIMEOUT_MILLIS = 10_000;
  private static final int MAX_BLOCKS = 10_000;
  private static final long BLOCK_BYTES = 4_096;

  private final CaredVolume parts;
  private final RepairOptions options;
  private final Executor home;

  /**
   * @param parts OSDs are called so that calls complete on the volume's thread
   * @param home that thread
   */
  BadBlocksInVolume(CaredVolume parts, RepairOptions options, Executor home) {
    this.parts = parts;
    this.options = options;
    this.home = home;
  }

  @Override
  public SortedSet<OsdId> serving() {
    return new TreeSet<>(parts.states().servingManagers());
  }

  @Override
  public CompletableFuture<List<Block>> badBlocks(OsdId osd) {
    return more(osd, new ArrayList<>()).toCompletableFuture();
  }

  private CompletionStage<List<Block>> more(OsdId osd, List<Block> before) {
    ListBadBlocksRequest.Builder request = ListBadBlocksRequest.newBuilder();
    if (!before.isEmpty()) {
      Block last = before.get(before.size() - 1);
      request.setAfterObjectId(last.object().value()).setAfterBlock(last.number());
    }
    return parts
        .osds()
        .listBadBlocks(parts.capability().target(osd, LIST_TIMEOUT_MILLIS), request)
        .thenCompose(reply -> taken(osd, before, reply));
  }

  private CompletionStage<List<Block>> taken(
      OsdId osd, List<Block> before, ListBadBlocksReply reply) {
    for (BadBlock each : reply.getBlocksList()) {
      before.add(new Block(new ObjectId(each.getObjectId()), each.getBlock()));
    }
    return reply.getMore() && reply.getBlocksCount() > 0 && before.size() < MAX_BLOCKS
        ? more(osd, before)
        : CompletableFuture.completedStage(before);
  }

  @Override
  public CompletableFuture<Optional<Attributes>> begin(
      ObjectId object, OsdId osd, Set<OsdId> alsoBadOn) {
    return parts
        .service()
        .askOwn(new BeginBlockRepair(object, osd, alsoBadOn))
        .thenApply(answered -> RepairsInVolume.fileIn(answered.body()));
  }

  @Override
  public List<Rebuild> begun() {
    return parts.machine().rebuilds().all().stream().filter(Rebuild::inPlace).toList();
  }

  @Override
  public Optional<Rebuild> begun(ObjectId object) {
    return parts.machine().rebuilds().find(object).filter(Rebuild::inPlace);
  }

  @Override
  public CompletableFuture<BlockRepairOutcome> write(
      Rebuild repair, Attributes file, List<Long> blocks) {
    StripedFile striped =
        new StripedFile(
            new ObjectName(parts.partition(), repair.object()),
            file.map(),
            parts.mint().resolver(repair.object(), repair.number()),
            new TreeMap<>());
    RebuildTask task =
        new RebuildTask(
            repair.component(),
            repair.number().value(),
            file.sizeBytes(),
            file.truncation().number(),
            file.map().presentOn(Set.copyOf(parts.states().removed())),
            Optional.empty(),
            options.sharePercent(),
            bytes -> {});
    List<Long> offsets = blocks.stream().map(block -> block * BLOCK_BYTES).toList();
    return new FileRecovery(parts.stripes())
        .repairBlocks(striped, task, offsets, () -> stillBegun(repair))
        .repair();
  }

  private CompletableFuture<Void> stillBegun(Rebuild repair) {
    CompletableFuture<Void> asked = new CompletableFuture<>();
    home.execute(
        () -> {
          if (begun(repair.object()).filter(repair::equals).isPresent()) {
            asked.complete(null);
          } else {
            asked.completeExceptionally(
                new WeftException(
                    ErrorCode.GRANT_REVOKED,
                    "object %s was written or changed while damaged blocks of it were repaired"
                        .formatted(repair.object())));
          }
        });
    return asked;
  }

  @Override
  public CompletableFuture<Void> end(Rebuild repair) {
    return parts
        .service()
        .runOwn(new AbandonRebuild(repair.object(), repair.number()))
        .thenAccept(lsn -> {});
  }
}
