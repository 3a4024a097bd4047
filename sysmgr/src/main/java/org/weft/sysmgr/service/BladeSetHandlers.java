package org.weft.sysmgr.service;

import com.google.protobuf.MessageLite;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CompletionStage;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.FaultDomain;
import org.weft.protocol.rpc.InboundRequest;
import org.weft.protocol.wire.ChangeBladeSetRequest;
import org.weft.sysmgr.bladeset.BladeSetChange;
import org.weft.sysmgr.configuration.ReplicatedConfiguration;
import org.weft.sysmgr.configuration.command.Command;
import org.weft.sysmgr.configuration.node.NodeKey;
import org.weft.sysmgr.configuration.node.OsdNode;
import org.weft.sysmgr.configuration.state.Configuration;
import org.weft.sysmgr.liveness.HeartbeatTable;
import org.weft.sysmgr.liveness.NodeReport;
import org.weft.sysmgr.service.intake.ReportLimits;

/**
 * CHANGE_BLADE_SET, which people ask for. Answered when the change is durable in the log; a repeat
 * changes nothing.
 */
final class BladeSetHandlers {
  private static final int MAX_OSDS = 1_024;

  private final Leadership leadership;
  private final Proposals proposals;
  private final ReplicatedConfiguration configuration;
  private final HeartbeatTable heartbeats;
  private final Administrators authority;

  BladeSetHandlers(
      Leadership leadership,
      Proposals proposals,
      ReplicatedConfiguration configuration,
      HeartbeatTable heartbeats) {
    this.leadership = leadership;
    this.proposals = proposals;
    this.configuration = configuration;
    this.heartbeats = heartbeats;
    this.authority = new Administrators(configuration);
  }

  CompletionStage<? extends MessageLite> change(InboundRequest request) throws WeftException {
    leadership.require();
    ChangeBladeSetRequest wanted = request.parse(ChangeBladeSetRequest.parser());
    authority.require("change BladeSets", wanted.getUser(), wanted.getGroupsList());
    return proposals.record(new Command.ChangeBladeSet(change(wanted)), wanted.getUser());
  }

  private BladeSetChange change(ChangeBladeSetRequest wanted) throws WeftException {
    String name = ReportLimits.sentence(wanted.getName());
    return switch (wanted.getChangeCase()) {
      case CREATE -> new BladeSetChange.Create(name, wish(wanted.getCreateValue()));
      case DELETE -> new BladeSetChange.Delete(name);
      case SET_DOMAIN -> new BladeSetChange.SetDomain(name, wish(wanted.getSetDomainValue()));
      case MERGE_INTO ->
          new BladeSetChange.Merge(name, ReportLimits.sentence(wanted.getMergeInto()));
      case GROW -> grow(name, wanted.getGrow().getOsdIdList());
      case CHANGE_NOT_SET ->
          throw new WeftException(
              ErrorCode.INVALID_ARGUMENT,
              "a change of BladeSet " + name + " that this release does not know");
    };
  }

  private static FaultDomain.Wish wish(int number) throws WeftException {
    if (number < 0 || number >= FaultDomain.Wish.values().length) {
      throw new WeftException(
          ErrorCode.INVALID_ARGUMENT,
          "a fault domain is one of " + String.join(", ", FaultDomain.Wish.words()));
    }
    return FaultDomain.Wish.ofNumber(number);
  }

  private BladeSetChange grow(String name, List<Integer> ids) throws WeftException {
    if (ids.isEmpty() || ids.size() > MAX_OSDS) {
      throw new WeftException(
          ErrorCode.INVALID_ARGUMENT,
          "a BladeSet grows by 1 to " + MAX_OSDS + " OSDs at a time, got " + ids.size());
    }
    SortedSet<OsdId> osds = new TreeSet<>();
    for (int id : ids) {
      if (id < 1) {
        throw new WeftException(ErrorCode.INVALID_ARGUMENT, "OSDs count from 1, got " + id);
      }
      OsdId osd = new OsdId(id);
      requireFree(osd, name);
      osds.add(osd);
    }
    return new BladeSetChange.Grow(name, osds);
  }

  /** What an OSD holds is moved only if people say so: by `weft osd drain`. */
  private void requireFree(OsdId id, String name) throws WeftException {
    Configuration state = configuration.current();
    OsdNode osd = state.osds().get(id);
    if (osd == null
        || osd.bladeSet().equals(name)
        || state.history().placement().drainingOsds().contains(id)
        || state.volumes().values().stream()
            .noneMatch(each -> each.bladeSet().equals(osd.bladeSet()))) {
      return;
    }
    Optional<NodeReport> report = heartbeats.report(NodeKey.of(id));
    if (report.isEmpty()) {
      throw new WeftException(
          ErrorCode.UNAVAILABLE, "osd-" + id + " has not said yet what it holds; try again");
    }
    if (report.get().objects() > 0) {
      throw new WeftException(
          ErrorCode.INVALID_ARGUMENT,
          "osd-%s holds %d objects of volumes in BladeSet %s; drain it first (weft osd drain osd-%s), then ask again"
              .formatted(id, report.get().objects(), osd.bladeSet(), id));
    }
  }
}
