package org.weft.client.stripe.read;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.weft.client.osd.OsdTarget;
import org.weft.client.osd.ReadResult;
import org.weft.client.stripe.base.BlockChecksums;
import org.weft.client.stripe.base.Countdown;
import org.weft.client.stripe.base.PayloadBlocks;
import org.weft.client.stripe.base.RecentFailures;
import org.weft.client.stripe.base.References;
import org.weft.client.stripe.base.StripeContext;
import org.weft.client.stripe.base.StripedFile;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.wire.BlockRun;
import org.weft.protocol.wire.ReadReply;
import org.weft.protocol.wire.ReadRequest;

/**
 * One READ for wants of one component that lie near each other. It leaves out what lies between
 * them, like the parity of other stripes, and checks every block that comes. It puts the bytes
 * where they are wanted, the only copy that Weft makes of them. Or it leaves them in the payload
 * for a target that wants them there.
 */
public final class ComponentRead {
  /** Most bytes that one READ asks for. */
  private static final int MAX_BYTES = 1 << 20;

  /** Up to here, an answer is dealt with sooner than another thread is woken up for it. */
  static final int MAX_EVENT_LOOP_BYTES = 64 << 10;

  /** Longest range of one READ, with what is left out. */
  private static final int MAX_RANGE_BYTES = 4 << 20;

  private static final int BLOCK_BYTES = BlockChecksums.BLOCK_BYTES;

  private enum State {
    /** Not answered. */
    OPEN,
    /** The answer is being taken. */
    TAKING,
    /** All wants are filled or have failed. */
    DONE,
    /** No read waits for the answer any more: nothing of it is taken. */
    DROPPED
  }

  /** What of an answer an event loop may do. */
  private enum EventLoopUse {
    NONE,
    /** Look whether it is right, while it is in the cache of the thread that received it. */
    CHECK,
    /** Copy it, too. */
    ALL
  }

  private final StripeContext context;
  private final StripedFile file;
  private final WriteGate gate;
  private final List<UnitRead> wants;
  private final boolean withStamps;
  private final EventLoopUse use;
  private final AtomicReference<State> state = new AtomicReference<>(State.OPEN);
  private volatile CompletableFuture<ReadResult> answer;
  private Runnable ended;
  private long sentNanos;

  private ComponentRead(
      StripeContext context,
      StripedFile file,
      WriteGate gate,
      List<UnitRead> wants,
      boolean withStamps,
      EventLoopUse use) {
    this.context = context;
    this.file = file;
    this.gate = gate;
    this.wants = wants;
    this.withStamps = withStamps;
    this.use = use;
  }

  /**
   * Reads all wants, neighbours together, and runs {@code done} on the engine's executor once each
   * is filled or has failed.
   */
  public static void all(
      StripeContext context, StripedFile file, List<UnitRead> wants, Runnable done) {
    List<ComponentRead> fetches = of(context, file, WriteGate.OPEN, wants, false, false);
    Countdown countdown = new Countdown(fetches.size(), done);
    for (ComponentRead fetch : fetches) {
      fetch.whenEnded(countdown::one);
      fetch.send();
    }
  }

  /**
   * The same, to be sent by the caller.
   *
   * @param gate of the memory that they are wanted in; closed, all of them fail with CANCELLED
   * @param withStamps also asks for write ids, of each want by itself
   * @param mayUseEventLoop where little is wanted, or nothing is copied, what {@link #whenEnded}
   *     says may run on an event loop: it must be short
   */
  static List<ComponentRead> of(
      StripeContext context,
      StripedFile file,
      WriteGate gate,
      List<UnitRead> wants,
      boolean withStamps,
      boolean mayUseEventLoop) {
    EventLoopUse use = EventLoopUse.NONE;
    if (mayUseEventLoop && PiecePlan.bytes(wants) <= MAX_EVENT_LOOP_BYTES) {
      use = EventLoopUse.ALL;
    } else if (mayUseEventLoop && allMayStay(wants)) {
      use = EventLoopUse.CHECK;
    }
    List<ComponentRead> fetches = new ArrayList<>();
    for (Neighbours group : neighbours(wants, withStamps)) {
      fetches.add(new ComponentRead(context, file, gate, group.wants, withStamps, use));
    }
    return fetches;
  }

