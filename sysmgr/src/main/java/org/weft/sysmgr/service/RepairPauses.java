package org.weft.sysmgr.service;

import com.google.protobuf.MessageLite;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.rpc.InboundRequest;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.wire.PauseRepairsReply;
import org.weft.protocol.wire.PauseRepairsRequest;
import org.weft.protocol.wire.RepairPauseRow;
import org.weft.sysmgr.configuration.ReplicatedConfiguration;
import org.weft.sysmgr.configuration.command.Command;
import org.weft.sysmgr.configuration.state.RepairPause;
import org.weft.sysmgr.service.intake.ReportLimits;

/**
 * PAUSE_REPAIRS, and the end of a pause whose time is over by the leader's wall clock (P 6.8). What
 * is in force is in the configuration alone, so the next leader ends it. Confined to the home
 * executor.
 */
final class RepairPauses {
  private static final Logger LOG = LoggerFactory.getLogger(RepairPauses.class);

  private final Leadership leadership;
  private final Proposals proposals;
  private final OneProposal proposal;
  private final ReplicatedConfiguration configuration;
  private final Environment environment;
  private final Administrators authority;

  RepairPauses(
      Leadership leadership,
      Proposals proposals,
      ReplicatedConfiguration configuration,
      Environment environment) {
    this.leadership = leadership;
    this.proposals = proposals;
    this.proposal = new OneProposal(proposals, "the end of a pause of repairs");
    this.configuration = configuration;
    this.environment = environment;
    this.authority = new Administrators(configuration);
  }

  /** Answered when the wish is recorded, with the pause that is in force then. */
  CompletionStage<? extends MessageLite> change(InboundRequest request) throws WeftException {
    leadership.require();
    PauseRepairsRequest wanted = request.parse(PauseRepairsRequest.parser());
    authority.require("pause rebuilds", wanted.getUser(), wanted.getGroupsList());
    Command command =
        wanted.getResume()
            ? new Command.ResumeRepairs(Command.ResumeRepairs.ANY)
            : new Command.PauseRepairs(
                ReportLimits.sentence(wanted.getReason()),
                wanted.getUser(),
                environment.clock().nowMillis(),
                wanted.getForMillis() == 0 ? RepairPause.DEFAULT_MILLIS : wanted.getForMillis());
    return proposals.propose(command, wanted.getUser()).thenApply(done -> reply());
  }

  private PauseRepairsReply reply() {
    PauseRepairsReply.Builder reply = PauseRepairsReply.newBuilder();
    pause().ifPresent(pause -> reply.setPause(row(pause)));
    return reply.build();
  }

  private Optional<RepairPause> pause() {
    return configuration.current().history().placement().repairPause();
  }

  static RepairPauseRow row(RepairPause pause) {
    return RepairPauseRow.newBuilder()
        .setReason(pause.reason())
        .setUser(pause.user())
        .setSinceMillis(pause.sinceMillis())
        .setEndMillis(pause.endMillis())
        .build();
  }

  /** This member leads no more. */
  void stepBack() {
    proposal.stepBack();
  }

  /** This member leads: ends the pause if its time is over. */
  void tick() {
    long nowMillis = environment.clock().nowMillis();
    Optional<RepairPause> over = pause().filter(pause -> nowMillis >= pause.endMillis());
    if (proposal.isUnderWay() || over.isEmpty()) {
      return;
    }
    LOG.info("rebuilds and drains go on: the time of their pause is over");
    proposal.propose(new Command.ResumeRepairs(over.get().endMillis()));
  }
}
