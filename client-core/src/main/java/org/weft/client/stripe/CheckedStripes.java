package org.weft.client.stripe;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.IntPredicate;
import org.weft.client.raid.ErasureCode;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.RpcException;

/** A few consecutive stripes of one group: all their units are read and compared. */
final class CheckedStripes {
  private final StripeEngine engine;
  private final StripedFile file;
  private final Layout layout;
  private final ErasureCode code;
  private final long firstStripe;
  private final int stripes;
  private final IntPredicate isPresent;
  private final List<ByteBuffer> taken = new ArrayList<>();
  private final List<UnitWant[]> wantsByStripe = new ArrayList<>();
  private int wrongUnits;

  /**
   * A batch to read.
   *
   * @param isPresent components that exist; all others read as zeros
   */
  CheckedStripes(
      StripeEngine engine,
      StripedFile file,
      ErasureCode code,
      long firstStripe,
      int stripes,
      IntPredicate isPresent) {
    this.engine = engine;
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

  /** Reads everything. Fails with the first data unit that cannot be read. */
  CompletableFuture<Void> read() {
    return fetch()
        .thenRun(
            () -> {
              RpcException failure = firstDataFailure();
              if (failure != null) {
                throw new CompletionException(failure);
              }
            });
  }

  /** Reads what can be read; each unit says whether it could. */
  CompletableFuture<Void> fetch() {
    List<UnitWant> all = new ArrayList<>();
    for (long stripe = firstStripe; stripe < firstStripe + stripes; stripe++) {
      UnitWant[] wants = new UnitWant[layout.width()];
      for (int unit = 0; unit < layout.width(); unit++) {
        int component = componentOf(stripe, unit);
        if (isPresent.test(component)) {
          wants[unit] = new UnitWant(component, layout.componentOffsetBytes(stripe), scratch());
          all.add(wants[unit]);
        }
      }
      wantsByStripe.add(wants);
    }
    CompletableFuture<Void> read = new CompletableFuture<>();
    ComponentFetch.all(engine, file, all, () -> read.complete(null));
    return read;
  }

  /** Of each stripe its units: data units by index, then parities; null for one that is absent. */
  List<UnitWant[]> units() {
    return wantsByStripe;
  }

  /** Data units by index, then parities. */
  private int componentOf(long stripe, int unit) {
    return unit < layout.dataUnits()
        ? layout.dataComponent(stripe, unit)
        : layout.parityComponent(stripe, unit - layout.dataUnits());
  }

  private ByteBuffer scratch() {
    engine.pool().reserve(layout.unitBytes());
    ByteBuffer unit = engine.pool().take(layout.unitBytes());
    taken.add(unit);
    return unit.slice(0, layout.unitBytes());
  }

  private RpcException firstDataFailure() {
    for (UnitWant[] wants : wantsByStripe) {
      for (int unit = 0; unit < wants.length; unit++) {
        UnitWant want = wants[unit];
        if (want == null || want.failure() == null) {
          continue;
        }
        boolean isRot =
            want.failure().code() == ErrorCode.BAD_CHECKSUM || want.failure().code().isOfMedium();
        if (unit < layout.dataUnits() || !isRot) {
          return new RpcException(
              want.failure().code(),
              "parity of %s cannot be checked: %s could not be read: %s"
                  .formatted(
                      file.name(), file.describe(want.component()), want.failure().getMessage()),
              want.failure());
        }
      }
    }
    return null;
  }

  /**
   * Compares.
   *
   * @param eofBytes end of the file, behind which data units hold zeros
   */
  void compare(long eofBytes) {
    for (int s = 0; s < stripes; s++) {
      long stripe = firstStripe + s;
      UnitWant[] wants = wantsByStripe.get(s);
      wrongUnits += heldBehind(eofBytes - stripe * layout.stripeBytes(), wants);
      wrongUnits += Integer.bitCount(wrongParities(wants));
    }
  }

  /** How many data units hold something behind the end. */
  private int heldBehind(long endInStripe, UnitWant[] wants) {
    int held = 0;
    for (int unit = 0; unit < layout.dataUnits(); unit++) {
      long endInUnit = Math.max(0, endInStripe - (long) unit * layout.unitBytes());
      boolean isLast = endInUnit < layout.unitBytes() && wants[unit] != null;
      held += isLast && !Zeros.are(wants[unit].sink(), (int) endInUnit) ? 1 : 0;
    }
    return held;
  }

  private int wrongParities(UnitWant[] wants) {
    ByteBuffer[] parity = new ByteBuffer[layout.parityUnits()];
    int damaged = 0;
    for (int j = 0; j < parity.length; j++) {
      UnitWant want = wants[layout.dataUnits() + j];
      if (want == null) {
        parity[j] = ByteBuffer.allocate(0);
      } else if (want.failure() != null) {
        damaged |= 1 << j;
      } else {
        parity[j] = want.sink();
      }
    }
    return damaged | code.wrongParities(data(wants), parity);
  }

  /** All data units in full length; those of components that are not there are zeros. */
  private ByteBuffer[] data(UnitWant[] wants) {
    ByteBuffer[] data = new ByteBuffer[layout.dataUnits()];
    for (int i = 0; i < data.length; i++) {
      data[i] = wants[i] == null ? ByteBuffer.allocate(layout.unitBytes()) : wants[i].sink();
    }
    return data;
  }

  void dispose() {
    for (ByteBuffer unit : taken) {
      engine.pool().give(unit);
      engine.pool().unreserve(layout.unitBytes());
    }
    taken.clear();
  }
}
