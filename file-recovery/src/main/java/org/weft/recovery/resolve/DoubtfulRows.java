package org.weft.recovery.resolve;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongPredicate;
import org.weft.client.osd.OsdTarget;
import org.weft.client.raid.ErasureCode;
import org.weft.client.stripe.base.BlockChecksums;
import org.weft.client.stripe.base.StripeContext;
import org.weft.client.stripe.base.StripedFile;
import org.weft.client.stripe.read.ComponentRead;
import org.weft.client.stripe.read.UnitRead;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.wire.GetStampRequest;
import org.weft.recovery.plan.ComponentState;
import org.weft.recovery.plan.KnownFile;
import org.weft.recovery.plan.ResolvePlan;

/**
 * Settles stripes in which a component holds older bytes than it should, after more OSDs lost their
 * power than the code bears (P 5.9). The component says itself which blocks fell back. Or it may
 * lack whole writes, and others of the stripe carry the ids of such writes. Each {@link
 * DoubtfulColumn} is settled by itself, so that nothing is ever decoded from what does not belong
 * together. May be repeated, and broken off, at any point: what fell back is forgotten only once
 * all is settled.
 */
final class DoubtfulRows {
  private static final int BLOCK_BYTES = BlockChecksums.BLOCK_BYTES;

  private final StripeContext context;
  private final StripedFile file;
  private final ResolveTask task;
  private final ResolveCalls calls;
  private final KnownFile known;
  private final ResolvePlan plan;
  private final Layout layout;
  private final ErasureCode code;
  private final SortedSet<Integer> older = new TreeSet<>();
  private final SortedMap<Integer, Long> lostBlocks = new TreeMap<>();

  DoubtfulRows(
      StripeContext context,
      StripedFile file,
      ResolveTask task,
      ResolveCalls calls,
      KnownFile known,
      ResolvePlan plan) {
    this.context = context;
    this.file = file;
    this.task = task;
    this.calls = calls;
    this.known = known;
    this.plan = plan;
    this.layout = file.layout();
    this.code = new ErasureCode(layout.dataUnits(), layout.parityUnits());
  }

  /** Components that go on with older bytes than were written to them. */
  SortedSet<Integer> older() {
    return older;
  }

  /** By component, how many of its blocks are lost from now on. */
  SortedMap<Integer, Long> lostBlocks() {
    return lostBlocks;
  }

  /** One stripe after another; nothing is pending there. */
  CompletableFuture<Void> settle() {
    CompletableFuture<Void> done = CompletableFuture.completedFuture(null);
    for (int group = 0; group < layout.groups() && layout.parityUnits() > 0; group++) {
      int now = group;
      done = done.thenCompose(nothing -> settle(now));
    }
    return done;
  }

  private CompletableFuture<Void> settle(int group) {
    // Copies of a small file need no decoding: a newer one is taken even where parities could be
    // computed from the older one.
    boolean all = hasDamaged(group) && (!plan.isWhole(group) || known.isSmall());
    if (!all && members(group).stream().allMatch(each -> stateOf(each).givenBack().isEmpty())) {
      // As it is with almost every file: its stripes need not be gone through.
      return CompletableFuture.completedFuture(null);
    }
    CompletableFuture<Void> done = new CompletableFuture<>();
    next(group, 0, all ? row -> true : row -> fellBack(group, row), done);
    return done;
  }

  /** The stripes of a group that must be looked at although it is whole. */
  CompletableFuture<Void> settle(int group, SortedSet<Long> rows) {
    if (!hasDamaged(group)) {
      return CompletableFuture.completedFuture(null);
    }
    CompletableFuture<Void> done = new CompletableFuture<>();
    next(group, 0, rows::contains, done);
    return done;
  }

  private boolean hasDamaged(int group) {
    int first = group * layout.width();
    return !plan.damaged().subSet(first, first + layout.width()).isEmpty();
  }

  private boolean fellBack(int group, long row) {
    long blocks = layout.unitBytes() / BLOCK_BYTES;
    return members(group).stream()
        .anyMatch(each -> stateOf(each).isGivenBack(row * blocks, (row + 1) * blocks));
  }

  /** Components of the group that hold something and take part. */
  private List<Integer> members(int group) {
    int first = group * layout.width();
    return known.states().subMap(first, first + layout.width()).keySet().stream()
        .filter(each -> !plan.isOut(each) && !known.isZeros(each))
        .toList();
  }

  private ComponentState stateOf(int component) {
    return known.states().get(component);
  }

