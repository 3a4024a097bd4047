package org.weft.metadata.volume.path;

import org.weft.protocol.id.ObjectId;

/** How a request names the file whose ranges it is about. */
public sealed interface LockTarget permits NodePath, LockTarget.ByNumber {
  /**
   * Names the file by its number alone, which only a trusted session may do (P 6.5c). Its user was
   * led to the file earlier. The owner may always lock it, as it may have been open when its mode
   * changed.
   */
  record ByNumber(ObjectId object) implements LockTarget {
    @Override
    public String toString() {
      return "object " + object;
    }
  }
}
