package org.weft.client.stripe.base;

import java.util.Optional;
import org.weft.protocol.wire.InitialAttributes;

/**
 * The grant under which a file is written.
 *
 * @param number the grant number: the first half of every write id (P 5.1)
 * @param metaCopies how many OSDs hold the file's attributes, if its first group has so many
 * @param initialAttributes signed by the manager; empty for a file that exists
 * @param truncationNumber of the file, carried by every write (P 4.3)
 */
public record StripeGrant(
    long number,
    int metaCopies,
    Optional<InitialAttributes> initialAttributes,
    int truncationNumber) {
  /** Of a file that has never been cut. */
  public StripeGrant(long number, int metaCopies, Optional<InitialAttributes> initialAttributes) {
    this(number, metaCopies, initialAttributes, 0);
  }

  /** The same grant after the file was cut. */
  public StripeGrant withTruncationNumber(int newNumber) {
    return new StripeGrant(number, metaCopies, initialAttributes, newNumber);
  }
}
