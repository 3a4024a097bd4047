package org.weft.recovery.resolve;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.weft.client.raid.ErasureCode;
import org.weft.client.stripe.base.StripeContext;
import org.weft.client.stripe.base.StripedFile;
import org.weft.client.stripe.read.ComponentRead;
import org.weft.client.stripe.read.UnitRead;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.layout.Layout;
import org.weft.recovery.plan.WriteDecision;

/**
 * Writes a stripe write that is kept to the components that lack it (P 5.5). What it holds there is
 * decoded, stripe after stripe. The sources are components that have it and those that take no part
 * in it.
 */
final class ForwardWrite {
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  private final StripeContext context;
  private final StripedFile file;
  private final ResolveCalls calls;
  private final Layout layout;
  private final ErasureCode code;
  private final WriteDecision write;
  private final long agreedUpTo;
  private final SortedMap<Integer, ByteBuffer> values = new TreeMap<>();
  private final TreeSet<Integer> unreadable = new TreeSet<>();

  /**
   * A write to be carried on.
   *
   * @param agreedUpTo everything of its grant up to there is the same everywhere
   */
  ForwardWrite(
      StripeContext context,
      StripedFile file,
      ResolveCalls calls,
      WriteDecision write,
      long agreedUpTo) {
    this.context = context;
    this.file = file;
    this.calls = calls;
    this.layout = file.layout();
    this.code = new ErasureCode(layout.dataUnits(), layout.parityUnits());
    this.write = write;
    this.agreedUpTo = agreedUpTo;
  }

  CompletableFuture<Void> carryOut() {
    if (write.targets().isEmpty()) {
      return CompletableFuture.completedFuture(null);
    }
    for (int target : write.targets()) {
      // On the heap: the transport may hold on to it longer than the call lasts.
      values.put(target, ByteBuffer.allocate((int) (write.toBytes() - write.fromBytes())));
    }
    return decodeFrom(write.fromBytes()).thenCompose(nothing -> send());
  }

  private CompletableFuture<Void> decodeFrom(long offsetBytes) {
    if (offsetBytes >= write.toBytes()) {
      return CompletableFuture.completedFuture(null);
    }
    long unitEnd = (offsetBytes / layout.unitBytes() + 1) * layout.unitBytes();
    int length = (int) (Math.min(unitEnd, write.toBytes()) - offsetBytes);
    // Rot is a matter of single blocks: what cannot be read here may serve in the next stripe.
    unreadable.clear();
    return decode(offsetBytes, length).thenCompose(nothing -> decodeFrom(offsetBytes + length));
  }

  /** One stripe's columns. */
  private CompletableFuture<Void> decode(long offsetBytes, int lengthBytes) {
    int group = write.participants().first() / layout.width();
    long stripe = layout.stripeAt(group, offsetBytes / layout.unitBytes());
    ByteBuffer[] units = new ByteBuffer[layout.width()];
    List<UnitRead> wants = new ArrayList<>();
    for (int source : chosen(stripe)) {
      boolean zeros = write.zeros().contains(source);
      units[placeOf(stripe, source)] = zeros ? NOTHING : ByteBuffer.allocate(lengthBytes);
      if (!zeros) {
        wants.add(new UnitRead(source, offsetBytes, units[placeOf(stripe, source)]));
      }
    }
    CompletableFuture<Void> read = new CompletableFuture<>();
    ComponentRead.all(context, file, wants, () -> read.complete(null));
    return read.thenCompose(
        nothing -> {
          if (wants.stream().anyMatch(want -> want.failure() != null)) {
            wants.forEach(this::noteFailure);
            return decode(offsetBytes, lengthBytes);
          }
          reconstruct(stripe, offsetBytes, lengthBytes, units);
          return CompletableFuture.completedFuture(null);
        });
  }

  /** k of the sources that can be read: data units first, for they need no solving. */
  private List<Integer> chosen(long stripe) {
    List<Integer> readable = new ArrayList<>(write.sources());
    readable.removeAll(unreadable);
    readable.sort((a, b) -> Integer.compare(placeOf(stripe, a), placeOf(stripe, b)));
    if (readable.size() < layout.dataUnits()) {
      throw new WriteUnreadable(
          write.id(),
          "what it was to be decoded from is damaged on %s"
              .formatted(unreadable.stream().map(file::describe).toList()));
    }
    return readable.subList(0, layout.dataUnits());
  }

  /** Rot on one component is no reason to stop; one that does not answer is. */
  private void noteFailure(UnitRead want) {
    WeftException failure = want.failure();
    if (failure == null) {
      return;
    }
    if (failure.code().isDamage()) {
      unreadable.add(want.component());
    } else if (failure.code() == ErrorCode.NO_SUCH_OBJECT) {
      throw new ComponentLost(want.component(), failure.getMessage());
    } else {
      throw new CompletionException(failure);
    }
  }

  private void reconstruct(long stripe, long offsetBytes, int lengthBytes, ByteBuffer[] units) {
    ByteBuffer[] wanted = new ByteBuffer[layout.width()];
    for (var value : values.entrySet()) {
      int index = (int) (offsetBytes - write.fromBytes());
      int place = placeOf(stripe, value.getKey());
      ByteBuffer part = value.getValue().slice(index, lengthBytes);
      if (units[place] == null) {
        wanted[place] = part;
      }
    }
    code.reconstruct(units, wanted);
  }

  /** Data units by index, then parities. */
  private int placeOf(long stripe, int component) {
    int role = layout.roleOf(stripe, component);
    return role >= 0 ? role : layout.dataUnits() - 1 - role;
  }

  private CompletableFuture<Void> send() {
    return CompletableFuture.allOf(
        values.entrySet().stream()
            .map(value -> calls.write(value.getKey(), write, value.getValue(), agreedUpTo))
            .toArray(CompletableFuture<?>[]::new));
  }
}
