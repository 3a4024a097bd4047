package org.weft.client.ids;

/** Says how a regular file is made (RFC 1813 3.3.8). */
public sealed interface CreateWish
    permits CreateWish.Unchecked, CreateWish.Guarded, CreateWish.Exclusive {
  /**
   * A file that is there is taken as it is, and of the attributes its size alone is set. It is
   * never replaced.
   */
  record Unchecked(AttributesWish attributes) implements CreateWish {}

  /** There must be nothing of the name: EXISTS. */
  record Guarded(AttributesWish attributes) implements CreateWish {}

  /**
   * As {@link Guarded}, but what a request with the same verifier made is taken. The verifier is
   * kept with the file until its attributes are set the first time. Mode 0 until then.
   */
  record Exclusive(long verifier) implements CreateWish {}
}
