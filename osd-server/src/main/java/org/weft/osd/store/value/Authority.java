package org.weft.osd.store.value;

import org.weft.protocol.id.Lsn;

/**
 * The right under which a call runs; checked again in the committing step (P 5.7). A client's grant
 * must not be smaller than the object's version; a manager's epoch not smaller than the partition's
 * fence.
 *
 * <p>A manager's number below the object's version is that of a client's grant which has ended. The
 * manager acts in the dead writer's place, and what it writes goes to the pending list as the
 * client's would (P 5.5). Any other number of a manager is its own, and leaves no record there.
 *
 * @param manager a manager's command: exempt from the object's version, bound by the fence
 * @param epoch a manager's; 0 for a client
 * @param grant with a sequence number, the id of what is written
 * @param floor the lowest grant on the file that is open or not resolved. A write raises the
 *     object's version to it, and every write of a smaller grant counts as complete (P 5.4)
 * @param attempt of a manager that resolves a file: the number that it has raised the object's
 *     version to. Once that is higher, another attempt has begun since, and whatever of this one
 *     was still on its way must change nothing (P 5.5, 5.7). 0 for every other command
 * @param round of a manager that flushes: its last one when this was what the object was to hold.
 *     What it brings may be removed in a later one; once tombstones were forgotten at a later one's
 *     word, it makes nothing any more (P 6.6). 0 for every other command
 */
public record Authority(
    boolean manager, long epoch, long grant, long floor, long attempt, long round) {
  public static Authority ofClient(long grant, long floor) {
    return new Authority(false, 0, grant, floor, 0, 0);
  }

  public static Authority ofManager(long epoch) {
    return ofManager(epoch, Lsn.of(epoch, 0).value());
  }

  /** A manager that writes, aborts or completes under this number. */
  public static Authority ofManager(long epoch, long grant) {
    return ofManager(epoch, grant, 0);
  }

  /** As the other one, when no grant below this floor is open or unresolved. */
  public static Authority ofManager(long epoch, long grant, long floor) {
    return new Authority(true, epoch, grant, floor, 0, 0);
  }

  /** The same, in the course of one attempt to resolve a file; 0 for none. */
  public Authority inAttempt(long number) {
    return new Authority(manager, epoch, grant, floor, number, round);
  }

  /** The same, as of one round of flushing; 0 for none. */
  public Authority inRound(long number) {
    return new Authority(manager, epoch, grant, floor, attempt, number);
  }
}