  private static boolean allMayStay(List<UnitRead> wants) {
    for (UnitRead want : wants) {
      if (!want.mayStay()) {
        return false;
      }
    }
    return true;
  }

  /** Those of stripes come in order as a rule; else they are put in order first. */
  private static List<Neighbours> neighbours(List<UnitRead> wants, boolean withStamps) {
    List<Neighbours> groups = new ArrayList<>();
    if (!inOrder(wants, withStamps, groups)) {
      List<UnitRead> sorted = new ArrayList<>(wants);
      sorted.sort(UnitRead.BY_PLACE);
      groups.clear();
      var unused = inOrder(sorted, withStamps, groups);
    }
    return groups;
  }

  /** False if a want lies before an earlier one of its component. */
  private static boolean inOrder(
      List<UnitRead> wants, boolean withStamps, List<Neighbours> groups) {
    for (UnitRead want : wants) {
      Neighbours last = null;
      for (int g = groups.size() - 1; g >= 0 && last == null; g--) {
        last = groups.get(g).component == want.component() ? groups.get(g) : null;
      }
      if (last != null && want.offsetBytes() < last.lastOffsetBytes) {
        return false;
      }
      if (last == null || withStamps || !last.takes(want)) {
        last = new Neighbours(want);
        groups.add(last);
      }
      last.add(want);
    }
    return true;
  }

  /** Wants of one component that one READ asks for. */
  private static final class Neighbours {
    private final List<UnitRead> wants = new ArrayList<>();
    private final int component;
    private final long startBytes;
    private long lastOffsetBytes;
    private long endBytes;
    private long bytes;

    /** Without the first one yet. */
    Neighbours(UnitRead first) {
      this.component = first.component();
      this.startBytes = first.offsetBytes();
    }

    boolean takes(UnitRead want) {
      return endBytes <= want.offsetBytes()
          && bytes + want.lengthBytes() <= MAX_BYTES
          && want.endBytes() - startBytes <= MAX_RANGE_BYTES;
    }

    void add(UnitRead want) {
      wants.add(want);
      lastOffsetBytes = want.offsetBytes();
      endBytes = want.endBytes();
      bytes += want.lengthBytes();
    }
  }

  /** Runs once, when it is done or has been dropped; to be said before anything else. */
  void whenEnded(Runnable then) {
    ended = then;
  }

  /**
   * Sends it, once, unless it has been dropped. Never throws, for others may be under way: what
   * cannot be sent has failed.
   */
  void send() {
    if (!isOpen()) {
      return;
    }
    try {
      sendNow();
    } catch (RuntimeException | Error e) {
      if (state.compareAndSet(State.OPEN, State.TAKING)) {
        WeftException failure = WeftException.of(e);
        wants.forEach(want -> want.fail(failure));
        state.set(State.DONE);
        ended.run();
      }
    }
  }

  private void sendNow() {
    UnitRead first = wants.get(0);
    UnitRead last = wants.get(wants.size() - 1);
    ReadRequest.Builder request =
        ReadRequest.newBuilder()
            .setObjectId(file.name().object().value())
            .setOffset(first.offsetBytes())
            .setLength((int) (last.endBytes() - first.offsetBytes()))
            .setWithStamps(withStamps)
            .addAllLeftOut(leftOut());
    OsdTarget target = file.target(first.component(), context.options().readAttemptMillis());
    sentNanos = context.ticker().nowNanos();
    CompletableFuture<ReadResult> sent =
        use != EventLoopUse.NONE
            ? context.osds().readFew(target, request)
            : context.osds().read(target, request);
    answer = sent;
    var unused = sent.whenComplete((result, thrown) -> came(target, result, thrown));
  }

