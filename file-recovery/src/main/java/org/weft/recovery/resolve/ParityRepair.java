package org.weft.recovery.resolve;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.weft.client.raid.ErasureCode;
import org.weft.client.stripe.base.BlockChecksums;
import org.weft.client.stripe.base.StripeContext;
import org.weft.client.stripe.base.StripedFile;
import org.weft.client.stripe.check.CheckedStripes;
import org.weft.client.stripe.read.UnitRead;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.layout.Layout;
import org.weft.recovery.plan.ComponentState;
import org.weft.recovery.plan.KnownFile;

/**
 * Computes the parities of whole groups anew from their data units, where more components lost
 * their power than the code bears (P 5.9). What a data unit holds was written, be it older than it
 * should be. A parity that belongs to other data would decode to bytes that no client wrote, as
 * soon as a component is lost.
 *
 * <p>Every stripe is read. A stripe with a damaged data unit stays as it is: what its parities say
 * of that unit is all there is. May be repeated, and broken off, at any point.
 */
final class ParityRepair {
  private static final int BATCH_BYTES = 8 << 20;
  private static final int BLOCK_BYTES = BlockChecksums.BLOCK_BYTES;

  private final StripeContext context;
  private final StripedFile file;
  private final ResolveTask task;
  private final ResolveCalls calls;
  private final KnownFile known;
  private final Layout layout;
  private final ErasureCode code;
  private final SortedMap<Integer, SortedSet<Long>> left = new TreeMap<>();

  ParityRepair(
      StripeContext context,
      StripedFile file,
      ResolveTask task,
      ResolveCalls calls,
      KnownFile known) {
    this.context = context;
    this.file = file;
    this.task = task;
    this.calls = calls;
    this.known = known;
    this.layout = file.layout();
    this.code = new ErasureCode(layout.dataUnits(), layout.parityUnits());
  }

  /** By group, stripes that stayed as they are, for a data unit of theirs is damaged. */
  SortedMap<Integer, SortedSet<Long>> left() {
    return left;
  }

  /** One group after another; nothing is pending there. */
  CompletableFuture<Void> repair(SortedSet<Integer> groups) {
    CompletableFuture<Void> done = CompletableFuture.completedFuture(null);
    for (int group : groups) {
      done = done.thenCompose(nothing -> repair(group));
    }
    return done;
  }

  private CompletableFuture<Void> repair(int group) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    next(group, 0, rowsOf(group), done);
    return done;
  }

  /** Stripes of the group of which any component stores something. */
  private long rowsOf(int group) {
    int first = group * layout.width();
    long bytes =
        known.states().subMap(first, first + layout.width()).values().stream()
            .mapToLong(ComponentState::componentBytes)
            .max()
            .orElse(0);
    return (bytes + layout.unitBytes() - 1) / layout.unitBytes();
  }

  private void next(int group, long row, long rows, CompletableFuture<Void> done) {
    if (row >= rows) {
      done.complete(null);
      return;
    }
    int count = batchRows(row, rows);
    CheckedStripes batch =
        new CheckedStripes(
            context,
            file,
            code,
            layout.stripeAt(group, row),
            count,
            component -> known.states().containsKey(component));
    var unused =
        batch
            .fetch()
            .thenCompose(nothing -> repair(batch, group, row))
            .whenComplete(
                (nothing, thrown) -> {
                  batch.dispose();
                  if (thrown != null) {
                    done.completeExceptionally(thrown);
                  } else {
                    // Not deeper and deeper where everything is answered at once.
                    context.execute(() -> next(group, row + count, rows, done));
                  }
                });
  }

  /** Within one round of the group, where its stripes are neighbours. */
  private int batchRows(long row, long rows) {
    long fitting = BATCH_BYTES / ((long) layout.width() * layout.unitBytes());
    long inRound = layout.stripesLeftInRound(row);
    return (int) Math.max(1, Math.min(Math.min(fitting, inRound), rows - row));
  }

  private CompletableFuture<Void> repair(CheckedStripes batch, int group, long firstRow) {
    List<CompletableFuture<?>> written = new ArrayList<>();
    long row = firstRow;
    for (UnitRead[] units : batch.units()) {
      WeftException failure = firstUnreachable(units);
      if (failure != null) {
        return CompletableFuture.failedFuture(failure);
      }
      if (isReadable(units)) {
        written.addAll(repair(units));
      } else {
        left.computeIfAbsent(group, each -> new TreeSet<>()).add(row);
      }
      row++;
    }
    return CompletableFuture.allOf(written.toArray(CompletableFuture<?>[]::new));
  }

  private static WeftException firstUnreachable(UnitRead[] units) {
    return Arrays.stream(units)
        .filter(unit -> unit != null && unit.failure() != null && !unit.failure().code().isDamage())
        .map(UnitRead::failure)
        .findFirst()
        .orElse(null);
  }

  private boolean isReadable(UnitRead[] units) {
    return Arrays.stream(units, 0, layout.dataUnits())
        .allMatch(unit -> unit == null || unit.failure() == null);
  }

  private List<CompletableFuture<?>> repair(UnitRead[] units) {
    ByteBuffer[] data = new ByteBuffer[layout.dataUnits()];
    for (int i = 0; i < data.length; i++) {
      data[i] = ByteBuffer.allocate(layout.unitBytes());
      if (units[i] != null) {
        data[i].put(0, units[i].sink(), 0, layout.unitBytes());
      }
    }
    // On the heap: the transport may hold on to it longer than the call lasts.
    ByteBuffer[] parity = new ByteBuffer[layout.parityUnits()];
    Arrays.setAll(parity, j -> ByteBuffer.allocate(layout.unitBytes()));
    code.encode(data, parity);
    List<CompletableFuture<?>> written = new ArrayList<>();
    for (int j = 0; j < parity.length; j++) {
      UnitRead now = units[layout.dataUnits() + j];
      if (now != null) {
        written.addAll(write(now, parity[j]));
      }
    }
    return written;
  }

  /** The blocks that differ, neighbours in one request. */
  private List<CompletableFuture<?>> write(UnitRead now, ByteBuffer right) {
    List<CompletableFuture<?>> written = new ArrayList<>();
    int from = 0;
    for (int at = 0; at < right.capacity(); at += BLOCK_BYTES) {
      if (isRight(now, right, at)) {
        written.addAll(put(now, right, from, at));
        from = at + BLOCK_BYTES;
      }
    }
    written.addAll(put(now, right, from, right.capacity()));
    return written;
  }

  private static boolean isRight(UnitRead now, ByteBuffer right, int at) {
    return now.failure() == null
        && now.sink().slice(at, BLOCK_BYTES).equals(right.slice(at, BLOCK_BYTES));
  }

  private List<CompletableFuture<?>> put(UnitRead now, ByteBuffer right, int from, int to) {
    if (from == to) {
      return List.of();
    }
    long offset = now.offsetBytes() + from;
    ComponentState state = known.states().get(now.component());
    ByteBuffer bytes = right.slice(from, to - from);
    return List.of(
        calls.put(now.component(), task, 1 + offset / BLOCK_BYTES, state, offset, bytes));
  }
}
