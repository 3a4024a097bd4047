package org.weft.osd.store.mutation;

import java.util.Optional;

/**
 * XOR_WRITE: a δ is XORed onto whole blocks (P 5.3), at most once whatever is sent again and
 * whatever crashes in between. An id in the pending list or complete is answered only (P 5.4).
 * Several ids may be pending on one block, for XOR commutes.
 *
 * <p>The old blocks are verified first, and each new checksum must be crc(old) ⊕ crc(δ) ⊕ crc(0) (P
 * 5.2). The δ is kept in blocks of its own until the write is complete: it undoes the write, and
 * another component may need it.
 *
 * <p>Fails with NO_SUCH_OBJECT, FENCED, WRITE_ABORTED, NO_SPACE or INVALID_ARGUMENT. Fails with
 * BUSY if a block belongs to a pending stripe write, or the grant keeps too much. Fails with
 * BAD_CHECKSUM of the δ, and nothing is written. Fails with BAD_MEDIA if an old block is damaged.
 *
 * @param write whole blocks, at an offset that is a multiple of 4 KiB
 */
public record XorApplication(XorWrite write) implements Mutation {
  @Override
  public boolean durable() {
    return write.durable();
  }

  @Override
  public MutationKind kind() {
    return MutationKind.XOR_APPLICATION;
  }

  @Override
  public Optional<InlineReach> inlineReach() {
    return Optional.of(InlineReach.of(write.name(), write.authority(), write.bytes(), false));
  }
}
