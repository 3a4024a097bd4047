package org.weft.client.volume;

import org.weft.protocol.layout.ByteRange;

/** Hears that others want to write where a grant owns a range of a shared file (P 6.5). */
@FunctionalInterface
public interface RecallListener {
  /**
   * To be given back as soon as what is under way there is complete; said again until then.
   *
   * @param grant number of the grant that is meant
   */
  void recalled(long grant, ByteRange range);
}
