package org.weft.client.stripe.base;

/**
 * Says how far a writer's sequence numbers are complete on every component (P 5.4), and under which
 * grant. Numbers begin anew with each grant, so one without the other says nothing.
 *
 * @param grantNumber under which they count
 * @param seq all up to this one are complete; 0 if none is known to be
 */
public record CompletePoint(long grantNumber, long seq) {
  /** Nothing was sent. */
  public static final CompletePoint NONE = new CompletePoint(0, 0);

  /** What may be said of that grant: 0 if this is about another. */
  public long under(long number) {
    return number == grantNumber ? seq : 0;
  }
}
