package org.weft.metadata.backup;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.weft.metadata.journal.JournalCopy;
import org.weft.metadata.journal.JournalEntry;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.rpc.RpcConnection;
import org.weft.protocol.rpc.RpcException;
import org.weft.protocol.rpc.RpcReply;
import org.weft.protocol.rpc.RpcRequest;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.wire.AppendCopyReply;
import org.weft.protocol.wire.AppendCopyRequest;
import org.weft.protocol.wire.BeginCopyRequest;
import org.weft.protocol.wire.CopiedFrame;
import org.weft.protocol.wire.CopyIdentity;
import org.weft.protocol.wire.WarmCopyState;

/**
 * Sends a journal to a backup: what was there before, file by file, then each entry as it is
 * appended. One request is under way at a time, and what comes meanwhile goes with the next one
 * (group commit). A request that got no answer is repeated, for {@link #PATIENCE_NANOS} at most.
 *
 * <p>The monitor guards all of it; nothing is called under it. Thread-safe.
 */
final class BackupStream implements AutoCloseable {
  /** A request holds about this much, or one frame that is larger. */
  static final int REQUEST_BYTES = 512 << 10;

  /** A request holds no more frames than a journal's queue always has room for. */
  static final int REQUEST_FRAMES = 1_024;

  /** Past this much to be sent, the primary takes no more requests. */
  static final long MOST_QUEUED_BYTES = 16L << 20;

  /** So long the primary acknowledges nothing before it goes on without this backup. */
  static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(1_500);

  static final int CALL_MILLIS = 1_000;
  private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  /** Hears how far the backup is; on any thread, must not block. */
  interface Listener {
    /** The backup has every record up to this one on its disk. */
    void acknowledged(Lsn upTo);

    /** The backup has what was journalled before the copy was begun; it follows from now on. */
    void caughtUp();

    /** Nothing more is sent. */
    void lost(RpcException why);
  }

  private final Environment environment;
  private final Executor reading;
  private final Supplier<CompletionStage<RpcConnection>> connecting;
  private final CopyIdentity identity;
  private final byte[] secret;
  private final Listener listener;

  private final Deque<CopiedFrame> older = new ArrayDeque<>();
  private final Deque<CopiedFrame> live = new ArrayDeque<>();
  private long liveBytes;
  private RpcConnection connection;
  private JournalCopy copy;
  private boolean copied;
  private boolean caughtUp;
  private long framesToCatchUp;
  private Lsn dropBelow = Lsn.ZERO;
  private Lsn droppedThere = Lsn.ZERO;
  private AppendCopyRequest underWay;
  private int framesUnderWay;
  private long sequence;
  private long failingSinceNanos = -1;
  private boolean closed;

  /** The backup has been told that the copy is whole. */
  private boolean toldWhole;

  /** Since {@link #tellRest}. */
  private boolean sentRecords;

