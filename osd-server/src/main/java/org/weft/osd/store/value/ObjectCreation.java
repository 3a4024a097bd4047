package org.weft.osd.store.value;

import java.util.Optional;

/**
 * What a write does where its object is absent.
 *
 * @param tag makes the object with it: the caller has found the right to; empty: makes none
 * @param attributes stored where the object is made here, or where that page is still absent
 */
public record ObjectCreation(Optional<ObjectTag> tag, Optional<AttributeValue> attributes) {
  /** The object must be there. */
  public static final ObjectCreation NONE = new ObjectCreation(Optional.empty(), Optional.empty());

  /** Made without attributes. */
  public static ObjectCreation of(ObjectTag tag) {
    return new ObjectCreation(Optional.of(tag), Optional.empty());
  }
}
