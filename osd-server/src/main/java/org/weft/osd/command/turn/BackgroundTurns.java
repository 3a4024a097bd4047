package org.weft.osd.command.turn;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.rpc.RpcPeer;
import org.weft.protocol.seam.Scheduler;
import org.weft.protocol.seam.Ticker;

/**
 * Decides when commands of managers that copy, repair or compare files are carried out. So clients
 * keep their share of this OSD (P 6.8). A command has a turn from when it is begun until its answer
 * has left.
 *
 * <pre>
 *   no client for a second     up to 16 turns at once, no pause
 *   clients                    one turn at a time; after one of a connection that may have S percent
 *                              a pause of (100 - S) / S times its length, 5 s at most
 * </pre>
 *
 * <p>What has no turn waits, in one line for each connection, and the lines take turns. Bounded: a
 * command that finds its line full is refused OVERLOADED. Where all lines together are full, each
 * has an equal part of the room. A command within the part of its line takes the place of the
 * newest commands of the longest line, which are refused. What the caller has given up, or whose
 * connection has ended, leaves its line. A turn of more than 10 s holds no other up any longer.
 *
 * <p>Thread-safe and never blocks; its monitor guards the fields alone. A command begins on the
 * thread that brings it, or on the thread that ends a turn or runs timers. So it must hand over
 * what takes long.
 */
public final class BackgroundTurns {
  /** What waits for its turn. */
  public interface Command {
    /**
     * Begins. Whatever becomes of the command, the turn must be ended; a throw ends it, too.
     *
     * @param here true: on the thread that brought it, before {@link #take} returns
     */
    void begin(Turn turn, boolean here);

    /** Its caller waits for no answer any more. Asked under the monitor. */
    boolean isGivenUp();

    /** Answers that it was not begun, for it {@linkplain #isGivenUp is given up}. */
    void drop();

    /** Answers that it was not begun. */
    void refuse(WeftException why);
  }

  /** The right to be carried out now. */
  @FunctionalInterface
  public interface Turn {
    /** Of what needs none. */
    Turn NONE = () -> {};

    /** Others may have theirs. Any thread; only the first time counts. */
    void end();
  }

  static final long QUIET_NANOS = TimeUnit.SECONDS.toNanos(1);
  static final long MAX_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(5);
  static final long MAX_TURN_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** More gain nothing from a disk, and the first client that comes waits behind all of them. */
  static final int MAX_AT_ONCE = 16;

  static final int MAX_IN_LINE = 256;
  static final int MAX_WAITING = 1_024;

  /** The transport has 32 MiB at least for large requests, which clients need, too. */
  static final long MAX_WAITING_BYTES = 8 << 20;

  private static final Logger LOG = LoggerFactory.getLogger(BackgroundTurns.class);
  private static final int ALL_PERCENT = 100;
  private static final long SAME_MOMENT_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  private final Ticker ticker;
  private final Scheduler scheduler;
  private volatile boolean clientsCame;
  private volatile long clientNanos;

  // Guarded by the monitor.
  private final Map<RpcPeer, Line> lines = new LinkedHashMap<>();
  private final Set<OpenTurn> running = new LinkedHashSet<>();
  private int waiting;
  private long waitingBytes;
  private long waited;
  private long waitedNanos;
  private long resumeNanos;
  private long pauseNanos;
  private boolean pumping;
  private Scheduler.Timer timer;

  private record Waiting(Command command, int percent, int bytes, long sinceNanos) {}

  /** What waits of one connection, the oldest first. Guarded by the monitor. */
  private static final class Line {
    private final Deque<Waiting> commands = new ArrayDeque<>();
    private long bytes;

    void add(Waiting one) {
      commands.add(one);
      bytes += one.bytes();
    }

    Waiting takeFirst() {
      Waiting first = commands.removeFirst();
      bytes -= first.bytes();
      return first;
    }

    Waiting takeNewest() {
      Waiting newest = commands.removeLast();
      bytes -= newest.bytes();
      return newest;
    }

    int size() {
      return commands.size();
    }

    /** What others may displace: all but the first, so that each line goes on. */
    long bytesBehindFirst() {
      return bytes - commands.getFirst().bytes();
    }

    /** Takes those out whose callers have given them up. */
    List<Waiting> takeGivenUp() {
      List<Waiting> all = new ArrayList<>();
      for (Iterator<Waiting> each = commands.iterator(); each.hasNext(); ) {
        Waiting candidate = each.next();
        if (candidate.command().isGivenUp()) {
          each.remove();
          bytes -= candidate.bytes();
          all.add(candidate);
        }
      }
      return all;
    }
  }

  /** What can be done about a command that waited; without a turn it is given up. */
  private record Step(Waiting what, Turn turn) {}

  public BackgroundTurns(Ticker ticker, Scheduler scheduler) {
    this.ticker = ticker;
    this.scheduler = scheduler;
  }

