package org.weft.osd.store.mutation;

import java.util.Optional;

/**
 * XOR_READ_WRITE: bytes take the place of a part of one data unit, and the receipt has old ⊕ new of
 * every block touched, for the parities (P 5.3). Executed at most once: an id that is pending is
 * answered with its δ, made again from the bytes it kept and its own; one that is complete is
 * answered without a δ, for its parities have theirs (P 5.4).
 *
 * <p>The old bytes stay until the write is complete or aborted; record, extents and mark change in
 * one commit, so that a client with the δ knows the write to be there as durably as the receipt
 * says.
 *
 * <p>Fails with NO_SUCH_OBJECT, FENCED, WRITE_ABORTED, BUSY (a block belongs to a pending write of
 * another id, or the grant keeps too much: send completions first), BAD_CHECKSUM (nothing is
 * written), BAD_MEDIA (the old bytes are damaged), NO_SPACE, INVALID_ARGUMENT.
 *
 * @param write goes to its offset, in bytes
 */
public record XorExchange(XorWrite write) implements Mutation {
  @Override
  public boolean durable() {
    return write.durable();
  }

  @Override
  public MutationKind kind() {
    return MutationKind.XOR_EXCHANGE;
  }

  @Override
  public boolean isUrgent() {
    return write.authority().manager();
  }

  @Override
  public boolean adds() {
    return !write.authority().manager();
  }

  @Override
  public Optional<InlineReach> inlineReach() {
    return Optional.of(InlineReach.of(write.name(), write.authority(), write.bytes(), false));
  }
}
