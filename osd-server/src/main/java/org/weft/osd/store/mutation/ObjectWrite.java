package org.weft.osd.store.mutation;

import java.util.Optional;
import org.weft.osd.store.value.Authority;
import org.weft.osd.store.value.ByteSpan;
import org.weft.osd.store.value.FileLength;
import org.weft.osd.store.value.ObjectCreation;
import org.weft.osd.store.value.WriteNumbers;
import org.weft.protocol.id.ObjectName;

/**
 * WRITE: a run of consecutive stripes of one component (P 5.3). Executed at most once: a run whose
 * ids are complete, or in the pending list, is answered and not executed again (P 5.4).
 *
 * <p>A client's write that carries bytes leaves a record in the pending list, in the same commit as
 * its extents. What it overwrote is kept until the write is complete or aborted.
 *
 * <p>Fails with WRITE_ABORTED, NO_SPACE, or NO_SUCH_OBJECT (absent, and not to be made). Fails with
 * TOMBSTONE if a grant below the tombstone or the partition's floor creates it. Fails with FENCED
 * if the grant is below the object's version, or the truncation number below the object's. Fails
 * with BUSY if a block of the range belongs to another incomplete write, or the grant keeps too
 * much: send completions first. Fails with BAD_CHECKSUM, and nothing is written. Fails with
 * BAD_MEDIA if old bytes of a partly written block are damaged.
 *
 * @param bytes may be none: that creates the component and sets the length
 * @param length file length that this write establishes
 */
public record ObjectWrite(
    ObjectName name,
    Authority authority,
    ByteSpan bytes,
    WriteNumbers numbers,
    FileLength length,
    ObjectCreation creation,
    boolean durable)
    implements Mutation {
  @Override
  public MutationKind kind() {
    return MutationKind.WRITE;
  }

  @Override
  public boolean isUrgent() {
    return authority.manager();
  }

  @Override
  public boolean adds() {
    return !authority.manager();
  }

  @Override
  public Optional<InlineReach> inlineReach() {
    return creation.attributes().isPresent()
        ? Optional.empty()
        : Optional.of(InlineReach.of(name, authority, bytes, true));
  }
}
