package org.weft.client.stripe;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntPredicate;
import org.weft.client.raid.ErasureCode;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.RpcException;

/** A few consecutive stripes of one group under scrub: read all their units, compare, rewrite. */
final class ScrubBatch {
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
  ScrubBatch(
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
    ComponentFetch.all(
        engine,
        file,
        all,
        false,
        () -> {
          RpcException failure = firstDataFailure();
          if (failure == null) {
            read.complete(null);
          } else {
            read.completeExceptionally(failure);
          }
        });
    return read;
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
            want.failure().code() == ErrorCode.BAD_CHECKSUM
                || want.failure().code() == ErrorCode.BAD_MEDIA;
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
   * Compares, and rewrites what is wrong if {@code writes} is given.
   *
   * @param eofBytes end of the file: what data units hold behind it is made zeros, and no parity is
   *     written behind it that is zeros already
   */
  CompletableFuture<Void> settle(ScrubWrites writes, long eofBytes) {
    List<CompletableFuture<?>> rewritten = new ArrayList<>();
    for (int s = 0; s < stripes; s++) {
      long stripe = firstStripe + s;
      UnitWant[] wants = wantsByStripe.get(s);
      List<Integer> cut = zeroBehind(eofBytes - stripe * layout.stripeBytes(), wants);
      int wrong = wrongParities(wants);
      wrongUnits += cut.size() + Integer.bitCount(wrong);
      if (writes != null && (wrong != 0 || !cut.isEmpty())) {
        rewrite(writes, stripe, wants, new Wrong(cut, wrong), eofBytes, rewritten);
      }
    }
    return CompletableFuture.allOf(rewritten.toArray(CompletableFuture<?>[]::new));
  }

  /** What is to be written of a stripe: data units with bytes behind the end, bits of parities. */
  private record Wrong(List<Integer> data, int parities) {}

  /** Makes zeros of what was read behind the end; the data units that held something else there. */
  private List<Integer> zeroBehind(long endInStripe, UnitWant[] wants) {
    List<Integer> held = new ArrayList<>();
    for (int unit = 0; unit < layout.dataUnits(); unit++) {
      long endInUnit = Math.max(0, endInStripe - (long) unit * layout.unitBytes());
      if (endInUnit < layout.unitBytes() && wants[unit] != null) {
        ByteBuffer bytes = wants[unit].sink();
        if (!Zeros.are(bytes, (int) endInUnit)) {
          Zeros.fill(bytes, (int) endInUnit, layout.unitBytes() - (int) endInUnit);
          held.add(unit);
        }
      }
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

  private void rewrite(
      ScrubWrites writes,
      long stripe,
      UnitWant[] wants,
      Wrong wrong,
      long eofBytes,
      List<CompletableFuture<?>> rewritten) {
    ByteBuffer[] data = data(wants);
    ByteBuffer[] parity = new ByteBuffer[layout.parityUnits()];
    List<Integer> participants = new ArrayList<>();
    for (int unit : wrong.data()) {
      participants.add(layout.dataComponent(stripe, unit));
    }
    for (int j = 0; j < parity.length; j++) {
      // Not from the pool: the transport may hold on to it longer than the call lasts.
      parity[j] = ByteBuffer.allocate(layout.unitBytes());
      if ((wrong.parities() & 1 << j) != 0) {
        participants.add(layout.parityComponent(stripe, j));
      }
    }
    code.encode(data, parity);
    long inStripe = eofBytes - stripe * layout.stripeBytes();
    int length = wrong.data().isEmpty() ? neededBytes(inStripe, wants) : layout.unitBytes();
    long seq = writes.nextSeq();
    long offset = layout.componentOffsetBytes(stripe);
    for (int unit : wrong.data()) {
      ByteBuffer copy = ByteBuffer.allocate(layout.unitBytes()).put(0, data[unit], 0, length);
      int component = layout.dataComponent(stripe, unit);
      rewritten.add(writes.unit(seq, participants, component, offset, copy));
    }
    for (int j = 0; j < parity.length; j++) {
      if ((wrong.parities() & 1 << j) != 0) {
        int component = layout.parityComponent(stripe, j);
        ByteBuffer part = parity[j].slice(0, length);
        rewritten.add(writes.unit(seq, participants, component, offset, part));
      }
    }
  }

  /** How much of a parity has to be written: where it is zeros, and stored as such, nothing. */
  private int neededBytes(long inStripe, UnitWant[] wants) {
    int length = (int) Math.min(layout.unitBytes(), inStripe);
    for (int unit = layout.dataUnits(); unit < wants.length; unit++) {
      if (wants[unit] != null
          && (wants[unit].failure() != null || !Zeros.are(wants[unit].sink(), length))) {
        return layout.unitBytes();
      }
    }
    return length;
  }

  void dispose() {
    for (ByteBuffer unit : taken) {
      engine.pool().give(unit);
      engine.pool().unreserve(layout.unitBytes());
    }
    taken.clear();
  }
}
