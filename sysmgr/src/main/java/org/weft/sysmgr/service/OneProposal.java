package org.weft.sysmgr.service;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.protocol.error.WeftException;
import org.weft.sysmgr.configuration.command.Command;

/**
 * Proposes commands for one duty of a leader, one at a time. What fails is logged alone, for the
 * duty looks again and proposes what is due then. Confined to the home executor.
 */
final class OneProposal {
  private static final Logger LOG = LoggerFactory.getLogger(OneProposal.class);

  private final Proposals proposals;
  private final String what;
  private boolean underWay;
  private int term;

  /**
   * @param what is to be recorded, as its log says it: {@code the growth of a BladeSet}
   */
  OneProposal(Proposals proposals, String what) {
    this.proposals = proposals;
    this.what = what;
  }

  /** True from {@link #propose} on until its command is applied or has failed. */
  boolean isUnderWay() {
    return underWay;
  }

  /** Proposes a command while none is under way. */
  void propose(Command command) {
    underWay = true;
    int mine = term;
    var unused =
        proposals
            .propose(command)
            .whenComplete(
                (done, failure) -> {
                  if (mine == term) {
                    underWay = false;
                  }
                  if (failure != null) {
                    LOG.info(
                        "{} is not recorded yet, and tried again: {}",
                        what,
                        WeftException.of(failure).getMessage());
                  }
                });
  }

  /** This member leads no more: what it has proposed is another's now. */
  void stepBack() {
    term++;
    underWay = false;
  }
}
