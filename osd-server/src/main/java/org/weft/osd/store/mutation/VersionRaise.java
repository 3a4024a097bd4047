package org.weft.osd.store.mutation;

import org.weft.osd.store.value.Authority;
import org.weft.protocol.id.ObjectName;

/**
 * RAISE_VERSION: grants below {@code version} are refused from now on (P 5.7). Never lowers it; the
 * receipt has the version in force. Always durable. Fails with FENCED or NO_SUCH_OBJECT.
 */
public record VersionRaise(ObjectName name, Authority authority, long version) implements Mutation {
  @Override
  public boolean durable() {
    return true;
  }

  @Override
  public MutationKind kind() {
    return MutationKind.VERSION_RAISE;
  }
}
