package org.weft.osd.store.mutation;

import org.weft.osd.store.value.Authority;
import org.weft.protocol.id.ObjectName;

/** A mutation that lets go of blocks of one object, a bounded number of them at a time. */
public sealed interface BlockRelease extends Mutation permits ObjectTruncation, ObjectPunch {
  ObjectName name();

  Authority authority();

  /** With the authority's grant, the write id: newer blocks stay. */
  long sequence();

  /** Every number of this grant up to here is complete. */
  long completeUpTo();

  /** The first block that no part before has looked at; 0 in the first part. */
  long resumeBlock();

  /** The next part. */
  BlockRelease resumedAt(long block);

  @Override
  default MutationKind kind() {
    return MutationKind.RELEASE;
  }
}
