package org.weft.client.stripe;

import java.util.Objects;

/**
 * Where a file is written and under what: both change together when its writer does without a
 * component (P 5.8).
 */
public record WriteTerms(StripedFile file, WriteGrant grant) {
  public WriteTerms {
    Objects.requireNonNull(file, "file");
    Objects.requireNonNull(grant, "grant");
  }
}
