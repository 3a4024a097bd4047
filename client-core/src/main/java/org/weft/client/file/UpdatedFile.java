package org.weft.client.file;

import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.weft.client.callback.Callbacks;
import org.weft.client.stripe.write.StripeUpdater;
import org.weft.protocol.layout.ByteRange;
import org.weft.protocol.layout.RangeUse;

/** A file that no other client changes meanwhile (P 4.3, 5.3). */
final class UpdatedFile<S> extends GrantedFile<S> {
  private final StripeUpdater updater;

  UpdatedFile(Opened<S> opened, Callbacks callbacks) {
    super(opened, callbacks);
    this.updater = opened.updater();
  }

  @Override
  <T> CompletableFuture<T> enter(
      ByteRange range, RangeUse use, Supplier<CompletableFuture<T>> call) {
    return call.get();
  }

  @Override
  CompletableFuture<Void> makeZeros(long positionBytes, long lengthBytes) {
    return updater.punch(positionBytes, lengthBytes);
  }
}
