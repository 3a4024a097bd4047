package org.weft.client.stripe.commit;

import java.util.List;
import org.weft.client.stripe.base.StripeContext;

/**
 * Makes the orders that a {@link FileWriteMachine} gives by itself; the machine never carries them
 * out.
 */
record OwnOrders(StripeContext context) {
  /** Undoes a write on all components that were asked for it. */
  ComponentOrder abort(List<Integer> asked, long grant, long firstSeq, int seqCount) {
    return new AbortOrder(context, asked, grant, firstSeq, seqCount);
  }

  /** Shows a new grant to components that hear of it by no other order. */
  ComponentOrder announcement(List<Integer> components) {
    return new Announcement(context, components);
  }
}
