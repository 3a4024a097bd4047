package org.weft.metadata.volume.operation.grant;

import com.google.protobuf.MessageLite;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.SortedSet;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.attributes.AttributesCodec;
import org.weft.metadata.grant.WriteGrant;
import org.weft.metadata.journal.LiveEffect;
import org.weft.metadata.volume.execution.Execution;
import org.weft.metadata.volume.execution.Operation;
import org.weft.metadata.volume.operation.GrantStart;
import org.weft.metadata.volume.operation.HeldFile;
import org.weft.metadata.volume.operation.LostComponents;
import org.weft.metadata.volume.operation.PowerLosses;
import org.weft.metadata.volume.operation.Replies;
import org.weft.metadata.volume.state.NeedsInput;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.OwnedStripes;
import org.weft.protocol.layout.StorageMap;
import org.weft.protocol.wire.RegrantReply;

/**
 * A writer lost components and goes on without them (P 5.8). SysMgr or the OSD itself says which
 * are lost. A timeout of the client is not proof of loss: two clients with different views could
 * each write around an OSD that the other uses.
 *
 * <p>One record marks the components missing in the next generation of the map, closes the grant to
 * writes, and remembers what is to be rebuilt. Pending writes are then resolved (P 5.5), as after
 * the writer's death, but on behalf of the living writer. When the client asks again afterwards, a
 * second record ends the old grant and opens the new one. A client that dies in between leaves its
 * grant to be resolved like any other.
 *
 * <p>A writer that has lost nothing may ask, too. The create floor has then passed its grant, and
 * it needs a component that is not there yet (P 6.6).
 *
 * <p>UNAVAILABLE while none of them is given up, and while the file is being resolved: the client
 * asks again under the same number. BUSY if it is without patience (P 6.4.9): under the next one.
 *
 * @param publishedBytes the largest length that was published under the grant, if one was. What
 *     comes after is not kept, since the writer may have to wait here for long
 */
public record Regrant(
    ObjectId object, Lsn number, List<Lost> lost, long completeUpTo, OptionalLong publishedBytes)
    implements Operation {
  /**
   * A component that the client could not write to.
   *
   * @param error how it failed
   */
  public record Lost(int component, OsdId osd, ErrorCode error) {
    /**
     * The OSD says itself that the component cannot be relied on. A quarantine that the client met
     * earlier does not show the present state.
     */
    boolean admitted() {
      return error.isOfMedium();
    }
  }

  public Regrant {
    lost = List.copyOf(lost);
  }

  @Override
  public MessageLite execute(Execution on) throws NeedsInput, WeftException {
    HeldFile held = HeldFile.requireSaying(on, object, number, publishedBytes, completeUpTo);
    StorageMap map = held.file().map();
    requireOf(map);
    PowerLosses losses = new PowerLosses(on, object);
    requireDecided(map, losses);
    List<Integer> given = new ArrayList<>();
    List<OsdId> waitedFor = new ArrayList<>();
    for (Lost each : lost) {
      if (map.isMissing(each.component())) {
        continue;
      }
      boolean isBack = losses.isTakenAsItIs(each.osd());
      if (each.admitted() || on.cluster().isGivenUp(each.osd()) && !isBack) {
        given.add(each.component());
      } else {
        waitedFor.add(each.osd());
      }
    }
    if (!given.isEmpty()) {
      // None of the others is taken as it is: then this grant would be at its end (PowerLosses).
      Attributes lessened = new LostComponents(on).mark(held.file(), given);
      return close(on, held, lessened);
    }
    return switch (held.grant().state()) {
      case HELD -> {
        // The manager may have marked them itself: then the client has an older map.
        boolean mapIsNewer = map.generation() > held.grant().map().generation();
        boolean isPassed = number.compareTo(on.counters().createFloor()) < 0;
        if (!mapIsNewer && !isPassed || !waitedFor.isEmpty()) {
          throw nothingGivenUp(waitedFor);
        }
        yield close(on, held, held.file());
      }
      case SUPERSEDED -> {
        if (on.grants().awaitsResolve(object)) {
          throw WriteGrant.beingResolved(object);
        }
        yield replace(on, held);
      }
      case RENEWING, RESOLVING -> throw WriteGrant.beingResolved(object);
    };
  }

  /**
   * What OSDs have lost with their power is decided of all of them together, and not here. One
   * after another they may be more than the code bears (P 5.9).
   */
  private void requireDecided(StorageMap map, PowerLosses losses) throws WeftException {
    SortedSet<Integer> undecided = losses.undecidedIn(map);
    if (!undecided.isEmpty()) {
      throw new WeftException(
          ErrorCode.UNAVAILABLE,
          "what OSDs "
              + undecided.stream().map(map::osdOf).toList()
              + " lost of object "
              + object
              + " when their machines went down is being decided; try again");
    }
  }

  /** Nothing is written under the grant any more; what it left pending is resolved. */
  private MessageLite close(Execution on, HeldFile held, Attributes file) {
    Attributes changed =
        on.draft().put(file.edit().unwritten(false).times(held.changedNow(on)).build());
    on.draft().add(new LiveEffect.GrantResolving(number, object, true));
    on.draft().add(new LiveEffect.GrantMoved(number, object, file.map()));
    return RegrantReply.newBuilder()
        .setAttributes(AttributesCodec.toShortMessage(changed))
        .setBeingResolved(true)
        .build();
  }

  /** The grant ends and another begins, with what the first one owns. */
  private MessageLite replace(Execution on, HeldFile held) {
    WriteGrant grant = held.grant();
    Attributes file = held.file();
    OwnedStripes owned = on.grants().ranges().of(number);
    on.draft().add(new LiveEffect.GrantClosed(number, object, completeUpTo));
    new GrantStart(on).open(file, on.draft().lsn(), grant.shared());
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

  private void requireOf(StorageMap map) throws WeftException {
    for (Lost each : lost) {
      boolean there =
          each.component() >= 0
              && each.component() < map.components().size()
              && map.osdOf(each.component()).equals(each.osd());
      if (!there) {
        throw new WeftException(
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

  private WeftException nothingGivenUp(List<OsdId> waitedFor) {
    return waitedFor.isEmpty()
        ? new WeftException(
            ErrorCode.INVALID_ARGUMENT,
            "no component of object " + object + " is named that is not missing already")
        : new WeftException(
            ErrorCode.UNAVAILABLE,
            "OSDs "
                + waitedFor
                + " are up as far as SysMgr knows, or will soon be; object "
                + object
                + " is written without them once SysMgr has given them up");
  }
}
