package org.weft.osd.store.mutation;

import java.util.Optional;
import org.weft.osd.store.value.Authority;
import org.weft.protocol.id.ObjectName;

/**
 * COMPLETE: every number of the authority's grant up to there is complete (P 5.4). In the same
 * commit the mark is stored, the records below it go, and what they kept is let go of. Fails with
 * NO_SUCH_OBJECT, FENCED or INVALID_ARGUMENT.
 *
 * @param eofBytes file length to raise to; 0 leaves it
 * @param truncationNumber that {@code eofBytes} belongs to
 * @param forgetGivenBack what a power loss gave back of the object has been dealt with (P 5.9)
 */
public record WriteCompletion(
    ObjectName name,
    Authority authority,
    long completeUpTo,
    long eofBytes,
    int truncationNumber,
    boolean durable,
    boolean forgetGivenBack)
    implements Mutation {
  /** What a power loss gave back stays noted. */
  public WriteCompletion(
      ObjectName name,
      Authority authority,
      long completeUpTo,
      long eofBytes,
      int truncationNumber,
      boolean durable) {
    this(name, authority, completeUpTo, eofBytes, truncationNumber, durable, false);
  }

  @Override
  public MutationKind kind() {
    return MutationKind.COMPLETION;
  }

  @Override
  public Optional<InlineReach> inlineReach() {
    return Optional.of(new InlineReach(name, authority, 0, 0, true));
  }
}
