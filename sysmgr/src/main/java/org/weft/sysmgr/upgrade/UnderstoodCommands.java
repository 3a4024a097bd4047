package org.weft.sysmgr.upgrade;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.rpc.RpcReply;
import org.weft.protocol.rpc.RpcRequest;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.seam.OneCall;
import org.weft.protocol.seam.ReplicatedLog;
import org.weft.protocol.seam.ReplicatedLog.Member;
import org.weft.protocol.seam.ReplicatedLog.Progress;
import org.weft.protocol.wire.MemberStateReply;
import org.weft.protocol.wire.MemberStateRequest;
import org.weft.sysmgr.configuration.ReplicatedConfiguration;
import org.weft.sysmgr.configuration.stored.CommandNumbers;

/**
 * Which commands of the log the other members understand, as they have told this leader (P
 * 6.8.151). A member of an older release stops for ever at a command that it does not understand.
 * Two of three members that stop leave no majority. So such a command is refused before it reaches
 * the log.
 *
 * <p>A member that is down, or does not answer, counts as what it said last. An upgrade of the
 * others does not wait for it, and a member does not become older while it is down. Of a member
 * that has said nothing since this member began to lead nothing is known. The leader before may
 * have known it as an older one. What was not used before is refused then, with UNAVAILABLE. A
 * command whose number stands in the log already is not refused. Every member meets that number
 * there, whatever its release. A pause of rebuilds would otherwise have no end while a member is
 * down.
 *
 * <p>Nothing of this is durable but the number that stands in the log. Confined to the home
 * executor.
 */
public final class UnderstoodCommands {
  private static final Logger LOG = LoggerFactory.getLogger(UnderstoodCommands.class);
  private static final int CALL_MILLIS = 2_000;
  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final class Answers {
    private boolean asking;
    private OptionalInt number = OptionalInt.empty();
    private long nextNanos;

    private Answers(long nextNanos) {
      this.nextNanos = nextNanos;
    }
  }

  private final ReplicatedLog log;
  private final ReplicatedConfiguration configuration;
  private final Environment environment;
  private final Executor home;
  private Map<Member, Answers> answers = new HashMap<>();

  /** Of this member. */
  public UnderstoodCommands(
      ReplicatedLog log,
      ReplicatedConfiguration configuration,
      Environment environment,
      Executor home) {
    this.log = log;
    this.configuration = configuration;
    this.environment = environment;
    this.home = home;
  }

  /** This member leads no more. What is under way is dropped. */
  public void stepBack() {
    answers = new HashMap<>();
  }

  /** This member leads: asks each of the others every second, one question at a time. */
  public void tick() {
    long nowNanos = environment.ticker().nowNanos();
    List<Member> others = others();
    answers.keySet().retainAll(others);
    for (Member other : others) {
      Answers known = answers.computeIfAbsent(other, each -> new Answers(nowNanos));
      if (!known.asking && nowNanos - known.nextNanos >= 0) {
        ask(other, known);
      }
    }
  }

  /** By their numbers: an address is taken by another process, a number never. */
  private List<Member> others() {
    List<Integer> ids = log.progress().stream().map(Progress::memberId).toList();
    return log.members().stream().filter(each -> ids.contains(each.memberId())).toList();
  }

  private void ask(Member other, Answers known) {
    known.asking = true;
    RpcRequest request =
        RpcRequest.unsigned(
            Opcode.MEMBER_STATE, MemberStateRequest.getDefaultInstance(), CALL_MILLIS);
    var unused =
        OneCall.ask(environment.transport(), other.rpc(), "sysmgr", CALL_MILLIS, request)
            .thenApply(reply -> number(other, reply))
            .whenCompleteAsync(
                (number, failure) -> {
                  known.asking = false;
                  known.nextNanos = environment.ticker().nowNanos() + PAUSE_NANOS;
                  if (failure == null) {
                    said(other, known, number);
                  } else if (WeftException.of(failure).code() == ErrorCode.UNSUPPORTED) {
                    // It is there, and of a release that does not know the question.
                    said(other, known, CommandNumbers.OLDEST);
                  }
                },
                home);
  }

  private static int number(Member other, RpcReply reply) {
    try {
      MemberStateReply state = reply.parse(MemberStateReply.parser());
      if (state.getMemberId() != other.memberId()) {
        throw new WeftException(
            ErrorCode.UNAVAILABLE,
            "SysMgr member " + state.getMemberId() + " is at " + other.rpc());
      }
      return state.getCommands();
    } catch (WeftException e) {
      throw new CompletionException(e);
    }
  }

  private static void said(Member other, Answers known, int number) {
    if (!known.number.equals(OptionalInt.of(number))) {
      LOG.info(
          "SysMgr member {} understands commands up to {}, this one up to {}",
          other.memberId(),
          number,
          CommandNumbers.NEWEST);
    }
    known.number = OptionalInt.of(number);
  }

  /**
   * Refuses a command of that number unless all members understand it.
   *
   * @throws WeftException UNSUPPORTED where one does not, UNAVAILABLE where it is not known yet
   */
  public void require(int number) throws WeftException {
    if (number == CommandNumbers.OLDEST) {
      return;
    }
    List<Member> others = others();
    if (others.size() != log.members().size() - 1) {
      throw new WeftException(
          ErrorCode.UNAVAILABLE, "SysMgr's members are not known at this moment; try again");
    }
    boolean isUsed = number <= configuration.current().sysmgr().commandsUsed();
    for (Member other : others) {
      Answers known = answers.get(other);
      OptionalInt said = known == null ? OptionalInt.empty() : known.number;
      if (said.isPresent() && said.getAsInt() < number) {
        throw older(other);
      }
      if (said.isEmpty() && !isUsed) {
        throw silent(other);
      }
    }
  }

  private static WeftException older(Member other) {
    return new WeftException(
        ErrorCode.UNSUPPORTED,
        "SysMgr member %d at %s runs an older release, which would stop at this for ever; nothing was changed. Upgrade that member first, or remove it if it is gone; then retry"
            .formatted(other.memberId(), other.rpc()));
  }

  private static WeftException silent(Member other) {
    return new WeftException(
        ErrorCode.UNAVAILABLE,
        "SysMgr member %d at %s has not told this leader yet what its release understands; an older one would stop at this for ever, so nothing was changed. Try again; if that member is down, start it, or remove it: weft sysmgr member remove %d"
            .formatted(other.memberId(), other.rpc(), other.memberId()));
  }
}
