package org.weft.client.stripe.commit;

import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.weft.client.stripe.base.StripeContext;
import org.weft.client.stripe.base.WriteTerms;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.retry.Backoff;

/**
 * Reads a file for its own writer. Each time its grant is replaced meanwhile the read, which went
 * out under the old one, may fail, and is begun again. If components are gone, the file may have
 * been removed or replaced under its writer: the manager is asked, until it has answered once.
 */
public final class OwnRead {
  /** Every renewal of the grant may disturb a read that is under way. */
  private static final int MAX_READS = 8;

  private final StripeContext context;
  private final FileWriteService sender;
  private final Function<WriteTerms, ? extends CompletableFuture<?>> read;
  private final CompletableFuture<Void> done = new CompletableFuture<>();
  private Backoff.Delays delays;
  private int readsLeft = MAX_READS;
  private boolean hasHeardOfRemoval;

  private OwnRead(
      StripeContext context,
      FileWriteService sender,
      Function<WriteTerms, ? extends CompletableFuture<?>> read) {
    this.context = context;
    this.sender = sender;
    this.read = read;
  }

  /**
   * Reads until it succeeds, or fails for another reason than the grant.
   *
   * @param read begins a read under terms; when its future is done, nothing of it is under way
   */
  public static CompletableFuture<Void> of(
      StripeContext context,
      FileWriteService sender,
      Function<WriteTerms, ? extends CompletableFuture<?>> read) {
    OwnRead own = new OwnRead(context, sender, read);
    own.start();
    return own.done;
  }

  private void start() {
    WriteTerms terms = sender.terms();
    CompletableFuture<?> begun;
    try {
      begun = read.apply(terms);
    } catch (RuntimeException | Error e) {
      begun = CompletableFuture.failedFuture(e);
    }
    var unused =
        begun.whenComplete(
            (result, thrown) -> {
              if (thrown == null) {
                done.complete(null);
              } else {
                failed(terms, WeftException.of(thrown));
              }
            });
  }

  /** Perhaps because the grant is just being replaced. */
  private void failed(WriteTerms terms, WeftException failure) {
    boolean removed = !hasHeardOfRemoval && isRemoved(failure);
    boolean fenced = failure.code() == ErrorCode.FENCED || removed;
    boolean asked = fenced && sender.terms() == terms && sender.renew(terms, failure);
    var unused =
        sender
            .quiet()
            .whenComplete(
                (nothing, thrown) -> {
                  WeftException over = sender.failure();
                  // A manager that is away has said nothing: it is asked until it is back.
                  hasHeardOfRemoval |= removed && asked && sender.terms() != terms;
                  if (over == null && sender.terms() != terms && --readsLeft > 0) {
                    context.execute(this::start);
                  } else if (over == null && fenced && sender.isInDoubt()) {
                    delays =
                        delays == null ? StripeContext.RETRIES.begin(context.random()) : delays;
                    context.pause(delays.nextNanos(), this::start, done::completeExceptionally);
                  } else {
                    done.completeExceptionally(over == null ? failure : over);
                  }
                });
  }

  private static boolean isRemoved(WeftException failure) {
    return failure.code() == ErrorCode.TOO_MANY_LOST
        && failure.getCause() instanceof WeftException cause
        && cause.code() == ErrorCode.NO_SUCH_OBJECT;
  }
}
