package org.weft.metadata.backup;

import com.google.protobuf.ByteString;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.weft.metadata.journal.JournalCopy;
import org.weft.metadata.journal.JournalEntry;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.rpc.RpcConnection;
import org.weft.protocol.rpc.RpcReply;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.seam.Ticker;
import org.weft.protocol.wire.AppendCopyReply;
import org.weft.protocol.wire.AppendCopyRequest;
import org.weft.protocol.wire.BeginCopyRequest;
import org.weft.protocol.wire.CopiedFrame;
import org.weft.protocol.wire.CopyIdentity;
import org.weft.protocol.wire.WarmCopyState;

/**
 * Sends a journal to a backup. First it sends the existing files, then each entry as it is
 * appended. One request is under way at a time, and what comes meanwhile goes with the next one
 * (group commit). A request that got no answer is repeated, for {@link BackupCalls#PATIENCE_NANOS}
 * at most. Where no record goes, an empty request is the sign of life. Its answer says that the
 * backup lives, has this very copy, and can write to it.
 *
 * <p>The monitor guards all of it; nothing is called under it. Thread-safe.
 */
final class BackupStream implements AutoCloseable {
  /** A request holds about this much, or one frame that is larger. */
  static final int REQUEST_BYTES = 512 << 10;

  /** A request holds no more frames than a journal's queue always has room for. */
  static final int REQUEST_FRAMES = 1_024;

  /** Past this much to be sent, the primary takes no more requests. */
  static final long MAX_QUEUED_BYTES = 16L << 20;

  /** A backup from which nothing came for so long is asked for a sign of life. */
  static final long SIGN_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** Learns how far the backup is. Called on any thread; must not block. */
  interface Listener {
    /** The backup has every record up to this one on its disk. */
    void acknowledged(Lsn upTo);

    /** The backup has what was journalled before the copy was begun; it follows from now on. */
    void caughtUp();

    /** Nothing more is sent. */
    void lost(WeftException why);
  }

  private final Executor reading;
  private final Ticker ticker;
  private final BackupCalls calls;
  private final CopyIdentity identity;
  private final Listener listener;

  private final Deque<CopiedFrame> older = new ArrayDeque<>();
  private final Deque<CopiedFrame> live = new ArrayDeque<>();
  private long liveBytes;
  private JournalCopy copy;
  private boolean copied;
  private boolean caughtUp;
  private long framesToCatchUp;
  private Lsn dropBelow = Lsn.ZERO;
  private Lsn droppedThere = Lsn.ZERO;
  private AppendCopyRequest underWay;
  private int framesUnderWay;
  private long sequence;
  private boolean closed;

  /** The backup knows that the copy is whole. */
  private boolean toldWhole;

  /** Since {@link #tellRest}. */
  private boolean sentRecords;

  private Lsn redoThere = Lsn.ZERO;
  private long heardNanos;
  private Optional<WarmCopyState> warmth = Optional.empty();

  /**
   * @param reading for what blocks
   * @param connecting opens a connection to the backup
   * @param secret made from the join token
   */
  BackupStream(
      Environment environment,
      Executor reading,
      Supplier<CompletionStage<RpcConnection>> connecting,
      CopyIdentity identity,
      byte[] secret,
      Listener listener) {
    this.reading = reading;
    this.ticker = environment.ticker();
    this.calls = new BackupCalls(environment, reading, connecting, secret);
    this.identity = identity;
    this.listener = listener;
  }

  /**
   * Begins the copy; entries may be offered from before this on.
   *
   * @param superuser of the volume
   */
  void start(String superuser, Supplier<CompletionStage<JournalCopy>> source) {
    BeginCopyRequest begin =
        BeginCopyRequest.newBuilder().setCopy(identity).setSuperuser(superuser).build();
    var unused =
        calls
            .call(Opcode.BEGIN_COPY, begin)
            .thenCompose(
                reply -> {
                  reply.payload().release();
                  return source.get();
                })
            .whenComplete(
                (begun, failure) -> {
                  if (failure != null) {
                    lose(WeftException.of(failure));
                  } else {
                    begun(begun);
                  }
                });
  }

  private void begun(JournalCopy begun) {
    boolean useless;
    synchronized (this) {
      useless = closed;
      if (!useless) {
        copy = begun;
      }
    }
    if (useless) {
      begun.close();
    } else {
      readNext();
    }
  }

  /** An entry that was appended here just now, in order. */
  void offer(JournalEntry entry) {
    synchronized (this) {
      if (closed) {
        return;
      }
      add(live, entry);
      liveBytes += entry.bytes();
    }
    send();
  }

  /** Records below that LSN need no redo. */
  synchronized void dropBelow(Lsn lsn) {
    dropBelow = lsn.compareTo(dropBelow) > 0 ? lsn : dropBelow;
  }

  /** False while more than half waits of what may wait. */
  synchronized boolean hasRoom() {
    return liveBytes <= MAX_QUEUED_BYTES / 2;
  }

  private static void add(Deque<CopiedFrame> frames, JournalEntry entry) {
    int left = entry.bodies().size();
    for (byte[] body : entry.bodies()) {
      left--;
      frames.addLast(
          CopiedFrame.newBuilder()
              .setLsn(entry.lsn().value())
              .setSnapshot(entry.snapshot())
              .setLast(entry.snapshot() && left == 0)
              .setBody(ByteString.copyFrom(body))
              .build());
    }
  }

