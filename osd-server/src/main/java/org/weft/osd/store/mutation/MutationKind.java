package org.weft.osd.store.mutation;

/**
 * Kinds of mutations that are prepared in different ways. One enumeration, so that a switch which
 * forgets a kind does not compile.
 */
public enum MutationKind {
  /** {@link ObjectWrite}. */
  WRITE,

  /** {@link XorExchange}. */
  XOR_EXCHANGE,

  /** {@link XorApplication}. */
  XOR_APPLICATION,

  /** {@link WriteAbort}. */
  ABORT,

  /** {@link WriteCompletion}. */
  COMPLETION,

  /** {@link BlockWrite}. */
  BLOCK_WRITE,

  /** {@link AttributeUpdate}. */
  ATTRIBUTES,

  /** {@link ObjectRemoval}. */
  REMOVAL,

  /** {@link BlockRelease}. */
  RELEASE,

  /** {@link VersionRaise}. */
  VERSION_RAISE,

  /** {@link PartitionUpdate}. */
  PARTITION_UPDATE,

  /** {@link PartitionFence}. */
  PARTITION_FENCE,

  /** {@link PartitionDrop}. */
  PARTITION_DROP
}