  private void came(OsdTarget target, ReadResult result, Throwable thrown) {
    if (!state.compareAndSet(State.OPEN, State.TAKING)) {
      if (result != null) {
        result.payload().release();
      }
      return;
    }
    if (use != EventLoopUse.NONE && result != null && takesMemory(result)) {
      context.executeElsewhere(() -> end(target, result, null));
    } else {
      end(target, result, thrown);
    }
  }

  /**
   * What stays in the payload takes memory, and zeros in it, where a block was left out. To take
   * memory may have to wait for the garbage collector, which an event loop must not.
   */
  private boolean takesMemory(ReadResult result) {
    return result.payload().lengthBytes() < askedBlocks() * BLOCK_BYTES
        && wants.stream().anyMatch(UnitRead::mayStay);
  }

  /** How many blocks come if none of them is a hole. */
  private long askedBlocks() {
    long blocks = 0;
    long nextBlock = 0;
    for (UnitRead want : wants) {
      long endBlock = BlockChecksums.blocks(want.endBytes());
      blocks += endBlock - Math.max(nextBlock, want.offsetBytes() / BLOCK_BYTES);
      nextBlock = endBlock;
    }
    return blocks;
  }

  private void end(OsdTarget target, ReadResult result, Throwable thrown) {
    try {
      if (thrown == null && context.hedging().isEnabled()) {
        context.hedging().answered(target.osd(), bytes(), context.ticker().nowNanos() - sentNanos);
      }
      take(target, result, thrown);
    } catch (RuntimeException | Error e) {
      // Others wait for the last of these: it ends whatever happens here.
      WeftException failure = WeftException.of(e);
      wants.forEach(want -> want.fail(failure));
    } finally {
      state.set(State.DONE);
      ended.run();
    }
  }

  /**
   * Waits for the answer no longer. The wants stay as they are, no thread writes to them any more,
   * and what still comes is thrown away.
   *
   * @return false if the answer has come
   */
  boolean drop() {
    if (!state.compareAndSet(State.OPEN, State.DROPPED)) {
      return false;
    }
    CompletableFuture<ReadResult> waitedFor = answer;
    if (waitedFor != null) {
      waitedFor.cancel(false);
    }
    ended.run();
    return true;
  }

  boolean isOpen() {
    return state.get() == State.OPEN;
  }

  boolean isDone() {
    return state.get() == State.DONE;
  }

  boolean isDropped() {
    return state.get() == State.DROPPED;
  }

  List<UnitRead> wants() {
    return wants;
  }

  /** Of one component. */
  int component() {
    return wants.get(0).component();
  }

  /** How long it has been under way. */
  long ageNanos() {
    return context.ticker().nowNanos() - sentNanos;
  }

  /** What it asks for. */
  long bytes() {
    return PiecePlan.bytes(wants);
  }

  private long first() {
    return wants.get(0).offsetBytes();
  }

  /** The whole blocks between wants. */
  private List<BlockRun> leftOut() {
    List<BlockRun> between = new ArrayList<>();
    for (int w = 1; w < wants.size(); w++) {
      long first = BlockChecksums.blocks(wants.get(w - 1).endBytes());
      long end = wants.get(w).offsetBytes() / BLOCK_BYTES;
      if (first < end) {
        between.add(
            BlockRun.newBuilder().setFirstBlock(first).setBlockCount((int) (end - first)).build());
      }
    }
    return between;
  }

  private void take(OsdTarget target, ReadResult result, Throwable thrown) {
    if (thrown != null) {
      WeftException failure = WeftException.of(thrown);
      if (RecentFailures.isUnreachable(failure)) {
        context.suspects().failed(target.osd());
      }
      if (failure.code() == ErrorCode.BAD_MEDIA) {
        context
            .badBlocks()
            .report(file, component(), first(), wants.get(wants.size() - 1).endBytes());
      }
      wants.forEach(want -> want.fail(failure));
      return;
    }
    context.suspects().answered(target.osd());
    References payload = new References(result.payload()::release);
    boolean entered = gate.enter();
    try {
      if (!entered) {
        throw new WeftException(ErrorCode.CANCELLED, "the memory for it has been taken back");
      }
      scatter(result, payload);
    } catch (WeftException e) {
      wants.forEach(want -> want.fail(e));
    } catch (RuntimeException | Error e) {
      WeftException failure = WeftException.of(e);
      wants.forEach(want -> want.fail(failure));
    } finally {
      if (entered) {
        gate.leave();
      }
      payload.release();
    }
  }