  /** A client asks for bytes of a file, or brings some. */
  public void clientCame() {
    long nowNanos = ticker.nowNanos();
    long since = nowNanos - clientNanos;
    // What many threads write all the time is slow for all of them.
    if (!clientsCame || since < 0 || since > SAME_MOMENT_NANOS) {
      clientNanos = nowNanos;
      clientsCame = true;
    }
  }

  /**
   * Begins the command, now or later, or refuses or drops it; one of these, once.
   *
   * @param percent of its time that this OSD gives to the connection, 1 to 100
   * @param bytes that are held until the command is answered
   */
  public void take(RpcPeer peer, int percent, int bytes, Command command) {
    OpenTurn turn = null;
    List<Command> refused = new ArrayList<>();
    synchronized (this) {
      long nowNanos = ticker.nowNanos();
      if (waiting == 0 && mayBegin(nowNanos)) {
        turn = open(percent, nowNanos);
      } else if (findsRoom(peer, bytes, refused)) {
        lines
            .computeIfAbsent(peer, first -> new Line())
            .add(new Waiting(command, percent, bytes, nowNanos));
        waiting++;
        waitingBytes += bytes;
        if (timer == null && !pumping) {
          arm(nowNanos);
        }
      } else {
        refused.add(command);
      }
    }
    refused.forEach(each -> each.refuse(isFull()));
    if (turn != null) {
      begin(command, turn);
    }
  }

  private static WeftException isFull() {
    return new WeftException(
        ErrorCode.OVERLOADED,
        "this OSD serves clients, and as many requests in the background wait as it takes; try"
            + " again later");
  }

  private static void begin(Command command, Turn turn) {
    try {
      command.begin(turn, true);
    } catch (RuntimeException | Error e) {
      // The transport answers for it.
      turn.end();
      throw e;
    }
  }

  /** The connection has ended: what waits of it is dropped. */
  public void disconnected(RpcPeer peer) {
    List<Waiting> dropped = new ArrayList<>();
    synchronized (this) {
      Line line = lines.remove(peer);
      if (line != null) {
        dropped.addAll(line.commands);
        dropped.forEach(this::left);
      }
    }
    dropped.forEach(each -> each.command().drop());
  }

  /** Refuses all that waits. */
  public void refuseAll(WeftException why) {
    List<Waiting> all = new ArrayList<>();
    synchronized (this) {
      lines.values().forEach(line -> all.addAll(line.commands));
      lines.clear();
      all.forEach(this::left);
      stopTimer();
    }
    all.forEach(each -> each.command().refuse(why));
  }

  /** What waits, and how long all have waited. */
  public synchronized BackgroundFigures figures() {
    return new BackgroundFigures(waiting, waited, waitedNanos);
  }

  /**
   * Whether a command may wait. Under the monitor, as all that follows where nothing else is said.
   *
   * @param displaced gets what it takes the place of
   */
  private boolean findsRoom(RpcPeer peer, int bytes, List<Command> displaced) {
    Line line = lines.get(peer);
    int size = line == null ? 0 : line.size();
    if (size >= MAX_IN_LINE) {
      return false;
    }
    if (!isCrowded(bytes)) {
      return true;
    }
    int parts = line == null ? lines.size() + 1 : lines.size();
    long lineBytes = line == null ? 0 : line.bytes;
    boolean isWithinPart =
        size < MAX_WAITING / parts && lineBytes + bytes <= MAX_WAITING_BYTES / parts;
    if (!isWithinPart || !canDisplace(line, bytes)) {
      return false;
    }
    while (isCrowded(bytes)) {
      Waiting newest = longestBut(line, waiting >= MAX_WAITING).takeNewest();
      left(newest);
      displaced.add(newest.command());
    }
    return true;
  }

  private boolean isCrowded(int bytes) {
    return waiting >= MAX_WAITING || waitingBytes > 0 && waitingBytes + bytes > MAX_WAITING_BYTES;
  }

  /** What other lines have behind their first commands is enough. */
  private boolean canDisplace(Line own, int bytes) {
    long most = others(own).mapToLong(Line::bytesBehindFirst).sum();
    return waitingBytes + bytes - most <= MAX_WAITING_BYTES
        && others(own).anyMatch(line -> line.size() > 1);
  }

  private Line longestBut(Line own, boolean bySize) {
    Comparator<Line> order =
        bySize
            ? Comparator.comparingInt(Line::size)
            : Comparator.comparingLong(Line::bytesBehindFirst);
    return others(own).filter(line -> line.size() > 1).max(order).orElseThrow();
  }

  private Stream<Line> others(Line own) {
    return lines.values().stream().filter(line -> line != own);
  }

  private void left(Waiting one) {
    waiting--;
    waitingBytes -= one.bytes();
    waited++;
    waitedNanos += Math.max(0, ticker.nowNanos() - one.sinceNanos());
  }

  private boolean clientsAreThere(long nowNanos) {
    if (!clientsCame) {
      return false;
    }
    if (nowNanos - clientNanos < 0) {
      // The clock went back: a second from now at most.
      clientNanos = nowNanos;
    }
    return nowNanos - clientNanos < QUIET_NANOS;
  }