  private Lsn redoThere = Lsn.ZERO;
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
    this.environment = environment;
    this.reading = reading;
    this.connecting = connecting;
    this.identity = identity;
    this.secret = secret.clone();
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
        call(Opcode.BEGIN_COPY, begin)
            .thenCompose(
                reply -> {
                  reply.payload().release();
                  return source.get();
                })
            .whenComplete(
                (begun, failure) -> {
                  if (failure != null) {
                    lose(RpcException.of(failure));
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
    return liveBytes <= MOST_QUEUED_BYTES / 2;
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
              lose(RpcException.of(e));
            }
          });
    } catch (RuntimeException | Error e) {
      lose(cannotRead(e));
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
   * and which records need no redo. The answer tells how warm the backup is by now. A record that
   * comes meanwhile waits for that answer, so nothing is told beside a stream of records.
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
  private boolean isSomethingLeftToTell() {
    boolean isBehind = warmth.filter(said -> said.getRecordsBehind() > 0).isPresent();
    return warmth.isPresent() && (isBehind || redoThere.compareTo(dropBelow) < 0);
  }

  private void send(boolean withoutRecords) {
    AppendCopyRequest next;
    synchronized (this) {
      if (closed || underWay != null || copy == null) {
        return;
      }
      Deque<CopiedFrame> frames = older.isEmpty() && copied ? live : older;
      boolean onlyTells = copied && (!toldWhole || withoutRecords && isSomethingLeftToTell());
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
        call(Opcode.APPEND_COPY, next)
            .whenComplete(
                (reply, failure) -> {
                  if (failure != null) {
                    lose(RpcException.of(failure));
                  } else {
                    answered(next, reply);
                  }
                });
  }

  private void answered(AppendCopyRequest request, RpcReply reply) {
    try {
      heard(reply.parse(AppendCopyReply.parser()));
      answered(request);
    } catch (RpcException | RuntimeException | Error e) {
      // Else nothing more is sent, and what waits for this backup is never committed.
      lose(RpcException.of(e));
    }
  }

  private synchronized void heard(AppendCopyReply reply) {
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

  /** Repeats the request, with the same bytes, until it is answered or patience is over. */
  private CompletableFuture<RpcReply> call(Opcode opcode, MessageLite body) {
    CompletableFuture<RpcReply> answer = new CompletableFuture<>();
    attempt(opcode, body, answer);
    return answer;
  }

  private void attempt(Opcode opcode, MessageLite body, CompletableFuture<RpcReply> answer) {
    CompletionStage<RpcConnection> open;
    try {
      open = connected();
    } catch (RuntimeException | Error e) {
      answer.completeExceptionally(e);
      return;
    }
    var unused =
        open.thenCompose(to -> to.call(RpcRequest.proven(opcode, body, CALL_MILLIS, secret)))
            .whenComplete(
                (reply, failure) -> {
                  if (failure == null) {
                    synchronized (this) {
                      failingSinceNanos = -1;
                    }
                    answer.complete(reply);
                  } else {
                    failed(opcode, body, answer, RpcException.of(failure));
                  }
                });
  }

  private void failed(
      Opcode opcode, MessageLite body, CompletableFuture<RpcReply> answer, RpcException why) {
    boolean again =
        switch (why.code()) {
          case CONNECTION_LOST, DEADLINE_EXCEEDED, OVERLOADED -> mayTryAgain();
          default -> false;
        };
    if (!again) {
      answer.completeExceptionally(why);
      return;
    }
    disconnect();
    environment
        .scheduler()
        .schedule(
            RETRY_NANOS, task -> readOrGiveUp(task, answer), () -> attempt(opcode, body, answer));
  }

  private void readOrGiveUp(Runnable task, CompletableFuture<RpcReply> answer) {
    try {
      reading.execute(task);
    } catch (RuntimeException | Error e) {
      answer.completeExceptionally(cannotRead(e));
    }
  }

  private static RpcException cannotRead(Throwable cause) {
    return new RpcException(
        ErrorCode.OVERLOADED, "too many copies are read at once, or no memory is left", cause);
  }

  private synchronized boolean mayTryAgain() {
    long nowNanos = environment.ticker().nowNanos();
    failingSinceNanos = failingSinceNanos == -1 ? nowNanos : failingSinceNanos;
    return !closed && nowNanos - failingSinceNanos < PATIENCE_NANOS;
  }

  private CompletionStage<RpcConnection> connected() {
    synchronized (this) {
      if (closed) {
        return CompletableFuture.failedFuture(
            new RpcException(ErrorCode.CANCELLED, "the copy was given up"));
      }
      if (connection != null && connection.isOpen()) {
        return CompletableFuture.completedFuture(connection);
      }
    }
    return connecting
        .get()
        .thenApply(
            opened -> {
              boolean useless;
              synchronized (this) {
                useless = closed;
                connection = useless ? connection : opened;
              }
              if (useless) {
                opened.close();
              }
              return opened;
            });
  }

  private void disconnect() {
    RpcConnection old;
    synchronized (this) {
      old = connection;
      connection = null;
    }
    if (old != null) {
      old.close();
    }
  }

  private void lose(RpcException why) {
    synchronized (this) {
      if (closed) {
        return;
      }
    }
    close();
    listener.lost(why);
  }

  /** Sends nothing more; the listener hears nothing more. */
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
    disconnect();
  }
}
