package org.weft.client.stripe.check;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.IntPredicate;
import org.weft.client.raid.ErasureCode;
import org.weft.client.stripe.base.StripeContext;
import org.weft.client.stripe.base.StripedFile;
import org.weft.client.stripe.base.Zeros;
import org.weft.client.stripe.read.ComponentRead;
import org.weft.client.stripe.read.UnitRead;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.layout.Layout;

/** A few consecutive stripes of one group: all their units are read and compared. */
public final class CheckedStripes {
  private final StripeContext context;
  private final StripedFile file;
  private final Layout layout;
  private final ErasureCode code;
  private final long firstStripe;
  private final int stripes;
  private final IntPredicate isPresent;
  private final List<ByteBuffer> taken = new ArrayList<>();
  private final List<UnitRead[]> wantsByStripe = new ArrayList<>();
  private final List<Long> contradicted = new ArrayList<>();
  private int wrongUnits;
  private int damagedUnits;

  /**
   * A batch to read.
   *
   * @param isPresent components that exist; all others read as zeros
   */
  public CheckedStripes(
      StripeContext context,
      StripedFile file,
      ErasureCode code,
      long firstStripe,
      int stripes,
      IntPredicate isPresent) {
    this.context = context;
    this.file = file;
    this.layout = file.layout();
    this.code = code;
    this.firstStripe = firstStripe;
    this.stripes = stripes;
    this.isPresent = isPresent;
  }

  int wrongUnits() {
    return wrongUnits;
  }

  /** Of the wrong units, those that have damaged blocks. */
  int damagedUnits() {
    return damagedUnits;
  }

  /** Stripes in which units that can be read do not belong together. */
  List<Long> contradicted() {
    return contradicted;
  }

  /** Reads everything. Fails with the first unit that is not damaged, and cannot be read. */
  CompletableFuture<Void> read() {
    return fetch()
        .thenRun(
            () -> {
              WeftException failure = firstFailure();
              if (failure != null) {
                throw new CompletionException(failure);
              }
            });
  }

  /** Reads what can be read; each unit says whether it could. */
  public CompletableFuture<Void> fetch() {
    List<UnitRead> all = new ArrayList<>();
    for (long stripe = firstStripe; stripe < firstStripe + stripes; stripe++) {
      UnitRead[] wants = new UnitRead[layout.width()];
      for (int unit = 0; unit < layout.width(); unit++) {
        int component = componentOf(stripe, unit);
        if (isPresent.test(component)) {
          wants[unit] = new UnitRead(component, layout.componentOffsetBytes(stripe), scratch());
          all.add(wants[unit]);
        }
      }
      wantsByStripe.add(wants);
    }
    CompletableFuture<Void> read = new CompletableFuture<>();
    ComponentRead.all(context, file, all, () -> read.complete(null));
    return read;
  }

  /** Of each stripe its units: data units by index, then parities; null for one that is absent. */
  public List<UnitRead[]> units() {
    return wantsByStripe;
  }

  /** Data units by index, then parities. */
  private int componentOf(long stripe, int unit) {
    return unit < layout.dataUnits()
        ? layout.dataComponent(stripe, unit)
        : layout.parityComponent(stripe, unit - layout.dataUnits());
  }

  private ByteBuffer scratch() {
    context.pool().reserve(layout.unitBytes());
    ByteBuffer unit = context.pool().take(layout.unitBytes());
    taken.add(unit);
    return unit.slice(0, layout.unitBytes());
  }

  private WeftException firstFailure() {
    for (UnitRead[] wants : wantsByStripe) {
      for (UnitRead want : wants) {
        if (want != null && want.failure() != null && !want.failure().code().isOfBlock()) {
          return unreadable(file, want);
        }
      }
    }
    return null;
  }

  static WeftException unreadable(StripedFile file, UnitRead want) {
    return new WeftException(
        want.failure().code(),
        "parity of %s cannot be checked: %s could not be read: %s"
            .formatted(file.name(), file.describe(want.component()), want.failure().getMessage()),
        want.failure());
  }

  /**
   * Compares. Of a stripe with a damaged data unit nothing can be said but that.
   *
   * @param eofBytes end of the file, behind which data units hold zeros
   */
  void compare(long eofBytes) {
    for (int s = 0; s < stripes; s++) {
      long stripe = firstStripe + s;
      UnitRead[] wants = wantsByStripe.get(s);
      int damaged = damaged(wants, 0, wants.length);
      int contradicting = 0;
      if (damaged(wants, 0, layout.dataUnits()) == 0) {
        contradicting =
            heldBehind(eofBytes - stripe * layout.stripeBytes(), wants)
                + Integer.bitCount(wrongParities(wants));
      }
      damagedUnits += damaged;
      wrongUnits += damaged + contradicting;
      if (contradicting > 0) {
        contradicted.add(stripe);
      }
    }
  }

  private static int damaged(UnitRead[] wants, int from, int to) {
    int damaged = 0;
    for (int unit = from; unit < to; unit++) {
      damaged += wants[unit] != null && wants[unit].failure() != null ? 1 : 0;
    }
    return damaged;
  }

  /** How many data units hold something behind the end. */
  private int heldBehind(long endInStripe, UnitRead[] wants) {
    int held = 0;
    for (int unit = 0; unit < layout.dataUnits(); unit++) {
      long endInUnit = Math.max(0, endInStripe - (long) unit * layout.unitBytes());
      boolean isLast = endInUnit < layout.unitBytes() && wants[unit] != null;
      held += isLast && !Zeros.are(wants[unit].sink(), (int) endInUnit) ? 1 : 0;
    }
    return held;
  }

  /** As bits, without those that are damaged. */
  private int wrongParities(UnitRead[] wants) {
    ByteBuffer[] parity = new ByteBuffer[layout.parityUnits()];
    int damaged = 0;
    for (int j = 0; j < parity.length; j++) {
      UnitRead want = wants[layout.dataUnits() + j];
      if (want == null) {
        parity[j] = ByteBuffer.allocate(0);
      } else if (want.failure() != null) {
        damaged |= 1 << j;
      } else {
        parity[j] = want.sink();
      }
    }
    return code.wrongParities(data(wants), parity) & ~damaged;
  }

  /** All data units in full length; those of components that are not there are zeros. */
  private ByteBuffer[] data(UnitRead[] wants) {
    ByteBuffer[] data = new ByteBuffer[layout.dataUnits()];
    for (int i = 0; i < data.length; i++) {
      data[i] = wants[i] == null ? ByteBuffer.allocate(layout.unitBytes()) : wants[i].sink();
    }
    return data;
  }

  public void dispose() {
    for (ByteBuffer unit : taken) {
      context.pool().give(unit);
      context.pool().unreserve(layout.unitBytes());
    }
    taken.clear();
  }
}