  private boolean mayBegin(long nowNanos) {
    running.stream().filter(turn -> turn.isOver(nowNanos)).toList().forEach(this::close);
    if (!clientsAreThere(nowNanos)) {
      return running.size() < MAX_AT_ONCE;
    }
    return running.isEmpty() && pauseLeft(nowNanos) <= 0;
  }

  private long pauseLeft(long nowNanos) {
    if (resumeNanos - nowNanos > pauseNanos) {
      // The clock went back.
      resumeNanos = nowNanos + pauseNanos;
    }
    return resumeNanos - nowNanos;
  }

  private OpenTurn open(int percent, long nowNanos) {
    OpenTurn turn = new OpenTurn(percent, nowNanos);
    running.add(turn);
    return turn;
  }

  private void close(OpenTurn turn) {
    if (running.remove(turn)) {
      long nowNanos = ticker.nowNanos();
      long share = turn.percent;
      long nanos =
          Math.min(MAX_PAUSE_NANOS, turn.tookNanos(nowNanos) * (ALL_PERCENT - share) / share);
      if (nanos > pauseLeft(nowNanos)) {
        pauseNanos = nanos;
        resumeNanos = nowNanos + nanos;
      }
    }
  }

  private void stopTimer() {
    if (timer != null) {
      timer.cancel();
      timer = null;
    }
  }

  /** Looks again when something can have changed by itself. */
  private void arm(long nowNanos) {
    stopTimer();
    if (waiting == 0) {
      return;
    }
    long delayNanos = MAX_TURN_NANOS;
    for (OpenTurn turn : running) {
      delayNanos = Math.min(delayNanos, MAX_TURN_NANOS - turn.tookNanos(nowNanos));
    }
    if (clientsAreThere(nowNanos)) {
      delayNanos = Math.min(delayNanos, QUIET_NANOS - (nowNanos - clientNanos));
      if (running.isEmpty()) {
        delayNanos = Math.min(delayNanos, pauseLeft(nowNanos));
      }
    }
    timer = scheduler.schedule(Math.max(1, delayNanos), Runnable::run, this::pump);
  }

  /** Begins what may begin; one thread at a time, without the monitor. */
  private void pump() {
    List<Waiting> givenUp;
    synchronized (this) {
      if (pumping) {
        return;
      }
      pumping = true;
      givenUp = takeGivenUp();
    }
    boolean isDone = false;
    try {
      givenUp.forEach(each -> each.command().drop());
      for (Step next = next(); next != null; next = next()) {
        begin(next);
      }
      isDone = true;
    } finally {
      if (!isDone) {
        synchronized (this) {
          pumping = false;
          arm(ticker.nowNanos());
        }
      }
    }
  }

  private List<Waiting> takeGivenUp() {
    List<Waiting> all = new ArrayList<>();
    for (Iterator<Line> each = lines.values().iterator(); each.hasNext(); ) {
      Line line = each.next();
      all.addAll(line.takeGivenUp());
      if (line.size() == 0) {
        each.remove();
      }
    }
    all.forEach(this::left);
    return all;
  }

  /** Null if nothing may begin now: then this pump has ended. */
  private synchronized Step next() {
    long nowNanos = ticker.nowNanos();
    if (waiting == 0 || !mayBegin(nowNanos)) {
      pumping = false;
      arm(nowNanos);
      return null;
    }
    RpcPeer peer = lines.keySet().iterator().next();
    Line line = lines.remove(peer);
    Waiting first = line.takeFirst();
    if (line.size() > 0) {
      lines.put(peer, line);
    }
    left(first);
    return new Step(
        first, first.command().isGivenUp() ? Turn.NONE : open(first.percent(), nowNanos));
  }

  private static void begin(Step next) {
    Command command = next.what().command();
    if (next.turn() == Turn.NONE) {
      command.drop();
      return;
    }
    try {
      command.begin(next.turn(), false);
    } catch (RuntimeException | Error e) {
      // Of a thread that has other things to do: as where the system gives no other thread.
      LOG.error("a command that waited for its turn cannot be begun", e);
      next.turn().end();
      command.refuse(WeftException.of(e));
    }
  }

  private final class OpenTurn implements Turn {
    private final int percent;
    private long begunNanos;

    OpenTurn(int percent, long nowNanos) {
      this.percent = percent;
      this.begunNanos = nowNanos;
    }

    /** Under the monitor. */
    long tookNanos(long nowNanos) {
      if (nowNanos - begunNanos < 0) {
        // The clock went back.
        begunNanos = nowNanos;
      }
      return nowNanos - begunNanos;
    }

    boolean isOver(long nowNanos) {
      return tookNanos(nowNanos) >= MAX_TURN_NANOS;
    }

    @Override
    public void end() {
      boolean isFirst;
      synchronized (BackgroundTurns.this) {
        isFirst = running.contains(this);
        close(this);
      }
      if (isFirst) {
        pump();
      }
    }
  }
}
