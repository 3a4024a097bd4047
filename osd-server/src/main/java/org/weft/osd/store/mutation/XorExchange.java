package org.weft.osd.store.mutation;

import java.util.Optional;

/**
 * XOR_READ_WRITE: bytes take the place of a part of one data unit. The receipt has old ⊕ new of
 * every block touched, for the parities (P 5.3). It is executed at most once. An id that is pending
 * is answered with its δ, made again from the bytes it kept and its own. One that is complete is
 * answered without a δ, for its parities have theirs (P 5.4).
 *
 * <p>The old bytes stay until the write is complete or aborted. Record, extents and mark change in
 * one commit. So a client with the δ knows the write to be there as durably as the receipt says.
 *
 * <p>Fails with NO_SUCH_OBJECT, FENCED, WRITE_ABORTED, NO_SPACE or INVALID_ARGUMENT. Fails with
 * BUSY if a block belongs to a pending write of another id, or the grant keeps too much: send
 * completions first. Fails with BAD_CHECKSUM, and nothing is written. Fails with BAD_MEDIA if the
 * old bytes are damaged.
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
