package org.weft.osd.store.format;

import java.util.Optional;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.id.OsdId;

/**
 * The header of a store: its identity, its starts, and how it stopped.
 *
 * @param identity 32 hexadecimal digits, drawn at formatting
 * @param incarnation how often the store was started
 * @param bootId of the machine when the store was last started and found whole
 * @param clean the last stop was orderly: {@code objects}, {@code nextHandle} and the free map hold
 * @param suspect a power loss may have lost writes, or files may have been written around the store
 *     after it failed. SysMgr was not told yet (P 5.8, 5.9)
 * @param oneLife all starts that the store remembers ({@link KnownStarts}) were in the life that
 *     {@code bootId} names; false in a header of an older release
 * @param quarantined clients are refused: SysMgr has said so (P 5.8)
 * @param objects how many there are; holds only while clean
 * @param nextHandle the smallest never given; holds only while clean
 */
public record StoreHeader(
    String identity,
    Optional<ClusterId> cluster,
    Optional<OsdId> osd,
    long incarnation,
    String bootId,
    boolean clean,
    boolean suspect,
    boolean oneLife,
    boolean quarantined,
    long objects,
    long nextHandle) {
  /** As another start of the store leaves it. */
  public StoreHeader started(String newBootId, boolean newSuspect, boolean newOneLife) {
    return new StoreHeader(
        identity,
        cluster,
        osd,
        incarnation + 1,
        newBootId,
        false,
        newSuspect,
        newOneLife,
        quarantined,
        0,
        0);
  }

  /** After the cluster was told of this start, which is the only one that is remembered then. */
  public StoreHeader joined(ClusterId newCluster, OsdId newOsd) {
    return new StoreHeader(
        identity,
        Optional.of(newCluster),
        Optional.of(newOsd),
        incarnation,
        bootId,
        clean,
        false,
        true,
        quarantined,
        objects,
        nextHandle);
  }

  /** As SysMgr says. */
  public StoreHeader withQuarantine(boolean now) {
    return new StoreHeader(
        identity,
        cluster,
        osd,
        incarnation,
        bootId,
        clean,
        suspect,
        oneLife,
        now,
        objects,
        nextHandle);
  }

  /** After an orderly stop. */
  public StoreHeader stopped(long objectCount, long handle) {
    return new StoreHeader(
        identity,
        cluster,
        osd,
        incarnation,
        bootId,
        true,
        suspect,
        oneLife,
        quarantined,
        objectCount,
        handle);
  }
}
