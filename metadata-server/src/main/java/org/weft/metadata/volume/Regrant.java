package org.weft.metadata.volume;

import com.google.protobuf.MessageLite;
import java.util.ArrayList;
import java.util.List;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.attributes.AttributesCodec;
import org.weft.metadata.grant.WriteGrant;
import org.weft.metadata.journal.LiveEffect;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.ByteRanges;
import org.weft.protocol.layout.StorageMap;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.RpcException;
import org.weft.protocol.wire.RegrantReply;

/**
 * A writer lost components and goes on without them (P 5.8). Which are lost is SysMgr's word, or
 * the OSD's own; the client's silence-meeting alone is not enough, for then two views of one OSD
 * could each write around the other's. One record marks the components missing in the next
 * generation of the map, ends the old grant, opens the new one, and remembers what is to be
 * rebuilt.
 *
 * <p>UNAVAILABLE while none of them is given up: the client asks again under the same number.
 */
public record Regrant(ObjectId object, Lsn number, List<Lost> lost, long completeUpTo)
    implements Operation {
  /**
   * A component that the client could not write to.
   *
   * @param error how it failed
   */
  public record Lost(int component, OsdId osd, ErrorCode error) {
    /**
     * The OSD says itself that the component cannot be relied on. That it was in quarantine when
     * the client met it says nothing of now.
     */
    boolean admitted() {
      return error == ErrorCode.BAD_MEDIA;
    }
  }

  public Regrant {
    lost = List.copyOf(lost);
  }

  @Override
  public MessageLite execute(Execution on) throws NotCached, RpcException {
    HeldFile held = HeldFile.require(on, object, number, completeUpTo);
    if (held.grant().superseded()) {
      return renew(on, held);
    }
    StorageMap map = held.file().map();
    requireOf(map);
    List<Integer> given = new ArrayList<>();
    List<OsdId> waitedFor = new ArrayList<>();
    for (Lost each : lost) {
      if (map.isMissing(each.component())) {
        continue;
      }
      if (each.admitted() || on.cluster().isGivenUp(each.osd())) {
        given.add(each.component());
      } else {
        waitedFor.add(each.osd());
      }
    }
    // The manager may have marked them itself, under the grant: then the client has an older map.
    boolean mapIsNewer = map.generation() > held.grant().map().generation();
    if (given.isEmpty() && !(mapIsNewer && waitedFor.isEmpty())) {
      throw nothingGivenUp(waitedFor);
    }
    requireUnshared(on, held.grant());
    Attributes file =
        given.isEmpty() ? held.file() : new LostComponents(on).mark(held.file(), given);
    Attributes changed = on.draft().put(file.edit().times(held.changedNow(on)).build());
    return replace(on, held.grant(), changed, held.grant().first());
  }

  /**
   * Another writer of the file died, and what was under way is in order again: the holder goes on,
   * with what it owns, under a grant that is not fenced.
   */
  private MessageLite renew(Execution on, HeldFile held) throws RpcException {
    if (on.grants().awaitsResolve(object)) {
      throw new RpcException(
          ErrorCode.UNAVAILABLE,
          "object "
              + object
              + " is being put in order after another of its writers went away; try again");
    }
    return replace(on, held.grant(), held.file(), on.draft().lsn());
  }

  /** The grant ends and another begins, with what the first one owns. */
  private MessageLite replace(Execution on, WriteGrant grant, Attributes file, Lsn first) {
    ByteRanges owned = on.grants().ranges().of(number);
    on.draft().add(new LiveEffect.GrantClosed(number, object, completeUpTo));
    on.openGrant(file, first, grant.shared());
    if (!owned.isEmpty()) {
      on.draft().add(new LiveEffect.GrantRanges(on.draft().lsn(), object, owned));
    }
    return RegrantReply.newBuilder()
        .setAttributes(AttributesCodec.toShortMessage(file))
        .setGrant(
            grant.shared()
                ? Replies.sharedGrant(on, file, number)
                : Replies.updateGrant(on, file, on.draft().lsn()))
        .build();
  }

  /** What others have under way would have to be resolved first (P 5.5). */
  private void requireUnshared(Execution on, WriteGrant grant) throws RpcException {
    if (!on.grants().isAlone(grant)) {
      throw new RpcException(
          ErrorCode.UNAVAILABLE,
          "object "
              + object
              + " is shared with "
              + (on.grants().of(object).size() - 1)
              + " other writers; it is written without the lost components once they have closed"
              + " it");
    }
  }

  private void requireOf(StorageMap map) throws RpcException {
    for (Lost each : lost) {
      boolean there =
          each.component() >= 0
              && each.component() < map.components().size()
              && map.osdOf(each.component()).equals(each.osd());
      if (!there) {
        throw new RpcException(
            ErrorCode.INVALID_ARGUMENT,
            "component "
                + each.component()
                + " of object "
                + object
                + " is not on OSD "
                + each.osd()
                + ": ask with the components of the map that came with the grant");
      }
    }
  }

  private RpcException nothingGivenUp(List<OsdId> waitedFor) {
    return waitedFor.isEmpty()
        ? new RpcException(
            ErrorCode.INVALID_ARGUMENT,
            "no component of object " + object + " is named that is not missing already")
        : new RpcException(
            ErrorCode.UNAVAILABLE,
            "OSDs "
                + waitedFor
                + " are up as far as SysMgr knows; object "
                + object
                + " is written without them once SysMgr suspects them");
  }
}
