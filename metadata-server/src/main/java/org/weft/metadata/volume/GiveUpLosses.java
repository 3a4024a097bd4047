package org.weft.metadata.volume;

import com.google.protobuf.MessageLite;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.weft.metadata.attributes.Attributes;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.layout.StorageMap;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.RpcException;
import org.weft.protocol.wire.Empty;

/**
 * The manager's own: an OSD whose machine went down may have lost what it took last of a file, so
 * its component is missing from now on (P 5.9). Where the code does not bear that, together with
 * what other OSDs lost at the same time, nothing is given up: the components are taken as they are.
 * What of the file waits to be resolved is resolved without the component.
 *
 * @param map of the grant under which the file was written
 * @param osd that went down
 * @param lossy all OSDs that lost writes and were not compared yet, that one included
 */
public record GiveUpLosses(ObjectId object, StorageMap map, OsdId osd, Set<OsdId> lossy)
    implements Operation {
  public GiveUpLosses {
    Objects.requireNonNull(object, "object");
    Objects.requireNonNull(map, "map");
    Objects.requireNonNull(osd, "osd");
    lossy = Set.copyOf(lossy);
  }

  /**
   * @throws RpcException TOO_MANY_LOST if more are lost than the code bears: they are taken as they
   *     are
   */
  @Override
  public MessageLite execute(Execution on) throws NotCached, RpcException {
    if (!on.unsettled().isUnsettled(object) && on.grants().find(object).isEmpty()) {
      // Removed since it was listed.
      return Empty.getDefaultInstance();
    }
    Attributes file = find(on);
    List<Integer> lost = presentOn(file.map());
    if (lost.isEmpty()) {
      return Empty.getDefaultInstance();
    }
    requireFewLosses(file);
    new LostComponents(on).mark(file, lost);
    return Empty.getDefaultInstance();
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
                + " answers now; what it may have lost on OSD "
                + osd
                + " is decided when one does",
            e);
      }
      throw e;
    }
  }

  private List<Integer> presentOn(StorageMap now) {
    List<Integer> components = new ArrayList<>();
    for (int component = 0; component < now.components().size(); component++) {
      if (!now.isMissing(component) && now.osdOf(component).equals(osd)) {
        components.add(component);
      }
    }
    return components;
  }

  private void requireFewLosses(Attributes file) throws RpcException {
    Layout layout = file.map().layout();
    for (int group = 0; group < layout.groups(); group++) {
      Set<OsdId> lost = new TreeSet<>();
      for (int each = group * layout.width(); each < (group + 1) * layout.width(); each++) {
        OsdId holder = file.map().osdOf(each);
        if (file.map().isMissing(each) || lossy.contains(holder)) {
          lost.add(holder);
        }
      }
      if (lost.size() > layout.parityUnits()) {
        throw new RpcException(
            ErrorCode.TOO_MANY_LOST,
            "object "
                + object
                + " ("
                + file.parent().name()
                + ") may lack what was written last: OSDs "
                + lost
                + " lost writes at the same time, and its code bears the loss of "
                + layout.parityUnits()
                + "; what they hold is taken as it is, check the file's content");
      }
    }
  }
}
