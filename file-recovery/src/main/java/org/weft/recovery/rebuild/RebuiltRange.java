package org.weft.recovery.rebuild;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.function.UnaryOperator;
import org.weft.client.raid.ErasureCode;
import org.weft.client.stripe.base.BlockChecksums;
import org.weft.client.stripe.base.FileComponents;
import org.weft.client.stripe.base.StripeContext;
import org.weft.client.stripe.base.StripedFile;
import org.weft.client.stripe.read.ComponentRead;
import org.weft.client.stripe.read.UnitRead;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.layout.Layout;

/**
 * Gets ranges of one component where it is, or computes them from k of the others: each lies in one
 * unit. Where a unit cannot be had as a whole, because blocks of others are damaged, each of its
 * blocks is tried by itself.
 */
final class RebuiltRange {
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);
  private static final int BLOCK_BYTES = BlockChecksums.BLOCK_BYTES;

  private final StripeContext context;
  private final StripedFile file;
  private final RebuildTask task;
  private final PatientCalls calls;
  private final UnaryOperator<StripedFile> current;
  private final Layout layout;
  private final ErasureCode code;
  private final BitSet existing;

  /** The OSD that has the component still did not give it, or what it gave is not to be used. */
  private volatile boolean sourceFailed;

  /** Components that do not answer now. While there are such, no block is given up. */
  private final Set<Integer> away = new ConcurrentSkipListSet<>();

  /** Components of which nothing is left, on OSDs that are there or gone. */
  private final Set<Integer> gone = new ConcurrentSkipListSet<>();

  /**
   * @param current gives a file with the capability that is in force now
   */
  RebuiltRange(
      StripeContext context,
      StripedFile file,
      RebuildTask task,
      PatientCalls calls,
      UnaryOperator<StripedFile> current) {
    this.current = current;
    this.context = context;
    this.file = file;
    this.task = task;
    this.calls = calls;
    this.layout = file.layout();
    this.code = new ErasureCode(layout.dataUnits(), layout.parityUnits());
    this.existing = FileComponents.existing(layout, task.sizeBytes());
    gone.addAll(task.gone());
  }

  /**
   * Fills the buffer with what the component holds from there on.
   *
   * @param lost gets the offsets of blocks that cannot be had; under its own lock
   */
  CompletableFuture<Void> fill(long offsetBytes, ByteBuffer into, List<Long> lost) {
    if (task.source().isEmpty() || sourceFailed) {
      return decode(offsetBytes, into, lost);
    }
    UnitRead want = new UnitRead(task.component(), offsetBytes, into);
    return calls
        .repeat(() -> fetch(task.source().get(), want))
        .exceptionally(thrown -> null)
        .thenCompose(
            nothing -> {
              if (isGood(want)) {
                return CompletableFuture.completedFuture(null);
              }
              // Rot is of some blocks; one that does not answer is not waited for again.
              boolean isRotten = want.failure() != null && want.failure().code().isDamage();
              if (!isRotten) {
                sourceFailed = true;
                return decode(offsetBytes, into, lost);
              }
              // The other blocks are good, and may be nowhere else.
              return into.capacity() > BLOCK_BYTES
                  ? eachBlock(into, (from, block) -> fill(offsetBytes + from, block, lost))
                  : decode(offsetBytes, into, lost, new TreeSet<>(Set.of(task.component())));
            });
  }

  private interface BlockTask {
    CompletableFuture<Void> run(int fromBytes, ByteBuffer block);
  }

  /** One after the other. */
  private static CompletableFuture<Void> eachBlock(ByteBuffer into, BlockTask task) {
    CompletableFuture<Void> done = CompletableFuture.completedFuture(null);
    for (int at = 0; at < into.capacity(); at += BLOCK_BYTES) {
      int from = at;
      ByteBuffer block = into.slice(at, Math.min(BLOCK_BYTES, into.capacity() - at));
      done = done.thenCompose(nothing -> task.run(from, block));
    }
    return done;
  }

  private boolean isGood(UnitRead want) {
    return want.failure() == null
        && !want.isBlank()
        && want.truncationNumber() <= task.truncationNumber();
  }

  private CompletableFuture<Void> decode(long offsetBytes, ByteBuffer into, List<Long> lost) {
    return decode(offsetBytes, into, lost, new TreeSet<>());
  }

  private CompletableFuture<Void> decode(
      long offsetBytes, ByteBuffer into, List<Long> lost, SortedSet<Integer> damaged) {
    int group = task.component() / layout.width();
    long stripe = layout.stripeAt(group, offsetBytes / layout.unitBytes());
    ByteBuffer[] units = new ByteBuffer[layout.width()];
    List<Integer> sources = new ArrayList<>();
    int known = 0;
    for (int place = 0; place < units.length && known < layout.dataUnits(); place++) {
      int component = componentAt(stripe, place);
      if (component == task.component()) {
        continue;
      }
      if (!existing.get(component)) {
        // Of a small file: nothing but zeros was ever meant to be there (P 4.2).
        if (place < layout.dataUnits()) {
          units[place] = NOTHING;
          known++;
        }
      } else if (isSource(component, damaged)) {
        units[place] = ByteBuffer.allocate(into.capacity());
        sources.add(place);
        known++;
      }
    }
    if (known < layout.dataUnits()) {
      return damaged.isEmpty() || !away.isEmpty()
          ? CompletableFuture.failedFuture(
              ComponentRebuild.tooFew(file, task.component(), reason()))
          : inBlocks(offsetBytes, into, lost);
    }
    List<UnitRead> wants = new ArrayList<>();
    for (int place : sources) {
      wants.add(new UnitRead(componentAt(stripe, place), offsetBytes, units[place]));
    }
    return read(wants)
        .thenCompose(
            nothing -> {
              boolean failed = false;
              for (UnitRead want : wants) {
                failed |= note(want, damaged);
              }
              if (failed) {
                return decode(offsetBytes, into, lost, damaged);
              }
              ByteBuffer[] wanted = new ByteBuffer[layout.width()];
              wanted[placeOf(stripe)] = into;
              code.reconstruct(units, wanted);
              return CompletableFuture.completedFuture(null);
            });
  }

  /** All that may ever give something has answered, and some of it is damaged. */
  private CompletableFuture<Void> inBlocks(long offsetBytes, ByteBuffer into, List<Long> lost) {
    if (into.capacity() <= BLOCK_BYTES) {
      synchronized (lost) {
        lost.add(offsetBytes);
      }
      return CompletableFuture.completedFuture(null);
    }
    return eachBlock(into, (from, block) -> decode(offsetBytes + from, block, lost));
  }

  private String reason() {
    return "components " + away + " do not reply, " + gone + " are gone, too few are left";
  }

  private boolean isSource(int component, SortedSet<Integer> damaged) {
    return existing.get(component)
        && !file.map().isMissing(component)
        && !away.contains(component)
        && !gone.contains(component)
        && !damaged.contains(component);
  }

  private CompletableFuture<Void> read(List<UnitRead> wants) {
    CompletableFuture<Void> done = CompletableFuture.completedFuture(null);
    List<CompletableFuture<?>> all = new ArrayList<>();
    all.add(done);
    for (UnitRead want : wants) {
      all.add(calls.repeat(() -> fetch(file, want)).exceptionally(thrown -> null));
    }
    return CompletableFuture.allOf(all.toArray(CompletableFuture<?>[]::new));
  }

  private CompletableFuture<Void> fetch(StripedFile from, UnitRead want) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    want.fail(null);
    ComponentRead.all(
        context,
        current.apply(from),
        List.of(want),
        () -> {
          if (want.failure() == null) {
            done.complete(null);
          } else {
            done.completeExceptionally(want.failure());
          }
        });
    return done;
  }

  /** True if the want was not answered with what it should be. */
  private boolean note(UnitRead want, SortedSet<Integer> damaged) {
    WeftException failure = want.failure();
    if (failure == null) {
      if (want.isBlank()) {
        gone.add(want.component());
      } else if (want.truncationNumber() > task.truncationNumber()) {
        away.add(want.component());
      } else {
        return false;
      }
    } else if (failure.code().isDamage()) {
      damaged.add(want.component());
    } else if (failure.code() == ErrorCode.NO_SUCH_OBJECT) {
      gone.add(want.component());
    } else {
      away.add(want.component());
    }
    return true;
  }

  private int componentAt(long stripe, int place) {
    return place < layout.dataUnits()
        ? layout.dataComponent(stripe, place)
        : layout.parityComponent(stripe, place - layout.dataUnits());
  }

  private int placeOf(long stripe) {
    int role = layout.roleOf(stripe, task.component());
    return role >= 0 ? role : layout.dataUnits() - 1 - role;
  }
}
