package org.weft.metadata.balance;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.metadata.access.OsdTrouble;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.repair.Rebuild;
import org.weft.metadata.repair.RepairedVolume;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;

/**
 * Moves the sample of a round of the balance (P 6.8c). It looks through the files of one OSD after
 * the other. It moves the components that the round takes from OSDs which hold more than others.
 * What is being written, or is not at rest, is passed over. Nothing begins while redundancy is
 * missing anywhere. The journal has what is begun. A manager that starts finds everything else
 * again, since what has moved is not where the round takes it from. Single-threaded, on the
 * volume's thread.
 */
public final class VolumeBalance {
  private static final Logger LOG = LoggerFactory.getLogger(VolumeBalance.class);
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
  private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(2);
  private static final long AVOID_NANOS = TimeUnit.SECONDS.toNanos(60);
  private static final int MAX_CUTS = 3;
  private static final ObjectId NO_OBJECT = new ObjectId(0);

  /** A component that is to move. */
  private record Piece(ObjectId object, int component, int cuts) {}

  private final BalancedVolume volume;
  private final int atOnce;
  private final LongSupplier clockNanos;
  private final Executor home;
  private final Deque<Piece> pieces = new ArrayDeque<>();
  private final Set<ObjectId> underWay = new HashSet<>();
  private final Set<ObjectId> abandoning = new HashSet<>();
  private final Map<OsdId, Long> avoidedUntilNanos = new HashMap<>();
  private final TreeMap<OsdId, ObjectId> reached = new TreeMap<>();
  private final TreeSet<OsdId> heard = new TreeSet<>();
  private final TreeSet<OsdId> sources = new TreeSet<>();
  private final AtomicLong bytesMoved = new AtomicLong();
  private Optional<BalanceRound> round = Optional.empty();
  private long number;
  private boolean listing;
  private long listNotBeforeNanos;
  private long lookedNanos;
  private Optional<Long> movingSinceNanos = Optional.empty();
  private long moved;
  private long skipped;
  private String waits = "";
  private boolean isOver;
  private boolean closed;

  /**
   * @param atOnce components that move at a time; 0: none
   * @param clockNanos a monotonic clock
   * @param home the volume's thread
   */
  public VolumeBalance(BalancedVolume volume, int atOnce, LongSupplier clockNanos, Executor home) {
    this.volume = volume;
    this.atOnce = atOnce;
    this.clockNanos = clockNanos;
    this.home = home;
    this.lookedNanos = clockNanos.getAsLong() - LOOK_NANOS;
    this.listNotBeforeNanos = clockNanos.getAsLong();
  }

  /** To be called now and then, while the volume is served. */
  public void look() {
    long nowNanos = clockNanos.getAsLong();
    if (closed || nowNanos - lookedNanos < LOOK_NANOS) {
      return;
    }
    lookedNanos = nowNanos;
    abandonForsaken();
    round = volume.round();
    long now = round.map(BalanceRound::number).orElse(0L);
    if (now != number) {
      begin(now);
    }
    waits = "";
    if (round.isPresent() && !isOver) {
      waits = hindrance().orElse("");
      pump();
    }
  }

  private void begin(long next) {
    number = next;
    pieces.clear();
    reached.clear();
    heard.clear();
    sources.clear();
    round.ifPresent(each -> sources.addAll(each.leavePpm().keySet()));
    bytesMoved.set(0);
    movingSinceNanos = Optional.empty();
    moved = 0;
    skipped = 0;
    isOver = false;
  }

  private Optional<String> hindrance() {
    if (round.get().paused()) {
      return Optional.of("the balance is paused");
    }
    if (atOnce == 0) {
      return Optional.of("nothing is moved, for repair.files-at-once is 0");
    }
    return volume.hindrance();
  }

  /** What another manager, or this one before its last start, had begun is drawn again. */
  private void abandonForsaken() {
    for (Rebuild rebuild : volume.begun()) {
      ObjectId object = rebuild.object();
      if (!underWay.contains(object) && abandoning.add(object)) {
        var unused =
            volume
                .abandon(rebuild)
                .whenCompleteAsync((nothing, failure) -> abandoning.remove(object), home);
      }
    }
  }

  private void pump() {
    if (closed || isOver || round.isEmpty() || hindrance().isPresent()) {
      return;
    }
    Iterator<Piece> each = pieces.iterator();
    while (underWay.size() < atOnce && each.hasNext()) {
      Piece piece = each.next();
      // Where another component of the file is moving, this one's turn is behind that.
      if (underWay.add(piece.object())) {
        each.remove();
        move(piece);
      }
    }
    if (pieces.isEmpty() && !listing) {
      list();
    }
  }

