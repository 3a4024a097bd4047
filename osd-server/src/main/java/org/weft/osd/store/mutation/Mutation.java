package org.weft.osd.store.mutation;

import java.util.Optional;

/**
 * A change of the store. All of one mutation is committed, or nothing. Buffers inside belong to the
 * store until the mutation's stage completes, and must not change until then; their positions stay.
 */
public sealed interface Mutation
    permits ObjectWrite,
        XorExchange,
        XorApplication,
        WriteAbort,
        WriteCompletion,
        BlockWrite,
        AttributeUpdate,
        ObjectRemoval,
        BlockRelease,
        VersionRaise,
        PartitionUpdate,
        PartitionFence,
        PartitionDrop {
  /** On stable storage before the stage completes, also in write-back mode. */
  boolean durable();

  /**
   * Others wait for it, or it gives space back: a manager's commands, removals, what ends writes, a
   * delta whose change is made elsewhere. On a full disk it may use the space that is kept.
   */
  default boolean isUrgent() {
    return kind().isUrgent();
  }

  /** A client adds bytes by it: refused while what is left on the disk is kept for others. */
  default boolean adds() {
    return false;
  }

  /** What it touches, if it is of a kind that may be committed by a thread that must not wait. */
  default Optional<InlineReach> inlineReach() {
    return Optional.empty();
  }

  /** By which its change is prepared. */
  MutationKind kind();
}