  private void scatter(ReadResult result, References payload) throws WeftException {
    ReadReply reply = result.reply();
    checkShape(result);
    PayloadBlocks blocks = new PayloadBlocks(result.payload().buffers());
    int index = 0;
    int firstWant = 0;
    for (BlockRun run : reply.getRunsList()) {
      int done = 0;
      while (done < run.getBlockCount()) {
        long startBytes = (run.getFirstBlock() + done) * BLOCK_BYTES;
        while (firstWant < wants.size() && wants.get(firstWant).endBytes() <= startBytes) {
          firstWant++;
        }
        int sound = blocks.nextSound(result.crcs(), index, run.getBlockCount() - done);
        if (sound == 0) {
          refuse(startBytes, firstWant);
        } else {
          deliver(blocks, startBytes, sound * BLOCK_BYTES, firstWant, payload);
        }
        done += Math.max(1, sound);
        index += Math.max(1, sound);
      }
    }
    for (UnitRead want : wants) {
      if (want.failure() == null) {
        want.complete(
            reply.getEof(), reply.getTruncationNumber(), reply.getPending(), reply.getStampsList());
      }
    }
  }

  /** Gives bytes that lie in one piece, and are right, to all that want some of them. */
  private void deliver(
      PayloadBlocks blocks, long startBytes, int lengthBytes, int firstWant, References payload) {
    for (int w = firstWant; w < wants.size(); w++) {
      UnitRead want = wants.get(w);
      if (want.offsetBytes() >= startBytes + lengthBytes) {
        return;
      }
      if (want.failure() == null) {
        want.fill(startBytes, blocks.buffer(), blocks.index(), lengthBytes, payload);
      }
    }
  }

  /** A block does not match its checksum: all that want some of it fail. */
  private void refuse(long blockStart, int firstWant) {
    for (int w = firstWant; w < wants.size(); w++) {
      UnitRead want = wants.get(w);
      if (want.offsetBytes() >= blockStart + BLOCK_BYTES) {
        return;
      }
      context.badBlocks().report(file, want.component(), blockStart, blockStart + BLOCK_BYTES);
      want.fail(
          new WeftException(
              ErrorCode.BAD_CHECKSUM,
              "block "
                  + blockStart / BLOCK_BYTES
                  + " of "
                  + file.describe(want.component())
                  + " does not match its checksum"));
    }
  }

  /** What does not look like an answer to the request is not looked at further. */
  private void checkShape(ReadResult result) throws WeftException {
    int payloadBytes = result.payload().lengthBytes();
    long nextBlock = wants.get(0).offsetBytes() / BLOCK_BYTES;
    long endBytes = wants.get(wants.size() - 1).endBytes();
    long endBlock = (endBytes + BLOCK_BYTES - 1) / BLOCK_BYTES;
    long count = 0;
    for (BlockRun run : result.reply().getRunsList()) {
      long blocks = Integer.toUnsignedLong(run.getBlockCount());
      if (run.getFirstBlock() < nextBlock || run.getFirstBlock() + blocks > endBlock) {
        throw malformed("blocks that were not asked for");
      }
      nextBlock = run.getFirstBlock() + blocks;
      count += blocks;
    }
    if (count * BLOCK_BYTES != payloadBytes || count != result.crcs().count()) {
      throw malformed(
          count
              + " blocks, "
              + payloadBytes
              + " bytes and "
              + result.crcs().count()
              + " checksums");
    }
  }

  private WeftException malformed(String what) {
    return new WeftException(
        ErrorCode.MALFORMED, file.describe(wants.get(0).component()) + " replied with " + what);
  }
}
