package org.weft.sysmgr.replication.ratis;

import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.apache.ratis.conf.Parameters;
import org.apache.ratis.grpc.GrpcFactory;
import org.apache.ratis.rpc.RpcFactory;
import org.apache.ratis.rpc.RpcType;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.leader.FollowerInfo;
import org.apache.ratis.server.leader.LeaderState;
import org.apache.ratis.server.leader.LogAppender;

/**
 * Has Ratis look at a process that is being added, twice a second (P 6.2a.13). By itself a leader
 * looks when the process has answered, or when nothing was committed for as long as an election may
 * take. In a log that is written all the time, it would never find out that the process is gone.
 * The addition would neither be made nor fail.
 *
 * <p>Nothing is decided here: Ratis counts since when the process has said nothing, and gives the
 * addition up. Thread-safe. Has a thread while something is added.
 */
final class CandidateLooks implements AutoCloseable {
  private static final String KEY = "weft.candidate-looks";
  private static final long LOOK_MILLIS = 500;

  private final ScheduledThreadPoolExecutor looks;

  CandidateLooks(int memberId) {
    looks =
        new ScheduledThreadPoolExecutor(
            1, MemberConnections.named("weft-member-" + memberId + "-candidates"));
    looks.setKeepAliveTime(LOOK_MILLIS, TimeUnit.MILLISECONDS);
    looks.allowCoreThreadTimeOut(true);
    looks.setRemoveOnCancelPolicy(true);
  }

  /** A server that is built with these tells this one of its appenders. */
  void in(Parameters parameters) {
    Object unused = parameters.put(KEY, this, CandidateLooks.class);
  }

  private void appends(LogAppender appender) {
    if (isAdded(appender)) {
      Look look = new Look(appender);
      look.itself =
          looks.scheduleWithFixedDelay(look, LOOK_MILLIS, LOOK_MILLIS, TimeUnit.MILLISECONDS);
    }
  }

  private static boolean isAdded(LogAppender appender) {
    return appender.getLeaderState().isFollowerBootstrapping(appender.getFollower());
  }

  @Override
  public void close() {
    var unused = looks.shutdownNow();
  }

  /** At one process, until it is added, the addition has failed, or this member leads no more. */
  private static final class Look implements Runnable {
    private final LogAppender appender;
    private volatile Future<?> itself;

    private Look(LogAppender appender) {
      this.appender = appender;
    }

    @Override
    public void run() {
      if (appender.isRunning() && isAdded(appender)) {
        // Of a process that is being added, Ratis takes this as: look how far it is.
        appender.getLeaderState().onFollowerSuccessAppendEntries(appender.getFollower());
      } else if (itself != null) {
        boolean unused = itself.cancel(false);
      }
    }
  }

  /** Ratis' own transport; made by Ratis, by its name ({@link RatisSettings}). */
  static final class WatchedGrpc implements RpcType {
    WatchedGrpc() {}

    @Override
    public String name() {
      return WatchedGrpc.class.getName();
    }

    @Override
    public RpcFactory newFactory(Parameters parameters) {
      CandidateLooks told = parameters.getNonNull(KEY, CandidateLooks.class);
      return new GrpcFactory(parameters) {
        @Override
        public LogAppender newLogAppender(
            RaftServer.Division server, LeaderState state, FollowerInfo follower) {
          LogAppender appender = super.newLogAppender(server, state, follower);
          told.appends(appender);
          return appender;
        }
      };
    }
  }
}
