package org.weft.osd.store.mutation;

/**
 * Kinds of mutations that are prepared in different ways. One enumeration, so that a switch which
 * forgets a kind does not compile.
 */
public enum MutationKind {
  /** {@link ObjectWrite}. */
  WRITE(false),

  /** {@link XorExchange}. */
  XOR_EXCHANGE(false),

  /** {@link XorApplication}. */
  XOR_APPLICATION(true),

  /** {@link WriteAbort}. */
  ABORT(true),

  /** {@link WriteCompletion}. */
  COMPLETION(true),

  /** {@link BlockWrite}. */
  BLOCK_WRITE(true),

  /** {@link AttributeUpdate}. */
  ATTRIBUTES(false),

  /** {@link ObjectRemoval}. */
  REMOVAL(true),

  /** {@link BlockRelease}. */
  RELEASE(true),

  /** {@link VersionRaise}. */
  VERSION_RAISE(true),

  /** {@link PartitionUpdate}. */
  PARTITION_UPDATE(true),

  /** {@link PartitionFence}. */
  PARTITION_FENCE(true),

  /** {@link PartitionDrop}. */
  PARTITION_DROP(true);

  private final boolean urgent;

  MutationKind(boolean urgent) {
    this.urgent = urgent;
  }

  /** {@link Mutation#isUrgent}, for all of this kind; where false, the mutation itself decides. */
  boolean isUrgent() {
    return urgent;
  }
}
