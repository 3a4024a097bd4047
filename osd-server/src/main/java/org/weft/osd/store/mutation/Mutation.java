package org.weft.osd.store.mutation;

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
}
