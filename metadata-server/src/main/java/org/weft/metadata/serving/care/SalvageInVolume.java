package org.weft.metadata.serving.care;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.weft.client.osd.BatchCall;
import org.weft.client.osd.OsdClient;
import org.weft.metadata.check.CheckedVolume;
import org.weft.metadata.grant.ManagerCapability;
import org.weft.metadata.salvage.SalvagedVolume;
import org.weft.metadata.serving.request.VolumeService;
import org.weft.metadata.volume.execution.Operation;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.seam.Scheduler;
import org.weft.protocol.wire.BatchItemReply;
import org.weft.protocol.wire.BatchReply;
import org.weft.protocol.wire.GetAttributesRequest;
import org.weft.protocol.wire.RaiseVersionRequest;
import org.weft.protocol.wire.RemoveRequest;

/** A volume that is not served yet, as its recovery from OSDs sees it. On the volume's thread. */
final class SalvageInVolume implements SalvagedVolume {
  private static final int TIMEOUT_MILLIS = 10_000;
  private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(300);

  private final CheckedVolume volume;
  private final VolumeService service;
  private final OsdClient osds;
  private final ManagerCapability capability;
  private final Scheduler scheduler;
  private final Executor home;

  /** Smaller than every number of this epoch, larger than those of all before. */
  private final Lsn first;

  /**
   * @param osds completes calls on the volume's thread
   * @param home that thread
   */
  SalvageInVolume(
      CheckedVolume volume,
      VolumeService service,
      OsdClient osds,
      ManagerCapability capability,
      long epoch,
      Scheduler scheduler,
      Executor home) {
    this.volume = volume;
    this.service = service;
    this.osds = osds;
    this.capability = capability;
    this.first = Lsn.of(epoch, 0);
    this.scheduler = scheduler;
    this.home = home;
  }

  @Override
  public CheckedVolume volume() {
    return volume;
  }

  @Override
  public CompletionStage<Set<ObjectId>> shutOut(OsdId osd, List<ObjectId> objects) {
    List<BatchCall> calls = new ArrayList<>(objects.size());
    for (ObjectId object : objects) {
      calls.add(
          BatchCall.raiseVersion(
              capability.get(),
              RaiseVersionRequest.newBuilder()
                  .setObjectId(object.value())
                  .setVersion(first.value())));
    }
    return osds.batch(osd, calls, TIMEOUT_MILLIS)
        .thenApply(reply -> notRaised(osd, objects, reply));
  }

  private static Set<ObjectId> notRaised(OsdId osd, List<ObjectId> objects, BatchReply reply) {
    Set<ObjectId> unreadable = new TreeSet<>();
    for (int index = 0; index < objects.size(); index++) {
      if (index >= reply.getItemsCount()) {
        throw new CompletionException(
            new WeftException(
                ErrorCode.UNAVAILABLE,
                "osd-"
                    + osd
                    + " does not tell whether it shut out writers of "
                    + objects.get(index)));
      }
      BatchItemReply item = reply.getItems(index);
      if (ErrorCode.of(item.getError()).isOfBlock()) {
        unreadable.add(objects.get(index));
      } else if (item.getError() != 0 && item.getError() != ErrorCode.NO_SUCH_OBJECT.number()) {
        throw new CompletionException(
            new WeftException(
                ErrorCode.of(item.getError()),
                "osd-"
                    + osd
                    + ": "
                    + item.getMessage()
                    + "; if that lasts its store is damaged: repair it (weft osd check), or give the OSD"
                    + " up (weft osd remove)"));
      }
    }
    return unreadable;
  }

  @Override
  public CompletionStage<Optional<String>> unreadable(OsdId osd, ObjectId object) {
    return osds.getAttributes(
            capability.target(osd, TIMEOUT_MILLIS),
            GetAttributesRequest.newBuilder().setObjectId(object.value()).addPage(0))
        .handle(
            (reply, failure) -> {
              if (failure == null) {
                return Optional.<String>empty();
              }
              WeftException cause = WeftException.of(failure);
              if (cause.code() == ErrorCode.NO_SUCH_OBJECT) {
                return Optional.<String>empty();
              }
              if (cause.code().isOfBlock()) {
                return Optional.of(cause.getMessage());
              }
              throw new CompletionException(cause);
            });
  }

  @Override
  public CompletionStage<Void> barCreations(OsdId osd, ObjectId unused) {
    return osds.remove(
            capability.target(osd, TIMEOUT_MILLIS),
            RemoveRequest.newBuilder()
                .setObjectId(unused.value())
                .setLsn(first.value())
                .setOnlyIfAbsent(true)
                .setCreateFloor(first.value()))
        .thenAccept(reply -> {});
  }

  @Override
  public CompletionStage<Void> journal(Operation operation) {
    return service.runOwn(operation).thenAcceptAsync(lsn -> {}, home);
  }

  @Override
  public void later(Runnable again) {
    scheduler.schedule(RETRY_NANOS, home, again);
  }
}
