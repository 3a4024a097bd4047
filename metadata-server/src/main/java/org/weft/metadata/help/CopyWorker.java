package org.weft.metadata.help;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.client.osd.OsdFailure;
import org.weft.client.stripe.StripeEngine;
import org.weft.protocol.capability.SignedCapability;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.rpc.InboundRequest;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.seam.Scheduler.OwnedExecutor;
import org.weft.protocol.seam.Scheduler.Timer;
import org.weft.protocol.wire.Empty;
import org.weft.protocol.wire.EndShareRequest;
import org.weft.protocol.wire.ShareIdentity;
import org.weft.protocol.wire.ShareState;
import org.weft.protocol.wire.StartShareRequest;
import org.weft.protocol.wire.WatchShareRequest;
import org.weft.recovery.rebuild.ComponentRebuild;
import org.weft.recovery.rebuild.RebuildOutcome;

/**
 * Copies components for the primaries of other managers (P 6.8). It decides nothing: what is
 * copied, where to and whether it counts is the primary's, and nothing of it is durable here. It
 * takes requests that are signed with the cluster's join token alone, and as many components at a
 * time as its own volumes leave of {@code repair.files-at-once}.
 *
 * <p>Each copy pauses by the time that its own pieces take, as a primary's do: where clients keep
 * OSDs busy, all managers that copy from them slow down. One that is not watched any more is
 * stopped. What it has sent by then may come late, or after the primary has given the component to
 * another: it was written under a number that is in force no more, and OSDs refuse it by the
 * object's version, its tombstone, the create floor or the fence of the next epoch.
 *
 * <p>Requests may come on any thread; all else happens on an executor of its own.
 */
