package org.weft.nfs.files;

/** How a file is created. */
public sealed interface CreateMode
    permits CreateMode.Unchecked, CreateMode.Guarded, CreateMode.Exclusive {
  /** A file that is there is taken, and nothing but its size is set. It is not replaced. */
  record Unchecked(AttributeChange attributes) implements CreateMode {}

  /** There must be none. */
  record Guarded(AttributeChange attributes) implements CreateMode {}

  /**
   * There must be none but what the same request made before. The verifier is kept with the file
   * until its attributes are set the first time.
   */
  record Exclusive(long verifier) implements CreateMode {}
}
