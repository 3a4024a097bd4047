package org.weft.osd.store.mutation;

import java.util.List;
import java.util.Optional;
import org.weft.osd.store.value.AttributeValue;
import org.weft.osd.store.value.Authority;
import org.weft.osd.store.value.CompletionMark;
import org.weft.osd.store.value.ObjectTag;
import org.weft.protocol.id.ObjectName;

/**
 * SET_ATTRIBUTES: each page is stored unless the stored one has an LSN at least as large (P 6.3).
 * The receipt counts those skipped. Fails with FENCED, NO_SUCH_OBJECT, TOMBSTONE (creation with no
 * LSN as large as the tombstone's) or NO_SPACE.
 *
 * @param create makes the object if it is absent
 * @param complete marks of grants that are raised (P 5.4)
 * @param floor every write of a smaller grant is complete: their marks and records go, as with a
 *     client's floor (P 5.4); 0 leaves it
 * @param createFloor raises the partition's floor; 0 leaves it (P 6.6)
 */
public record AttributeUpdate(
    ObjectName name,
    Authority authority,
    List<AttributeValue> pages,
    Optional<ObjectTag> create,
    List<CompletionMark> complete,
    long floor,
    long createFloor,
    boolean durable)
    implements Mutation {
  public AttributeUpdate {
    pages = List.copyOf(pages);
    complete = List.copyOf(complete);
  }

  @Override
  public MutationKind kind() {
    return MutationKind.ATTRIBUTES;
  }

  @Override
  public boolean isUrgent() {
    return authority.manager();
  }
}