  private void next(int group, long from, LongPredicate wanted, CompletableFuture<Void> done) {
    long rows = rowsOf(group);
    long row = from;
    while (row < rows && !wanted.test(row)) {
      row++;
    }
    if (row >= rows) {
      done.complete(null);
      return;
    }
    long now = row;
    var unused =
        settleRow(group, now)
            .whenComplete(
                (nothing, thrown) -> {
                  if (thrown != null) {
                    done.completeExceptionally(thrown);
                  } else {
                    // Not deeper and deeper where everything is answered at once.
                    context.execute(() -> next(group, now + 1, wanted, done));
                  }
                });
  }

  private long rowsOf(int group) {
    long bytes =
        members(group).stream().mapToLong(each -> stateOf(each).componentBytes()).max().orElse(0);
    return (bytes + layout.unitBytes() - 1) / layout.unitBytes();
  }

  private CompletableFuture<Void> settleRow(int group, long row) {
    List<Integer> members = members(group);
    List<DoubtfulColumn> columns = new ArrayList<>();
    List<UnitRead> wants = new ArrayList<>();
    for (long at = row * layout.unitBytes();
        at < (row + 1) * layout.unitBytes();
        at += BLOCK_BYTES) {
      DoubtfulColumn column =
          new DoubtfulColumn(known, plan, code, layout.stripeAt(group, row), at);
      for (int each : members) {
        wants.add(column.read(each));
      }
      columns.add(column);
    }
    CompletableFuture<Void> read = new CompletableFuture<>();
    ComponentRead.all(context, file, wants, () -> read.complete(null));
    CompletableFuture<Void> stamped =
        hasDamaged(group) ? stamp(members, row, columns) : CompletableFuture.completedFuture(null);
    return read.thenCompose(nothing -> stamped)
        .thenCompose(
            nothing -> {
              for (UnitRead want : wants) {
                if (want.failure() != null && !want.failure().code().isDamage()) {
                  return CompletableFuture.<Void>failedFuture(want.failure());
                }
              }
              return settle(columns);
            });
  }

  /** Under which ids the blocks of the stripe were written last. */
  private CompletableFuture<Void> stamp(
      List<Integer> members, long row, List<DoubtfulColumn> columns) {
    List<CompletableFuture<?>> asked = new ArrayList<>();
    for (int each : members) {
      OsdTarget target = file.target(each, context.options().readAttemptMillis());
      GetStampRequest.Builder request =
          GetStampRequest.newBuilder()
              .setObjectId(file.name().object().value())
              .setOffset(row * layout.unitBytes())
              .setLength(layout.unitBytes());
      asked.add(
          context
              .osds()
              .getStamp(target, request)
              .thenAccept(
                  reply -> columns.forEach(column -> column.stamp(each, reply.getStampsList()))));
    }
    return CompletableFuture.allOf(asked.toArray(CompletableFuture<?>[]::new))
        .exceptionallyCompose(thrown -> CompletableFuture.failedFuture(WeftException.of(thrown)));
  }

  private CompletableFuture<Void> settle(List<DoubtfulColumn> columns) {
    List<CompletableFuture<?>> written = new ArrayList<>();
    for (DoubtfulColumn column : columns) {
      DoubtfulColumn.Settlement settlement = column.settle();
      older.addAll(settlement.older());
      long offset = column.offsetBytes();
      // No other such write to the block is made: a later pass finds it right.
      long seq = 1 + offset / BLOCK_BYTES;
      for (var put : settlement.written().entrySet()) {
        int component = put.getKey();
        ByteBuffer bytes = put.getValue();
        written.add(calls.put(component, task, seq, stateOf(component), offset, bytes));
      }
      for (int component : settlement.lost()) {
        lostBlocks.merge(component, 1L, Long::sum);
        written.add(calls.lose(component, task, seq, stateOf(component), offset, BLOCK_BYTES));
      }
    }
    return CompletableFuture.allOf(written.toArray(CompletableFuture<?>[]::new));
  }

  /** All is settled, and on stable storage: no later resolve has to ask again. */
  CompletableFuture<Void> forget() {
    return CompletableFuture.allOf(
        known.states().entrySet().stream()
            .filter(each -> !plan.isOut(each.getKey()) && !each.getValue().givenBack().isEmpty())
            .map(each -> calls.forgetGivenBack(each.getKey(), task))
            .toArray(CompletableFuture<?>[]::new));
  }
}
