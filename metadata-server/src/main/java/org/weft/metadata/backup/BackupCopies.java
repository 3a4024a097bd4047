package org.weft.metadata.backup;

import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongPredicate;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.metadata.journal.FileJournal;
import org.weft.metadata.journal.JournalIdentity;
import org.weft.metadata.journal.JournalPlace;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.rpc.InboundRequest;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.seam.Scheduler.OwnedExecutor;
import org.weft.protocol.wire.AppendCopyReply;
import org.weft.protocol.wire.AppendCopyRequest;
import org.weft.protocol.wire.BeginCopyRequest;
import org.weft.protocol.wire.CopyIdentity;
import org.weft.protocol.wire.Empty;

/**
 * The copies of journals that this manager has as a backup (P 6.1, 6.2). A request is answered when
 * all that it holds is on this disk. A copy is written while this process lives and no newer copy
 * is begun. What is on disk stays good, and is the volume's journal if this manager is promoted.
 * Beside it the volume's live state is kept warm (P 6.3a).
 *
 * <p>Requests may come on any thread; all else happens on an executor of its own.
 */
public final class BackupCopies implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(BackupCopies.class);
  private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(300);

  private final Environment environment;
  private final OwnedExecutor home;
  private final CopyPlaces places;
  private final Supplier<Optional<ClusterId>> clusterId;
  private final byte[] secret;
  private final LongPredicate isServed;
  private final WarmShelf shelf;
  private final Map<Long, BackupCopy> copies = new TreeMap<>();

  /** About to be taken over: all that was appended is becoming durable, and being applied. */
  private final Set<BackupCopy> taking = ConcurrentHashMap.newKeySet();

  /** Volumes whose rows name this manager their backup, by the newest table. */
  private final Set<Long> named = new TreeSet<>();

  private final Map<Long, WarmCopy> warmth = new ConcurrentSkipListMap<>();
  private final AtomicLong changes = new AtomicLong();

  /** Copies of older epochs are refused. */
  private final Map<Long, Long> leastEpochs = new TreeMap<>();

  /**
   * @param secret made from the join token
   * @param isServed the volumes whose primary this manager is; asked on any thread
   * @param warm how the live state is kept warm
   */
  public BackupCopies(
      Environment environment,
      CopyPlaces places,
      Supplier<Optional<ClusterId>> clusterId,
      byte[] secret,
      LongPredicate isServed,
      WarmOptions warm) {
    this.environment = environment;
    this.home = environment.scheduler().newSerialExecutor("copies");
    this.places = places;
    this.clusterId = clusterId;
    this.secret = secret.clone();
    this.isServed = isServed;
    this.shelf = new WarmShelf(warm, environment.scheduler());
  }

  /** True if it is a request for copies, which {@link #handle} answers. */
  public static boolean takes(int opcodeNumber) {
    return opcodeNumber == Opcode.BEGIN_COPY.number()
        || opcodeNumber == Opcode.APPEND_COPY.number();
  }

  /**
   * How often this process has begun or continued a copy. Each time the directory holds more than
   * an older copy of the directory does (P 5.10). Any thread.
   */
  public long changes() {
    return changes.get();
  }

  /** Answers, now or later. Any thread. */
  public void handle(InboundRequest request) {
    // Before it is queued: what is not the cluster's takes no place of what is.
    if (!request.signedWith(secret)) {
      request.fail(
          ErrorCode.UNAUTHENTICATED,
          "a copy of a journal is not signed with the cluster's join token; give both managers the"
              + " text in SysMgr's file join-token");
      return;
    }
    Runnable answering = () -> run(() -> answer(request), request::fail);
    try {
      if (request.opcodeNumber() == Opcode.APPEND_COPY.number()) {
        // The primary's clients wait for it, and it only hands the records to the journal.
        home.executeBrief(answering);
      } else {
        home.execute(answering);
      }
    } catch (RejectedExecutionException e) {
      request.fail(ErrorCode.UNAVAILABLE, "this manager is stopping");
    }
  }

  private void answer(InboundRequest request) throws IOException {
    if (request.opcodeNumber() == Opcode.BEGIN_COPY.number()) {
      begin(request.parse(BeginCopyRequest.parser()));
      request.reply(Empty.getDefaultInstance());
      return;
    }
    AppendCopyRequest append = request.parse(AppendCopyRequest.parser());
    var unused =
        append(append)
            .whenComplete(
                (nothing, failure) -> {
                  if (failure == null) {
                    request.reply(answer(append.getCopy().getVolumeId()));
                  } else {
                    request.fail(WeftException.of(failure));
                  }
                });
  }

  private AppendCopyReply answer(long volume) {
    WarmCopy warm = warmth.get(volume);
    return warm == null
        ? AppendCopyReply.getDefaultInstance()
        : AppendCopyReply.newBuilder().setWarm(warm.status().toMessage()).build();
  }

  private void begin(BeginCopyRequest request) throws IOException {
    CopyIdentity identity = request.getCopy();
    long volume = identity.getVolumeId();
    BackupCopy before = copies.get(volume);
    if (before != null && before.identity().equals(identity)) {
      return;
    }
    refuseOlder(identity);
    if (isServed.test(volume)) {
      throw new WeftException(
          ErrorCode.FENCED, "this manager is the primary of volume " + volume + " itself");
    }
    if (before != null && compare(identity, before.identity()) < 0) {
      throw old(identity);
    }
    JournalPlace place = places.beginCopy(identity);
    closeCopy(copies.remove(volume), WarmDoubt.NEW_COPY);
    FileJournal journal =
        place.open(
            new JournalIdentity(new PartitionId(volume), clusterId.get().orElseThrow()),
            environment);
    WarmCopy warm = shelf.open(volume, request.getSuperuser());
    copies.put(volume, new BackupCopy(identity, journal, warm));
    warmth.put(volume, warm);
    if (!request.hasSuperuser()) {
      warm.discard(WarmDoubt.OLD_PRIMARY, "its primary is of an older release");
    }
    changes.incrementAndGet();
    LOG.info("a copy of the journal of volume {} is begun in {}", volume, place);
  }

  private void refuseOlder(CopyIdentity identity) throws WeftException {
    if (identity.getEpoch() < leastEpochs.getOrDefault(identity.getVolumeId(), 0L)) {
      throw old(identity);
    }
  }

  private static WeftException old(CopyIdentity identity) {
    return new WeftException(
        ErrorCode.FENCED,
        "volume "
            + identity.getVolumeId()
            + " has another primary than that of epoch "
            + identity.getEpoch()
            + ", or a newer copy");
  }

  private static int compare(CopyIdentity one, CopyIdentity other) {
    int byEpoch = Long.compare(one.getEpoch(), other.getEpoch());
    return byEpoch != 0 ? byEpoch : Long.compare(one.getAttempt(), other.getAttempt());
  }

  private CompletableFuture<Void> append(AppendCopyRequest request) throws IOException {
    refuseOlder(request.getCopy());
    BackupCopy copy = copies.get(request.getCopy().getVolumeId());
    if (copy == null || copy.isBroken() || !copy.identity().equals(request.getCopy())) {
      throw new WeftException(
          ErrorCode.NOT_FOUND,
          "this manager writes no such copy of volume " + request.getCopy().getVolumeId());
    }
    if (copy.isRepeated(request)) {
      return copy.last();
    }
    CompletableFuture<Void> written;
    try {
      written = copy.append(request);
    } catch (WeftException | RuntimeException | Error e) {
      // Repeated it would be taken for what is there: it has to be refused.
      copy.broken();
      giveUpLater(copy, e);
      throw e;
    }
    if (request.getFramesCount() > 0 || request.getDropBelow() != 0) {
      // A sign of life changes nothing that an older copy of the directory would lack.
      changes.incrementAndGet();
    }
    var unused =
        written.whenComplete(
            (nothing, failure) -> {
              if (failure != null) {
                giveUpLater(copy, failure);
              }
            });
    return written;
  }

  /**
   * A write failed or was refused: nothing that comes later may follow it, so the copy has to be
   * begun again. What is on disk before it stays good. Blocks.
   */
  private void giveUp(BackupCopy copy, Throwable why) {
    long volume = copy.volume();
    if (copies.remove(volume, copy)) {
      LOG.warn("the copy of the journal of volume {} cannot be written any more", volume, why);
      closeCopy(copy, WarmDoubt.GIVEN_UP);
    }
  }

  private void giveUpLater(BackupCopy copy, Throwable why) {
    try {
      home.execute(() -> giveUp(copy, why));
    } catch (RejectedExecutionException e) {
      LOG.debug("this manager is stopping, and closes all copies");
    }
  }

  /**
   * The volume has a primary of that epoch: copies of older epochs are written no more. Completes
   * when what was acknowledged is on disk and the journal may be opened.
   *
   * @return what is in memory of the volume, whose journal is open and the caller's; empty: its
   *     journal is closed and to be opened
   */
  public CompletableFuture<Optional<WarmVolume>> takeOver(long volume, long epoch) {
    CompletableFuture<Optional<WarmVolume>> taken = new CompletableFuture<>();
    onHome(
        taken,
        () -> {
          leastEpochs.merge(volume, epoch, Math::max);
          BackupCopy copy = copies.get(volume);
          if (copy == null || copy.identity().getEpoch() >= epoch) {
            taken.complete(Optional.empty());
            return;
          }
          taking.add(copy);
          copies.remove(volume);
          Lsn newest = copy.newest();
          var unused =
              copy.last()
                  .whenComplete((nothing, failure) -> takeOver(copy, newest, failure, taken));
        });
    return taken;
  }

  /** All that was appended is durable, or has failed. */
  private void takeOver(
      BackupCopy copy,
      Lsn newest,
      Throwable failure,
      CompletableFuture<Optional<WarmVolume>> taken) {
    try {
      // A journal fails for good, and not by records alone: a volume that began with it would end.
      if (failure != null || copy.isBroken() || copy.journal().failure().isPresent()) {
        copy.warm().discard(WarmDoubt.GIVEN_UP, "a write of the copy has failed");
      }
      var unused =
          copy.warm()
              .takeOver(copy.journal(), newest, shelf.check())
              .whenComplete((warm, broken) -> give(copy, warm, broken, taken));
    } catch (RuntimeException | Error e) {
      // No waiting stage is left, so no manager would open the volume.
      give(copy, Optional.empty(), e, taken);
    }
  }

  private void give(
      BackupCopy copy,
      Optional<WarmVolume> warm,
      Throwable broken,
      CompletableFuture<Optional<WarmVolume>> taken) {
    try {
      home.execute(() -> given(copy, warm, broken, taken));
    } catch (RejectedExecutionException e) {
      // Its journal is closed by what stops this manager: this may be the journal's own thread.
      taken.completeExceptionally(
          new WeftException(ErrorCode.UNAVAILABLE, "this manager is stopping", e));
    } catch (RuntimeException | Error e) {
      // Not answered before the journal is closed or given: it would be opened beside itself.
      LOG.error("the journal of volume {} is taken over later", copy.volume(), e);
      environment
          .scheduler()
          .schedule(RETRY_NANOS, Runnable::run, () -> give(copy, warm, broken, taken));
    }
  }

  /** Whatever fails here: the volume is opened by its files then. */
  private void given(
      BackupCopy copy,
      Optional<WarmVolume> warm,
      Throwable broken,
      CompletableFuture<Optional<WarmVolume>> taken) {
    try {
      taking.remove(copy);
      warmth.remove(copy.volume(), copy.warm());
      boolean isWarm = broken == null && warm.isPresent() && copy.journal().failure().isEmpty();
      if (!isWarm) {
        closeCopy(copy, WarmDoubt.GIVEN_UP);
      }
      if (broken != null) {
        taken.completeExceptionally(WeftException.of(broken));
      } else {
        taken.complete(warm.filter(taking -> isWarm));
      }
    } catch (RuntimeException | Error e) {
      LOG.error("the copy of the journal of volume {} was not taken over", copy.volume(), e);
      taken.completeExceptionally(WeftException.of(e));
    }
  }

  /** The volume's row says that this manager is its backup. Any thread. */
  public void named(long volume) {
    onHome(
        new CompletableFuture<>(),
        () -> {
          named.add(volume);
          Optional.ofNullable(copies.get(volume)).ifPresent(BackupCopy::named);
        });
  }

  /**
   * The volume's row names this manager no more. What is kept warm of a copy that it was named for
   * is let go; what is on disk stays. A copy that was begun since then stays warm. Any thread.
   */
  public void unnamed(long volume) {
    onHome(
        new CompletableFuture<>(),
        () -> {
          named.remove(volume);
          BackupCopy copy = copies.get(volume);
          if (copy != null && copy.isNamed()) {
            copy.warm()
                .discard(
                    WarmDoubt.NOT_NAMED, "the volume's row does not name this manager any more");
          }
        });
  }

  /**
   * The volume is served here. It counts as a promotion if its row named this manager the backup
   * until then. Any thread.
   *
   * @param warm it went on with what was warm; else its journal was read
   */
  public void opened(long volume, boolean warm) {
    onHome(
        new CompletableFuture<>(),
        () -> {
          if (named.remove(volume) || warm) {
            shelf.promoted(warm);
          }
        });
  }

  /** How it goes with what is kept warm. Any thread. */
  public WarmCounts warmCounts() {
    return shelf.counts(warmth.values().stream().map(WarmCopy::status).toList());
  }

  /** The volume is gone from the cluster. */
  public CompletableFuture<Void> forget(long volume) {
    CompletableFuture<Void> deleted = new CompletableFuture<>();
    onHome(
        deleted,
        () -> {
          BackupCopy copy = copies.remove(volume);
          closeCopy(copy, WarmDoubt.GIVEN_UP);
          named.remove(volume);
          if (copy != null) {
            places.deleteJournal(new PartitionId(volume));
          }
          deleted.complete(null);
        });
    return deleted;
  }

  private interface Step {
    void run() throws IOException;
  }

  /** An Error is passed on as well, and is thrown again. */
  private static void run(Step step, Consumer<WeftException> failed) {
    try {
      step.run();
    } catch (IOException | RuntimeException e) {
      failed.accept(WeftException.of(e));
    } catch (Error e) {
      failed.accept(WeftException.of(e));
      throw e;
    }
  }

  private void onHome(CompletableFuture<?> done, Step step) {
    try {
      home.execute(() -> run(step, done::completeExceptionally));
    } catch (RejectedExecutionException e) {
      done.completeExceptionally(
          new WeftException(ErrorCode.UNAVAILABLE, "this manager is stopping", e));
    } catch (RuntimeException | Error e) {
      LOG.error("nothing can be handed to the copies of journals", e);
      done.completeExceptionally(WeftException.of(e));
    }
  }

  private void closeCopy(BackupCopy copy, WarmDoubt why) {
    if (copy == null) {
      return;
    }
    try {
      copy.warm().discard(why, "the copy is written no more");
      warmth.remove(copy.volume(), copy.warm());
    } finally {
      try {
        copy.journal().close();
      } catch (IOException e) {
        LOG.warn("a copy of the journal of volume {} was not closed", copy.volume(), e);
      }
    }
  }

  /** Writes no more. Blocks. */
  @Override
  public void close() {
    home.execute(
        () -> {
          copies.values().forEach(copy -> closeCopy(copy, WarmDoubt.GIVEN_UP));
          copies.clear();
        });
    home.close();
    shelf.close();
    // On their way to be served when this manager was stopped: nothing else has them.
    taking.forEach(copy -> closeCopy(copy, WarmDoubt.GIVEN_UP));
  }
}