  private void readNext() {
    try {
      reading.execute(
          () -> {
            try {
              JournalCopy source = copy;
              if (source.hasNext()) {
                read(source.next());
              } else {
                readAll(source);
              }
            } catch (IOException | RuntimeException | Error e) {
              lose(WeftException.of(e));
            }
          });
    } catch (RuntimeException | Error e) {
      lose(BackupCalls.cannotRead(e));
    }
  }

  private void read(JournalCopy.Part part) {
    boolean empty;
    synchronized (this) {
      part.entries().forEach(entry -> add(older, entry));
      dropBelow = part.dropBelow().compareTo(dropBelow) > 0 ? part.dropBelow() : dropBelow;
      empty = older.isEmpty();
    }
    if (empty) {
      readNext();
    } else {
      send();
    }
  }

  private void readAll(JournalCopy source) {
    source.close();
    boolean now;
    synchronized (this) {
      copied = true;
      framesToCatchUp = live.size();
      now = framesToCatchUp == 0 && !closed;
      caughtUp = now;
    }
    if (now) {
      listener.caughtUp();
    }
    send();
  }

  /**
   * Tells what goes with records if none has gone since it was called last: that the copy is whole,
   * and which records need no redo. The answer tells how warm the backup is by now. Asks for a sign
   * of life where nothing has come for {@link #SIGN_NANOS}. A record that comes meanwhile waits for
   * that answer. So a stream of records carries no extra notices.
   */
  void tellRest() {
    boolean isQuiet;
    synchronized (this) {
      isQuiet = !sentRecords;
      sentRecords = false;
    }
    if (isQuiet) {
      send(true);
    }
  }

  /** What the backup said last of its warm state; one of an older release says nothing. */
  synchronized Optional<WarmCopyState> warmth() {
    return warmth;
  }

  private void send() {
    send(false);
  }

  /** Under the monitor. */
  private boolean isToTell() {
    boolean isBehind = warmth.filter(said -> said.getRecordsBehind() > 0).isPresent();
    boolean isLate = ticker.nowNanos() - heardNanos >= SIGN_NANOS;
    return isLate || warmth.isPresent() && (isBehind || redoThere.compareTo(dropBelow) < 0);
  }

  private void send(boolean withoutRecords) {
    AppendCopyRequest next;
    synchronized (this) {
      if (closed || underWay != null || copy == null) {
        return;
      }
      Deque<CopiedFrame> frames = older.isEmpty() && copied ? live : older;
      boolean onlyTells = copied && (!toldWhole || withoutRecords && isToTell());
      if (frames.isEmpty() && !onlyTells) {
        return;
      }
      AppendCopyRequest.Builder request =
          AppendCopyRequest.newBuilder().setCopy(identity).setSequence(++sequence);
      long bytes = 0;
      while (!frames.isEmpty()
          && request.getFramesCount() < REQUEST_FRAMES
          && (bytes == 0 || bytes + frames.peekFirst().getBody().size() <= REQUEST_BYTES)) {
        CopiedFrame frame = frames.removeFirst();
        bytes += Math.max(1, frame.getBody().size());
        liveBytes -= frames == live ? frame.getBody().size() : 0;
        request.addFrames(frame);
      }
      if (copied && dropBelow.compareTo(droppedThere) > 0) {
        request.setDropBelow(dropBelow.value());
      }
      if (copied && older.isEmpty()) {
        request.setWhole(true);
        toldWhole = true;
      }
      request.setRedoFrom(dropBelow.value());
      redoThere = dropBelow;
      sentRecords |= request.getFramesCount() > 0;
      framesUnderWay = frames == live ? request.getFramesCount() : 0;
      next = request.build();
      underWay = next;
    }
    var unused =
        calls
            .call(Opcode.APPEND_COPY, next)
            .whenComplete(
                (reply, failure) -> {
                  if (failure != null) {
                    lose(WeftException.of(failure));
                  } else {
                    answered(next, reply);
                  }
                });
  }

  private void answered(AppendCopyRequest request, RpcReply reply) {
    try {
      heard(reply.parse(AppendCopyReply.parser()));
      answered(request);
    } catch (WeftException | RuntimeException | Error e) {
      // Else nothing more is sent, and what waits for this backup is never committed.
      lose(WeftException.of(e));
    }
  }

  private synchronized void heard(AppendCopyReply reply) {
    heardNanos = ticker.nowNanos();
    warmth = reply.hasWarm() ? Optional.of(reply.getWarm()) : Optional.empty();
  }

  private void answered(AppendCopyRequest request) {
    boolean reachedNow;
    boolean readMore;
    synchronized (this) {
      if (closed) {
        return;
      }
      underWay = null;
      if (request.getDropBelow() != 0) {
        droppedThere = new Lsn(request.getDropBelow());
      }
      readMore = !copied && older.isEmpty();
      framesToCatchUp -= framesUnderWay;
      reachedNow = copied && !caughtUp && framesToCatchUp <= 0;
      caughtUp |= reachedNow;
    }
    if (request.getFramesCount() > 0) {
      // A snapshot stands for all records up to its own LSN.
      listener.acknowledged(new Lsn(request.getFrames(request.getFramesCount() - 1).getLsn()));
    }
    if (reachedNow) {
      listener.caughtUp();
    }
    if (readMore) {
      readNext();
    }
    send();
  }

  private void lose(WeftException why) {
    synchronized (this) {
      if (closed) {
        return;
      }
    }
    close();
    listener.lost(why);
  }

  /** Sends nothing more; the listener gets no more calls. */
  @Override
  public void close() {
    JournalCopy open;
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
      open = copied ? null : copy;
      older.clear();
      live.clear();
    }
    if (open != null) {
      open.close();
    }
    calls.close();
  }
}
