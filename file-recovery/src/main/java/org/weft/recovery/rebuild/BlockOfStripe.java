package org.weft.recovery.rebuild;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.weft.client.raid.ErasureCode;
import org.weft.client.stripe.base.BlockChecksums;
import org.weft.client.stripe.base.StripeContext;
import org.weft.client.stripe.base.StripedFile;
import org.weft.client.stripe.read.ComponentRead;
import org.weft.client.stripe.read.UnitRead;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.layout.Layout;

/**
 * One block of one component, with the blocks of the other units of its stripe. The block is what
 * the others say that it holds, if enough of them can be read and all of them agree.
 */
final class BlockOfStripe {
  private static final int BLOCK_BYTES = BlockChecksums.BLOCK_BYTES;

  enum Verdict {
    /** It can be read, and the others agree. */
    WELL,
    /** The others say what it is to hold, and it cannot be read, whatever the reason. */
    KNOWN,
    /** Others may say so, and do not answer now, or the block is of a later cut. */
    AWAY,
    /** All have answered or are gone, and too few can be read. */
    LOST,
    /** More can be read than are needed, and they do not agree. */
    CONTRADICTED
  }

  private final StripeContext context;
  private final StripedFile file;
  private final RebuildTask task;
  private final PatientCalls calls;
  private final Layout layout;
  private final ErasureCode code;
  private final long stripe;
  private final long offsetBytes;
  private final TreeMap<Integer, UnitRead> wants = new TreeMap<>();
  private final ByteBuffer[] units;
  private final Set<Integer> away = new TreeSet<>();
  private ByteBuffer bytes = ByteBuffer.allocate(BLOCK_BYTES);

  /** The component itself has heard of a later cut than the task. */
  private boolean cutLater;

  BlockOfStripe(
      StripeContext context,
      StripedFile file,
      RebuildTask task,
      PatientCalls calls,
      long offsetBytes) {
    this.context = context;
    this.file = file;
    this.task = task;
    this.calls = calls;
    this.layout = file.layout();
    this.code = new ErasureCode(layout.dataUnits(), layout.parityUnits());
    this.offsetBytes = offsetBytes;
    this.units = new ByteBuffer[layout.width()];
    this.stripe =
        layout.stripeAt(task.component() / layout.width(), offsetBytes / layout.unitBytes());
  }

  /** Completes once each unit has been read or has failed; never fails. */
  CompletableFuture<Void> read() {
    List<CompletableFuture<?>> all = new ArrayList<>();
    for (int place = 0; place < units.length; place++) {
      int component = componentAt(place);
      if (!ComponentRebuild.exists(layout, task.sizeBytes(), component)) {
        // Of a small file: nothing but zeros was ever meant to be there (P 4.2).
        units[place] = place < layout.dataUnits() ? ByteBuffer.allocate(BLOCK_BYTES) : null;
      } else if (!file.map().isMissing(component) && !task.gone().contains(component)) {
        // On the heap: the transport may hold on to it longer than the call lasts.
        UnitRead want = new UnitRead(component, offsetBytes, ByteBuffer.allocate(BLOCK_BYTES));
        wants.put(place, want);
        all.add(calls.repeat(() -> fetch(want)).exceptionally(thrown -> null));
      }
    }
    return CompletableFuture.allOf(all.toArray(CompletableFuture<?>[]::new));
  }

  private CompletableFuture<Void> fetch(UnitRead want) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    want.fail(null);
    ComponentRead.all(
        context,
        file,
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

  /** What came of it. */
  Verdict verdict() {
    wants.forEach(this::take);
    int known = 0;
    for (ByteBuffer unit : units) {
      known += unit == null ? 0 : 1;
    }
    if (known < layout.dataUnits()) {
      return away.isEmpty() ? Verdict.LOST : Verdict.AWAY;
    }
    ByteBuffer[] all = new ByteBuffer[units.length];
    ByteBuffer[] from = new ByteBuffer[units.length];
    int taken = 0;
    for (int place = 0; place < units.length; place++) {
      if (units[place] != null && taken < layout.dataUnits()) {
        from[place] = units[place].duplicate();
        taken++;
      } else {
        all[place] = ByteBuffer.allocate(BLOCK_BYTES);
      }
    }
    code.reconstruct(from, all);
    for (int place = 0; place < units.length; place++) {
      boolean isExtra = units[place] != null && all[place] != null;
      if (isExtra && !isSame(units[place], all[place])) {
        return Verdict.CONTRADICTED;
      }
    }
    int own = placeOf();
    if (units[own] != null) {
      return Verdict.WELL;
    }
    bytes = all[own];
    // Why it cannot be read does not matter: the others decide, and the number fences the write.
    return cutLater ? Verdict.AWAY : Verdict.KNOWN;
  }

  private static boolean isSame(ByteBuffer one, ByteBuffer other) {
    for (int at = 0; at < BLOCK_BYTES; at++) {
      if (one.get(at) != other.get(at)) {
        return false;
      }
    }
    return true;
  }

  private void take(int place, UnitRead want) {
    WeftException failure = want.failure();
    if (failure == null && !want.isBlank()) {
      if (want.truncationNumber() > task.truncationNumber()) {
        away.add(want.component());
        cutLater |= want.component() == task.component();
      } else {
        units[place] = want.sink();
      }
    } else if (failure != null
        && !failure.code().isDamage()
        && failure.code() != ErrorCode.NO_SUCH_OBJECT) {
      away.add(want.component());
    }
  }

  /** What the component is to hold; once it is {@link Verdict#KNOWN}. */
  ByteBuffer bytes() {
    return bytes.duplicate().clear();
  }

  /** Which are {@link Verdict#AWAY}. */
  String why() {
    return "components " + away + " do not reply";
  }

  private int componentAt(int place) {
    return place < layout.dataUnits()
        ? layout.dataComponent(stripe, place)
        : layout.parityComponent(stripe, place - layout.dataUnits());
  }

  private int placeOf() {
    int role = layout.roleOf(stripe, task.component());
    return role >= 0 ? role : layout.dataUnits() - 1 - role;
  }
}
