package org.weft.nfs.daemon;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.client.cluster.NfsAdmin;
import org.weft.nfs.exports.Export;
import org.weft.nfs.exports.ExportTable;
import org.weft.nfs.exports.HandleCodec;
import org.weft.nfs.exports.HostIdentities;
import org.weft.nfs.exports.Identities;
import org.weft.nfs.exports.Memberships;
import org.weft.nfs.exports.NumberTable;
import org.weft.nfs.exports.Policy;
import org.weft.nfs.files.FileException;
import org.weft.nfs.host.HostTable;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.seam.Scheduler;
import org.weft.protocol.wire.NfsGatewayReply;
import org.weft.protocol.wire.NfsGatewayRequest;

/**
 * Follows the exports of SysMgr. It asks SysMgr twice a second, and reports that the gateway is
 * there. While SysMgr does not answer, the last policy stays in force.
 *
 * <p>{@link #policy} may be called by any thread; everything else is of the home executor.
 */
final class PolicyWatch {
  private static final Logger LOG = LoggerFactory.getLogger(PolicyWatch.class);
  private static final long PERIOD_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private final NfsAdmin admin;
  private final byte[] joinSecret;
  private final Supplier<NfsGatewayRequest.Builder> says;
  private final Consumer<NfsGatewayReply> heard;
  private final ExportRoots.Finder finder;
  private final HostTable host;
  private final boolean hostIds;
  private final Environment environment;
  private final Executor home;
  private final ExportRoots roots = new ExportRoots();
  private final CompletableFuture<Void> known = new CompletableFuture<>();
  private final CompletableFuture<Void> found = new CompletableFuture<>();
  private volatile Policy policy = Policy.NOTHING;
  private long version;
  private Optional<HandleCodec> handles = Optional.empty();
  private List<Export> exports = List.of();
  private Identities identities = Policy.NOTHING.identities();
  private Memberships memberships = Memberships.NONE;
  private String superuser = "";
  private boolean reachable = true;
  private boolean closed;
  private Scheduler.Timer timer = () -> {};

  /**
   * @param says what the gateway tells of itself each time
   * @param heard receives each answer
   * @param finder looks up the directory of an export
   * @param host knows groups of users that the cluster's table does not name
   * @param hostIds it knows names and numbers, too
   */
  PolicyWatch(
      NfsAdmin admin,
      byte[] joinSecret,
      Supplier<NfsGatewayRequest.Builder> says,
      Consumer<NfsGatewayReply> heard,
      ExportRoots.Finder finder,
      HostTable host,
      boolean hostIds,
      Environment environment,
      Executor home) {
    this.admin = admin;
    this.joinSecret = joinSecret;
    this.says = says;
    this.heard = heard;
    this.finder = finder;
    this.host = host;
    this.hostIds = hostIds;
    this.environment = environment;
    this.home = home;
  }

  /** What is in force. */
  Policy policy() {
    return policy;
  }

  /** Begins to ask. */
  void start() {
    home.execute(this::ask);
  }

  /** Completes when SysMgr has answered; fails if it refuses this gateway for good. */
  CompletionStage<Void> known() {
    return known;
  }

  /** Completes when each export of the first answer was found, or is known to be missing. */
  CompletionStage<Void> found() {
    return found;
  }

  private void ask() {
    if (closed) {
      return;
    }
    NfsGatewayRequest.Builder said =
        says.get().setKnownVersion(version).setInForce(policy.version());
    roots.problems().forEach(said::addProblems);
    var unused = admin.report(said.build(), joinSecret).whenCompleteAsync(this::answered, home);
  }

  private void answered(NfsGatewayReply reply, Throwable failure) {
    if (failure == null) {
      try {
        take(reply);
        heard.accept(reply);
        known.complete(null);
      } catch (RuntimeException e) {
        // What is in force stays; the same is asked for again.
        LOG.error("what SysMgr says of the exports is of no use", e);
      }
    } else {
      WeftException refusal = WeftException.of(failure);
      note(refusal);
      if (refusal.code().isLasting()) {
        known.completeExceptionally(refusal);
      }
    }
    reachable = failure == null;
    look();
    if (!closed) {
      timer = environment.scheduler().schedule(PERIOD_NANOS, home, this::ask);
    }
  }

  private void note(WeftException refusal) {
    if (reachable) {
      LOG.warn(
          "SysMgr was not asked for exports, version {} stays in force: {}",
          version,
          refusal.getMessage());
    }
  }

  private void take(NfsGatewayReply reply) {
    // A member that led until a moment ago may know less.
    if (!reply.hasTable() || Long.compareUnsigned(reply.getTable().getVersion(), version) < 0) {
      return;
    }
    Optional<HandleCodec> newHandles = PolicyCodec.handles(reply);
    List<Export> newExports = PolicyCodec.exports(reply.getTable());
    NumberTable numbers = PolicyCodec.identities(reply.getTable(), reply.getSuperuser());
    identities = hostIds ? new HostIdentities(numbers, host) : numbers;
    memberships = new Memberships(PolicyCodec.members(reply.getTable()), Optional.of(host));
    superuser = reply.getSuperuser();
    handles = newHandles;
    exports = newExports;
    version = reply.getTable().getVersion();
    LOG.info("version {} of the exports is in force, {} exports", version, exports.size());
    publish();
  }

  /** New rules count at once; they are wholly in force when it is known where all paths lead. */
  private void publish() {
    boolean whole = roots.allTried(exports);
    policy =
        new Policy(
            whole ? version : policy.version(),
            handles,
            new ExportTable(roots.known(exports)),
            identities,
            memberships,
            superuser);
    if (known.isDone() && whole) {
      found.complete(null);
    }
  }

  private void look() {
    for (ExportRoots.Question question : roots.due(exports, environment.ticker().nowNanos())) {
      var unused =
          finder
              .apply(question.path())
              .whenCompleteAsync(
                  (root, failure) -> {
                    long now = environment.ticker().nowNanos();
                    if (failure == null) {
                      roots.found(question.path(), root, now);
                    } else {
                      roots.failed(question.path(), FileException.of(failure), now);
                    }
                    publish();
                  },
                  home);
    }
    publish();
  }

  /** Asks no more, and says good-bye. Completes when SysMgr knows, or does not answer. */
  CompletableFuture<Void> leave() {
    CompletableFuture<Void> left = new CompletableFuture<>();
    home.execute(
        () -> {
          closed = true;
          timer.cancel();
          var unused =
              admin
                  .report(says.get().setKnownVersion(version).setLeaving(true).build(), joinSecret)
                  .whenComplete((reply, failure) -> left.complete(null));
        });
    return left;
  }
}
