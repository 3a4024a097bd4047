package org.weft.osd.store;

import org.weft.protocol.id.Lsn;

/**
 * Under whose right a call runs; checked again in the committing step (P 5.7). A client's grant
 * must not be smaller than the object's version; a manager's epoch not smaller than the partition's
 * fence.
 *
 * @param manager a manager's command: exempt from the object's version, bound by the fence
 * @param grant number of the grant; a manager's has its epoch on top
 * @param floor the lowest live grant on the file: a client's write raises the object's version to
 *     it
 */
public record Authority(boolean manager, long grant, long floor) {
  public static Authority ofClient(long grant, long floor) {
    return new Authority(false, grant, floor);
  }

  public static Authority ofManager(long epoch) {
    return new Authority(true, Lsn.of(epoch, 0).value(), 0);
  }

  /** A manager's epoch. */
  public long epoch() {
    return new Lsn(grant).epoch();
  }
}
