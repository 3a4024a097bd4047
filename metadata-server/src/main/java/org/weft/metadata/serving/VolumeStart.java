package org.weft.metadata.serving;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.metadata.journal.JournalContents;
import org.weft.metadata.objects.Loadable;
import org.weft.metadata.objects.ObjectLoader;
import org.weft.metadata.objects.cache.MetadataCache;
import org.weft.metadata.objects.cache.TailReplay;
import org.weft.metadata.objects.flush.Flusher;
import org.weft.metadata.serving.request.VolumeService;
import org.weft.metadata.serving.sysmgr.VolumeAssignment;
import org.weft.metadata.volume.VolumeMachine;
import org.weft.metadata.volume.operation.volume.DrawHandleKey;
import org.weft.metadata.volume.operation.volume.FormatVolume;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.seam.Scheduler;
import org.weft.protocol.seam.Scheduler.OwnedExecutor;

/**
 * The way of a volume from its journal to being served. The tail is laid over what the OSDs hold (P
 * 6.2, 6.3), and a new volume is formatted. Each step waits for the OSDs it needs and says so. It
 * gives up only what waiting cannot mend. Confined to the volume's thread.
 */
final class VolumeStart {
  private static final Logger LOG = LoggerFactory.getLogger(VolumeStart.class);
  private static final String ROOT_PATH = "/";
  private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(300);

  private final VolumeAssignment assignment;
  private final VolumeMachine machine;
  private final MetadataCache cache;
  private final ObjectLoader loader;
  private final VolumeService service;
  private final Scheduler scheduler;
  private final OwnedExecutor home;
  private final Consumer<String> status;
  private final CompletableFuture<Void> replayed = new CompletableFuture<>();
  private final CompletableFuture<Void> formatted = new CompletableFuture<>();

  /**
   * @param status receives what the start waits for
   */
  VolumeStart(
      VolumeAssignment assignment,
      VolumeMachine machine,
      MetadataCache cache,
      ObjectLoader loader,
      VolumeService service,
      Scheduler scheduler,
      OwnedExecutor home,
      Consumer<String> status) {
    this.assignment = assignment;
    this.machine = machine;
    this.cache = cache;
    this.loader = loader;
    this.service = service;
    this.scheduler = scheduler;
    this.home = home;
    this.status = status;
  }

  /** Lays the journal's tail over what the OSDs hold. */
  CompletableFuture<Void> replay(JournalContents contents) {
    int records = contents.records().size();
    status.accept("recovering " + records + " records");
    LOG.info("{} records of the journal are laid over what the OSDs hold", records);
    step(new TailReplay(cache, contents));
    return replayed;
  }

  private void step(TailReplay replay) {
    Loadable<Boolean> progress;
    try {
      progress = replay.run();
    } catch (RuntimeException e) {
      replayed.completeExceptionally(TailReplay.unfit(e));
      return;
    }
    if (!progress.isReady()) {
      var unused =
          loader
              .load(progress.missing())
              .whenCompleteAsync(
                  (found, failure) -> {
                    if (failure == null) {
                      cache.loaded(found);
                      step(replay);
                    } else {
                      status.accept("waiting for OSDs: " + WeftException.of(failure).getMessage());
                      later(() -> step(replay));
                    }
                  },
                  home);
    } else if (progress.value()) {
      replayed.complete(null);
    } else {
      status.accept("recovering, waiting until earlier records are on the OSDs");
      later(() -> step(replay));
    }
  }

  /**
   * Makes the root directory if the volume is new, and sees it onto the OSDs.
   *
   * @param upCount how many OSDs are up
   * @param osdsOfBladeSet how many the volume's BladeSet has, up or not
   * @param announce reports to SysMgr; repeated until it has answered
   */
  CompletableFuture<Void> format(
      IntSupplier upCount,
      IntSupplier osdsOfBladeSet,
      Flusher flusher,
      Supplier<CompletableFuture<Void>> announce) {
    if (assignment.formatted()) {
      formatted.complete(null);
    } else if (machine.formatted()) {
      announceWhenFlushed(flusher, announce);
    } else {
      awaitOsds(upCount, osdsOfBladeSet, flusher, announce);
    }
    return formatted;
  }

  /** A new cluster's OSDs join one after another; the BladeSet of a later volume has them. */
  private int leastOsds(IntSupplier osdsOfBladeSet) {
    boolean isRoot = assignment.settings().path().equals(ROOT_PATH);
    return isRoot
        ? assignment.minOsds()
        : Math.min(assignment.minOsds(), Math.max(1, osdsOfBladeSet.getAsInt()));
  }

  private void awaitOsds(
      IntSupplier upCount,
      IntSupplier osdsOfBladeSet,
      Flusher flusher,
      Supplier<CompletableFuture<Void>> announce) {
    int least = leastOsds(osdsOfBladeSet);
    if (upCount.getAsInt() < least) {
      status.accept(
          "waiting for OSDs: " + upCount.getAsInt() + " are up, formatting needs " + least);
      later(() -> awaitOsds(upCount, osdsOfBladeSet, flusher, announce));
      return;
    }
    status.accept("formatting");
    var unused =
        service
            .runOwn(new FormatVolume())
            .whenComplete(
                (nothing, failure) -> {
                  if (failure == null) {
                    announceWhenFlushed(flusher, announce);
                  } else if (WeftException.of(failure).code() == ErrorCode.NOT_SERVING) {
                    formatted.completeExceptionally(WeftException.of(failure));
                  } else {
                    status.accept("waiting for OSDs: " + WeftException.of(failure).getMessage());
                    later(() -> awaitOsds(upCount, osdsOfBladeSet, flusher, announce));
                  }
                });
  }

  /** A volume of an earlier release gets a key for handles; completes when that is durable. */
  CompletableFuture<Void> drawHandleKey() {
    return service.runOwn(new DrawHandleKey()).thenAccept(lsn -> {});
  }

  private void announceWhenFlushed(Flusher flusher, Supplier<CompletableFuture<Void>> announce) {
    var unused =
        flusher
            .flushed()
            .whenComplete(
                (nothing, failure) -> {
                  if (failure == null) {
                    announce(announce);
                  } else {
                    later(() -> announceWhenFlushed(flusher, announce));
                  }
                });
  }

  private void announce(Supplier<CompletableFuture<Void>> announce) {
    status.accept("telling SysMgr that the volume is formatted");
    var unused =
        announce
            .get()
            .whenCompleteAsync(
                (nothing, failure) -> {
                  if (failure == null) {
                    formatted.complete(null);
                  } else {
                    status.accept("waiting for SysMgr: " + WeftException.of(failure).getMessage());
                    later(() -> announce(announce));
                  }
                },
                home);
  }

  private void later(Runnable again) {
    scheduler.schedule(RETRY_NANOS, home, again);
  }
}