public final class CopyWorker implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(CopyWorker.class);

  /** A share that its primary has not watched for so long is stopped. */
  static final long UNWATCHED_NANOS = TimeUnit.SECONDS.toNanos(10);

  private static final long HOLD_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Environment environment;
  private final OwnedExecutor home;
  private final byte[] secret;
  private final int filesAtOnce;
  private final int sharePercent;
  private final CopySlots slots;
  private final Map<ShareIdentity, Share> shares = new LinkedHashMap<>();
  private volatile StripeEngine stripes;
  private int running;
  private boolean looking;
  private boolean closed;

  /** A component that is copied for another manager, or was. */
  private static final class Share {
    private final AtomicLong bytes = new AtomicLong();
    private ComponentRebuild copying;
    private ShareState end;
    private long watchedNanos;
    private InboundRequest watch;
    private Timer hold = () -> {};
  }

  /**
   * @param secret made from the join token
   * @param filesAtOnce that each volume of this manager rebuilds at a time; 0: it copies for no
   *     other
   * @param sharePercent of the time in which a copy moves bytes, at most
   * @param slots what its own volumes take of what it may copy at a time
   */
  public CopyWorker(
      Environment environment, byte[] secret, int filesAtOnce, int sharePercent, CopySlots slots) {
    this.environment = environment;
    this.home = environment.scheduler().newSerialExecutor("shares");
    this.secret = secret.clone();
    this.filesAtOnce = filesAtOnce;
    this.sharePercent = sharePercent;
    this.slots = slots;
  }

  /**
   * The manager knows its cluster's OSDs: it can copy from now on. Any thread.
   *
   * @param engine makes way for clients
   */
  public void begin(StripeEngine engine) {
    stripes = engine;
  }

  /** True if it is a request about a share, which {@link #handle} answers. */
  public static boolean takes(int opcodeNumber) {
    return opcodeNumber == Opcode.START_SHARE.number()
        || opcodeNumber == Opcode.WATCH_SHARE.number()
        || opcodeNumber == Opcode.END_SHARE.number();
  }

  /** Answers, now or later. Any thread. */
  public void handle(InboundRequest request) {
    if (!request.signedWith(secret)) {
      request.fail(
          ErrorCode.UNAUTHENTICATED,
          "a component is copied for managers of this cluster alone: the request is not signed with"
              + " its join token; give both managers the text in SysMgr's file join-token");
      return;
    }
    try {
      home.execute(
          () -> {
            try {
              answer(request);
            } catch (WeftException e) {
              request.fail(e);
            } catch (RuntimeException e) {
              request.fail(WeftException.of(e));
            }
          });
    } catch (RejectedExecutionException e) {
      request.fail(ErrorCode.BUSY, "this manager is stopping");
    }
  }

  private void answer(InboundRequest request) throws WeftException {
    if (request.opcodeNumber() == Opcode.START_SHARE.number()) {
      start(request.parse(StartShareRequest.parser()));
      request.reply(Empty.getDefaultInstance());
    } else if (request.opcodeNumber() == Opcode.WATCH_SHARE.number()) {
      watch(request.parse(WatchShareRequest.parser()), request);
    } else {
      end(request.parse(EndShareRequest.parser()).getShare());
      request.reply(Empty.getDefaultInstance());
    }
  }

  private void start(StartShareRequest request) throws WeftException {
    ShareIdentity identity = request.getShare();
    if (shares.containsKey(identity)) {
      return;
    }
    ComponentCopy copy = ComponentCopy.of(request).withShareAtMost(sharePercent);
    StripeEngine engine = stripes;
    if (engine == null || closed || running >= slots.forOthers(filesAtOnce)) {
      throw new WeftException(
          ErrorCode.BUSY, "this manager has no room now to copy anything for another");
    }
    Share share = new Share();
    share.watchedNanos = environment.ticker().nowNanos();
    share.copying = copy.by(engine, share.bytes::addAndGet);
    // First: what cannot be begun takes no room.
    CompletableFuture<RebuildOutcome> copied = share.copying.rebuild();
    shares.put(identity, share);
    running++;
    var unused =
        copied.whenCompleteAsync((outcome, failure) -> ended(share, outcome, failure), home);
    if (!looking) {
      looking = true;
      later();
    }
  }

  private void ended(Share share, RebuildOutcome outcome, Throwable failure) {
    running--;
    share.end = failure == null ? done(share, outcome) : failed(share, failure);
    answerWatch(share);
  }

  private static ShareState done(Share share, RebuildOutcome outcome) {
    return ShareState.newBuilder()
        .setBytesDone(share.bytes.get())
        .setDone(true)
        .setLostBlocks(outcome.lostBlocks())
        .addAllLostOffset(outcome.lostOffsets())
        .build();
  }

  private static ShareState failed(Share share, Throwable failure) {
    WeftException why = WeftException.of(failure);
    return ShareState.newBuilder()
        .setBytesDone(share.bytes.get())
        .setError(why.code().number())
        .setMessage(String.valueOf(why.getMessage()))
        .setFailedOsd(OsdFailure.osdIn(failure).map(OsdId::value).orElse(0))
        .build();
  }

  private void watch(WatchShareRequest watch, InboundRequest request) throws WeftException {
    ShareIdentity identity = watch.getShare();
    Share share = shares.get(identity);
    if (share == null) {
      throw new WeftException(
          ErrorCode.NOT_FOUND,
          "this manager copies no component of volume %d under number %d"
              .formatted(identity.getVolumeId(), identity.getNumber()));
    }
    share.watchedNanos = environment.ticker().nowNanos();
    if (!watch.getCapability().isEmpty()) {
      share.copying.renew(
          new SignedCapability(watch.getCapability(), watch.getSecret().toByteArray()));
    }
    answerWatch(share);
    share.watch = request;
    if (share.end != null) {
      answerWatch(share);
    } else {
      share.hold =
          environment.scheduler().schedule(HOLD_NANOS, home, () -> answerWatch(share, request));
    }
  }

  private void answerWatch(Share share, InboundRequest held) {
    if (share.watch == held) {
      answerWatch(share);
    }
  }

  private void answerWatch(Share share) {
    InboundRequest asked = share.watch;
    share.watch = null;
    share.hold.cancel();
    if (asked != null) {
      asked.reply(
          share.end != null
              ? share.end
              : ShareState.newBuilder().setBytesDone(share.bytes.get()).build());
    }
  }

  private void end(ShareIdentity identity) {
    Share share = shares.remove(identity);
    if (share != null) {
      share.copying.stop();
      answerWatch(share);
    }
  }

  private void later() {
    environment.scheduler().schedule(LOOK_NANOS, home, this::look);
  }

  /** Its primary is gone, or gave it to another manager: it is a load on OSDs and of no use. */
  private void look() {
    if (closed) {
      return;
    }
    long nowNanos = environment.ticker().nowNanos();
    for (Iterator<Map.Entry<ShareIdentity, Share>> each = shares.entrySet().iterator();
        each.hasNext(); ) {
      Map.Entry<ShareIdentity, Share> one = each.next();
      if (nowNanos - one.getValue().watchedNanos >= UNWATCHED_NANOS) {
        each.remove();
        if (one.getValue().end == null) {
          LOG.info(
              "the primary of volume {} asks no more for what is copied for it",
              one.getKey().getVolumeId());
          one.getValue().copying.stop();
        }
      }
    }
    looking = !shares.isEmpty();
    if (looking) {
      later();
    }
  }

  /** Copies nothing more. Blocks. */
  @Override
  public void close() {
    home.execute(
        () -> {
          closed = true;
          shares.values().forEach(share -> share.copying.stop());
          shares.clear();
        });
    home.close();
  }
}
