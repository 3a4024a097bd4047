package org.weft.client.stripe.commit;

import java.util.concurrent.CompletionException;

/**
 * Ends an order that cannot be given again as it is. The grant was replaced, and the manager has
 * decided what became of the order under the old one (P 5.5, 5.8). The caller that gave the order
 * looks at the stripe again and gives another.
 */
public final class TermsReplaced extends RuntimeException {
  private static final long serialVersionUID = 1L;

  TermsReplaced() {
    super("the write grant was replaced", null, false, false);
  }

  /** True if that is what an order has ended with. */
  public static boolean is(Throwable thrown) {
    return (thrown instanceof CompletionException ? thrown.getCause() : thrown)
        instanceof TermsReplaced;
  }
}