  private void list() {
    long nowNanos = clockNanos.getAsLong();
    if (nowNanos - listNotBeforeNanos < 0) {
      return;
    }
    Optional<OsdId> next =
        volume.serving().stream().filter(osd -> !heard.contains(osd)).findFirst();
    if (next.isEmpty()) {
      isOver = underWay.isEmpty() && abandoning.isEmpty() && volume.isTidy(sources);
      return;
    }
    listing = true;
    OsdId osd = next.get();
    long listed = number;
    BalanceRound by = round.get();
    var unused =
        volume
            .list(
                osd,
                reached.getOrDefault(osd, NO_OBJECT),
                file -> volume.holders(file).indexOf(osd) == 0 && isInSample(by, file))
            .whenCompleteAsync(
                (page, failure) -> {
                  listing = false;
                  long doneNanos = clockNanos.getAsLong();
                  // The OSD rests for as long as that took, so that clients have half of its time.
                  listNotBeforeNanos =
                      doneNanos + (failure == null ? doneNanos - nowNanos : RETRY_NANOS);
                  if (failure == null && listed == number) {
                    heard(osd, page, by);
                    pump();
                  }
                },
                home);
  }

  private static boolean isInSample(BalanceRound round, Attributes file) {
    for (int component = 0; component < file.map().components().size(); component++) {
      if (round.leaves(file.map().osdOf(component), file.object(), component)) {
        return !file.isDirectory();
      }
    }
    return false;
  }

  private void heard(OsdId osd, RepairedVolume.Page page, BalanceRound by) {
    for (Attributes file : page.found()) {
      for (int component = 0; component < file.map().components().size(); component++) {
        if (by.leaves(file.map().osdOf(component), file.object(), component)) {
          pieces.add(new Piece(file.object(), component, 0));
        }
      }
    }
    reached.put(osd, page.last());
    if (!page.more()) {
      heard.add(osd);
    }
  }

  private void move(Piece piece) {
    long mine = number;
    var unused =
        volume
            .begin(piece.object(), piece.component(), round.get(), avoided())
            .whenCompleteAsync((file, failure) -> begun(piece, mine, file, failure), home);
  }

  private Set<OsdId> avoided() {
    long nowNanos = clockNanos.getAsLong();
    avoidedUntilNanos.values().removeIf(until -> nowNanos - until >= 0);
    return Set.copyOf(avoidedUntilNanos.keySet());
  }

  private void begun(Piece piece, long mine, Optional<Attributes> file, Throwable failure) {
    Optional<Rebuild> rebuild =
        failure == null && file.isPresent() ? volume.begun(piece.object()) : Optional.empty();
    if (rebuild.isPresent()) {
      write(piece.object(), mine, rebuild.get(), file.get());
      return;
    }
    boolean isCut = failure == null && file.isPresent() && piece.cuts() < MAX_CUTS;
    if (isCut && mine == number) {
      // A truncation is finished first.
      pieces.add(new Piece(piece.object(), piece.component(), piece.cuts() + 1));
    } else if (failure != null && mine == number) {
      WeftException why = WeftException.of(failure);
      skipped += why.code() == ErrorCode.NOT_FOUND ? 0 : 1;
      LOG.debug("object {} stays: {}", piece.object(), why.getMessage());
    }
    ended(piece.object());
  }

  private void write(ObjectId object, long mine, Rebuild rebuild, Attributes file) {
    if (movingSinceNanos.isEmpty()) {
      movingSinceNanos = Optional.of(clockNanos.getAsLong());
    }
    var unused =
        volume
            .write(rebuild, file, written -> bytesMoved.addAndGet(written))
            .thenComposeAsync(outcome -> volume.finish(rebuild, outcome), home)
            .whenCompleteAsync(
                (nothing, failure) -> {
                  if (failure != null) {
                    failed(mine, rebuild, failure);
                    return;
                  }
                  moved += mine == number ? 1 : 0;
                  ended(object);
                },
                home);
  }

  private void failed(long mine, Rebuild rebuild, Throwable failure) {
    WeftException why = WeftException.of(failure);
    LOG.info("a component of object {} stays: {}", rebuild.object(), why.getMessage());
    boolean isTargets =
        why.code() == ErrorCode.NO_SPACE
            || OsdTrouble.osdIn(failure).filter(rebuild.target()::equals).isPresent();
    if (isTargets) {
      avoidedUntilNanos.put(rebuild.target(), clockNanos.getAsLong() + AVOID_NANOS);
    }
    skipped += mine == number ? 1 : 0;
    var unused =
        volume
            .abandon(rebuild)
            .whenCompleteAsync((nothing, second) -> ended(rebuild.object()), home);
  }

  private void ended(ObjectId object) {
    underWay.remove(object);
    pump();
  }

  /** How far it is. */
  public BalanceProgress progress() {
    if (number == 0) {
      return BalanceProgress.NONE;
    }
    long nowNanos = clockNanos.getAsLong();
    long seconds =
        movingSinceNanos
            .map(since -> Math.max(1, TimeUnit.NANOSECONDS.toSeconds(nowNanos - since)))
            .orElse(1L);
    return new BalanceProgress(
        number, isOver, moved, bytesMoved.get(), bytesMoved.get() / seconds, skipped, waits);
  }

  /** Begins nothing more. */
  public void close() {
    closed = true;
  }
}
