package org.weft.metadata.volume;

import com.google.protobuf.MessageLite;
import java.util.Collections;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import org.weft.metadata.attributes.Attributes;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.StorageMap;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.RpcException;
import org.weft.protocol.wire.Empty;

/**
 * The manager's own: OSDs whose machines went down may have lost what they took last of a file, so
 * that their components are missing from now on (P 5.9). Where the code does not bear that, nothing
 * is given up: the components are taken as they are, and the file is resolved. All OSDs that lost
 * writes are decided of at once.
 *
 * <p>Answers with the file's attributes if it is taken as it is, else with nothing.
 *
 * @param map of a grant under which the file was written
 * @param counted OSDs that lost power and of which it is known which others did so with them
 */
public record GiveUpLosses(ObjectId object, StorageMap map, SortedSet<OsdId> counted)
    implements Operation {
  public GiveUpLosses {
    Objects.requireNonNull(object, "object");
    Objects.requireNonNull(map, "map");
    counted = Collections.unmodifiableSortedSet(new TreeSet<>(counted));
  }

  @Override
  public MessageLite execute(Execution on) throws NotCached, RpcException {
    if (!on.unsettled().isUnsettled(object) && on.grants().find(object).isEmpty()) {
      // Removed since it was listed.
      return Empty.getDefaultInstance();
    }
    Attributes file = find(on);
    PowerLosses losses = new PowerLosses(on, object);
    requireCounted(losses, file.map());
    Optional<SortedSet<OsdId>> asTheyAre = losses.decide(file);
    return asTheyAre.isEmpty() ? Empty.getDefaultInstance() : Replies.attributes(file);
  }

  private void requireCounted(PowerLosses losses, StorageMap now) throws RpcException {
    for (int component : losses.undecidedIn(now)) {
      OsdId osd = now.osdOf(component);
      if (!counted.contains(osd)) {
        throw new RpcException(
            ErrorCode.UNAVAILABLE,
            "OSD " + osd + " lost power too; it is found out first which others did with it");
      }
    }
  }

  /**
   * The file is there, for nothing has removed it: where nobody answers for it, its attributes are
   * out of reach, and what it may have lost is decided later.
   */
  private Attributes find(Execution on) throws NotCached, RpcException {
    try {
      return on.view()
          .attributes(object, map.attributeHolders(on.settings().metaCopies()), "object " + object);
    } catch (RpcException e) {
      if (e.code() == ErrorCode.NOT_FOUND) {
        throw new RpcException(
            ErrorCode.UNAVAILABLE,
            "no OSD that has the attributes of object "
                + object
                + " answers now; what it may have lost with OSDs that went down is decided when one"
                + " does",
            e);
      }
      throw e;
    }
  }
}
