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
    return true;
  }

  /** A client adds bytes by it: refused while what is left on the disk is kept for others. */
  default boolean adds() {
    return false;
  }

  /** What it touches, if it is of a kind that may be committed by a thread that must not wait. */
  default Optional<InlineReach> inlineReach() {
    return Optional.empty();
  }

  /** The one place where kinds are told apart: a kind without a case does not compile. */
  <T, X extends Exception> T accept(Cases<T, X> cases) throws X;

  /** One case for each kind of mutation. */
  interface Cases<T, X extends Exception> {
    T of(ObjectWrite write) throws X;

    T of(XorExchange exchange) throws X;

    T of(XorApplication application) throws X;

    T of(WriteAbort abort) throws X;

    T of(WriteCompletion completion) throws X;

    T of(BlockWrite write) throws X;

    T of(AttributeUpdate update) throws X;

    T of(ObjectRemoval removal) throws X;

    T of(BlockRelease release) throws X;

    T of(VersionRaise raise) throws X;

    T of(PartitionUpdate update) throws X;

    T of(PartitionFence fence) throws X;

    T of(PartitionDrop drop) throws X;
  }
}
