package org.weft.sysmgr.service;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.seam.ReplicatedLog;
import org.weft.protocol.seam.ReplicatedLog.Member;
import org.weft.sysmgr.configuration.ReplicatedConfiguration;
import org.weft.sysmgr.configuration.cluster.MemberChange;
import org.weft.sysmgr.configuration.cluster.SysmgrMembers;
import org.weft.sysmgr.configuration.command.Command;

/**
 * Carries out the change of SysMgr's members that is noted, whichever member leads when. The log
 * replaces its members, then the configuration notes that it is done. A leader that dies in between
 * leaves the note; the next one looks at the log and goes on from there. A change that does not
 * come about in time is given up, and the log's members are what they were. Confined to the home
 * executor.
 */
final class MemberChanges {
  private static final Logger LOG = LoggerFactory.getLogger(MemberChanges.class);
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);
  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final ReplicatedLog log;
  private final Proposals proposals;
  private final ReplicatedConfiguration configuration;
  private final Environment environment;
  private boolean busy;
  private int term;
  private long nonce;
  private long giveUpNanos;
  private long notBeforeNanos;
  private String lastFailure = "";
  private long goneNonce;
  private String goneWhy = "";

  MemberChanges(
      ReplicatedLog log,
      Proposals proposals,
      ReplicatedConfiguration configuration,
      Environment environment) {
    this.log = log;
    this.proposals = proposals;
    this.configuration = configuration;
    this.environment = environment;
  }

  /** This member leads no more: what it has begun is another's now. */
  void stepBack() {
    term++;
    busy = false;
    nonce = 0;
    goneNonce = 0;
  }

  /** What the change under way waits for; empty if nothing has failed. */
  String waitsFor() {
    return lastFailure;
  }

  /**
   * The process that is to be added is gone. Its addition is given up once the log has given it up
   * (P 6.2a.14), unless the log has made it by then. Forgotten when this member leads no more.
   *
   * @param change the nonce of the addition
   */
  void giveUp(long change, String why) {
    goneNonce = change;
    goneWhy = why;
  }

  /** This member leads: takes the next step, if there is one. */
  void tick() {
    List<Member> now = log.members();
    if (busy || now.isEmpty()) {
      return;
    }
    SysmgrMembers known = configuration.current().sysmgr();
    Optional<MemberChange> change = known.change();
    if (change.isPresent()) {
      carryOn(change.get(), now);
    } else if (!known.members().equals(now)) {
      settle(now, 0, "");
    }
  }

  private void carryOn(MemberChange change, List<Member> now) {
    long nowNanos = environment.ticker().nowNanos();
    if (change.nonce() != nonce) {
      nonce = change.nonce();
      giveUpNanos = nowNanos + PATIENCE_NANOS;
      notBeforeNanos = nowNanos;
      lastFailure = "";
    }
    int id = change.member().memberId();
    boolean there = now.stream().anyMatch(each -> each.memberId() == id);
    if (there != change.removal()) {
      settle(now, change.nonce(), "");
    } else if (change.nonce() == goneNonce) {
      settle(now, change.nonce(), "given up, the members are as before: " + goneWhy);
    } else if (nowNanos - giveUpNanos >= 0) {
      settle(
          now,
          change.nonce(),
          "given up after %d s; the members are as before (%s)"
              .formatted(TimeUnit.NANOSECONDS.toSeconds(PATIENCE_NANOS), lastFailure));
    } else if (nowNanos - notBeforeNanos >= 0) {
      replace(now, after(change, now));
    }
  }

  private static List<Member> after(MemberChange change, List<Member> now) {
    List<Member> after = new ArrayList<>(now);
    if (change.removal()) {
      after.removeIf(each -> each.memberId() == change.member().memberId());
    } else {
      after.add(change.member());
      after.sort(Comparator.comparingInt(Member::memberId));
    }
    return after;
  }

  private void replace(List<Member> before, List<Member> after) {
    LOG.info("SysMgr members: {} become {}", before, after);
    busy = true;
    int mine = term;
    var unused =
        proposals
            .replaceMembers(before, after)
            .whenComplete(
                (done, failure) -> {
                  if (mine != term) {
                    return;
                  }
                  busy = false;
                  if (failure != null) {
                    lastFailure = WeftException.of(failure).getMessage();
                    notBeforeNanos = environment.ticker().nowNanos() + PAUSE_NANOS;
                    LOG.warn("the members are as before: {}", lastFailure);
                  }
                });
  }

  private void settle(List<Member> now, long ended, String failure) {
    if (!failure.isEmpty()) {
      LOG.warn("a change of SysMgr's members is {}", failure);
    }
    busy = true;
    int mine = term;
    var unused =
        proposals
            .propose(
                new Command.SettleMembers(now, ended, failure, environment.clock().nowMillis()))
            .whenComplete(
                (done, refusal) -> {
                  if (mine == term) {
                    busy = false;
                  }
                  if (refusal != null) {
                    LOG.info("members not noted yet: {}", WeftException.of(refusal).getMessage());
                  }
                });
  }
}
