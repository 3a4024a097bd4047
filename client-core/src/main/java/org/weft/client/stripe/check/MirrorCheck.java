package org.weft.client.stripe.check;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.weft.client.stripe.base.StripeContext;
import org.weft.client.stripe.base.StripedFile;
import org.weft.client.stripe.base.Zeros;
import org.weft.client.stripe.read.ComponentRead;
import org.weft.client.stripe.read.UnitRead;
import org.weft.protocol.layout.Layout;

/**
 * Check of a small file (P 4.2): its m + 1 copies are alike, know its length, and hold zeros behind
 * its end.
 */
final class MirrorCheck {
  private final StripeContext context;
  private final StripedFile file;
  private final Layout layout;
  private final ComponentStates states;
  private final int lengthBytes;
  private final List<UnitRead> copies = new ArrayList<>();

  MirrorCheck(StripeContext context, StripedFile file, ComponentStates states) {
    this.context = context;
    this.file = file;
    this.layout = file.layout();
    this.states = states;
    this.lengthBytes = (int) states.eofBytes();
  }

  CompletableFuture<ParityReport> run() {
    for (int component = 0; component <= layout.parityUnits(); component++) {
      if (states.isPresent(component)) {
        // On the heap: small, and the transport may hold on to it longer than a call lasts.
        copies.add(new UnitRead(component, 0, ByteBuffer.allocate(layout.unitBytes())));
      }
    }
    CompletableFuture<Void> read = new CompletableFuture<>();
    ComponentRead.all(context, file, copies, () -> read.complete(null));
    return read.thenCompose(nothing -> report());
  }

  /** A copy that could not be read for want of an answer says nothing of what it holds. */
  private CompletableFuture<ParityReport> report() {
    int damaged = 0;
    for (UnitRead copy : copies) {
      if (copy.failure() != null && !copy.failure().code().isOfBlock()) {
        return CompletableFuture.failedFuture(CheckedStripes.unreadable(file, copy));
      }
      damaged += copy.failure() == null ? 0 : 1;
    }
    int wrong = wrongCopies();
    return CompletableFuture.completedFuture(
        new ParityReport(
            lengthBytes, 1, true, wrong, damaged, wrong > damaged ? List.of(0L) : List.of()));
  }

  /** All that differ from the first that is right in itself. */
  private int wrongCopies() {
    ByteBuffer right =
        copies.stream().filter(this::isSound).map(UnitRead::sink).findFirst().orElse(null);
    long alike = copies.stream().filter(copy -> isSound(copy) && copy.sink().equals(right)).count();
    return layout.parityUnits() + 1 - (int) alike;
  }

  private boolean isSound(UnitRead copy) {
    return copy.failure() == null
        && copy.truncationNumber() == states.truncationNumber()
        && copy.eofBytes() == lengthBytes
        && Zeros.are(copy.sink(), lengthBytes);
  }
}
