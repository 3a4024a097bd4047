package org.weft.client.stripe.base;

import java.util.Objects;

/**
 * The map and the grant by which a file is written. Both change together when its writer does
 * without a component (P 5.8).
 */
public record WriteTerms(StripedFile file, StripeGrant grant) {
  public WriteTerms {
    Objects.requireNonNull(file, "file");
    Objects.requireNonNull(grant, "grant");
  }

  /**
   * Components with a smaller index hold the file's attributes: they get the initial ones (P 6.6),
   * and hear from the manager what is complete (P 5.4).
   */
  public int attributeComponents() {
    return file.map().attributeComponents(grant.metaCopies());
  }
}
