package org.weft.protocol.layout;

import org.weft.protocol.wire.OwnedFor;

/** Says for what a grant owns a range of a shared file (P 6.5). */
public enum RangeUse {
  /** Several grants own it at once, none of them for writing. */
  READING(OwnedFor.OWNED_FOR_READING),
  /** One grant owns it alone, to read and write there. */
  WRITING(OwnedFor.OWNED_FOR_WRITING);

  private final OwnedFor message;

  RangeUse(OwnedFor message) {
    this.message = message;
  }

  /** As a message says it; an earlier release says nothing, and means writing. */
  public static RangeUse of(OwnedFor message) {
    return message == OwnedFor.OWNED_FOR_READING ? READING : WRITING;
  }

  public OwnedFor toMessage() {
    return message;
  }

  /** Two grants cannot own the same bytes for these at once. */
  public boolean excludes(RangeUse other) {
    return this == WRITING || other == WRITING;
  }
}
