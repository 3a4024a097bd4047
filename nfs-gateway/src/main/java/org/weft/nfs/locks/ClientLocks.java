package org.weft.nfs.locks;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.client.LockHolder;
import org.weft.client.LockMode;
import org.weft.client.LockOwner;
import org.weft.client.LockedFile;
import org.weft.nfs.exports.Export;
import org.weft.nfs.nlm.NetObject;
import org.weft.nfs.nlm.NlmStatus;
import org.weft.protocol.layout.ByteRange;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.rpc.RpcException;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.seam.Scheduler.OwnedExecutor;

/**
 * The locks of a gateway's clients. A lock is in the journal of the volume's manager when GRANTED
 * is answered or called. What is kept here lies in memory: who holds what, so that it is reclaimed
 * if the gateway's session ends while the gateway goes on, and who waits. When the gateway is gone
 * the manager keeps its locks for a while for the same owners, at whichever gateway has its address
 * then.
 *
 * <p>Thread-safe; all state is of one executor. Futures complete there and never fail.
 */
public final class ClientLocks implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ClientLocks.class);

  static final int MOST_FILES = 20_000;
  static final int MOST_WAITING_OF_CLIENT = 256;

  /** A lock that is decided sooner is answered with that, a later one with BLOCKED. */
  private static final long FIRST_ANSWER_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private static final Duration PATIENCE = Duration.ofDays(1);
  private static final long WATCH_NANOS = TimeUnit.SECONDS.toNanos(2);
  private static final long RECLAIM_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  /** Longer than a lease: the session of a gateway that was killed lives so long. */
  private static final long RECLAIM_NANOS = TimeUnit.SECONDS.toNanos(20);

  private final LockSource source;
  private final Environment environment;
  private final OwnedExecutor home;
  private final GrantedNotices notices;
  private final Renewal renewal;
  private final Map<OwnedFile.Key, OwnedFile> files = new HashMap<>();
  private final ClientStates states = new ClientStates();
  private boolean closed;

  ClientLocks(LockSource source, GrantedCalls calls, Environment environment) {
    this.source = source;
    this.environment = environment;
    this.home = environment.scheduler().newSerialExecutor("nfs-locks");
    this.renewal = new Renewal(this::open, home);
    this.notices = new GrantedNotices(calls, environment, home, this::confirmed, this::giveBack);
    watch();
  }

  /** Calls clients by their portmappers. */
  public static ClientLocks start(
      LockSource source, LockManagerCalls calls, Environment environment) {
    return new ClientLocks(source, calls, environment);
  }

  private <T> CompletableFuture<T> onHome(Supplier<CompletableFuture<T>> work) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    home.execute(() -> begin(work, answer));
    return answer;
  }

  private static <T> void begin(Supplier<CompletableFuture<T>> work, CompletableFuture<T> answer) {
    var unused =
        work.get()
            .whenComplete(
                (value, failure) -> {
                  if (failure == null) {
                    answer.complete(value);
                  } else {
                    answer.completeExceptionally(failure);
                  }
                });
  }

  /** Empty if it was done. */
  private static CompletableFuture<Optional<Throwable>> failureOf(CompletableFuture<?> work) {
    return work.<Optional<Throwable>>thenApply(done -> Optional.empty())
        .exceptionally(Optional::of);
  }

  private static LockMode mode(LockRequest request) {
    return request.exclusive() ? LockMode.EXCLUSIVE : LockMode.SHARED;
  }

  private static LockOwner owner(LockRequest request) {
    return new LockOwner(request.owner().key(), true);
  }

  private CompletableFuture<LockedFile> open(LockRequest request) {
    return source.open(request.by(), request.file(), owner(request));
  }

  /** LOCK and NM_LOCK. */
  CompletableFuture<NlmStatus> lock(LockRequest request, boolean block, boolean reclaim) {
    return onHome(
        () -> {
          NlmOwner owner = request.owner();
          if (states.hasStartedAgain(owner, request.state())) {
            var unused =
                free(
                    owner.client(),
                    owner.name(),
                    request.reserved(),
                    file -> file.asked.state() != 0);
          }
          Optional<OwnedFile> found = take(request);
          if (found.isEmpty()) {
            return CompletableFuture.completedFuture(NlmStatus.DENIED_NOLOCKS);
          }
          OwnedFile file = found.get();
          Optional<WaitingLock> same = file.waitingFor(request.range(), request.exclusive());
          if (same.isPresent()) {
            return askedAgain(same.get());
          }
          if (block && !reclaim) {
            return wait(file, request);
          }
          long deadlineNanos = environment.ticker().nowNanos() + (reclaim ? RECLAIM_NANOS : 0);
          return during(file, () -> attempt(file, request, deadlineNanos));
        });
  }

  /** Empty if there are as many as there may be. */
  private Optional<OwnedFile> take(LockRequest request) {
    OwnedFile.Key key = new OwnedFile.Key(request.file(), request.owner());
    OwnedFile file = files.get(key);
    if (file == null) {
      if (files.size() >= MOST_FILES) {
        LOG.warn("{} files are locked by as many owners as may; a lock is refused", MOST_FILES);
        return Optional.empty();
      }
      file = new OwnedFile(key, request, open(request));
      files.put(key, file);
    }
    if (file.opened.isCompletedExceptionally()) {
      file.opened = open(request);
    }
    file.asked = request;
    return Optional.of(file);
  }

  private <T> CompletableFuture<T> during(OwnedFile file, Supplier<CompletableFuture<T>> work) {
    file.underWay++;
    return file.inTurn(work)
        .whenCompleteAsync(
            (value, failure) -> {
              file.underWay--;
              forgetIfIdle(file);
            },
            home);
  }

  private void forgetIfIdle(OwnedFile file) {
    if (file.isIdle()) {
      files.remove(file.key, file);
    }
  }

  /** Asks; where the session has ended in between once more, with what could be reclaimed. */
  private <T> CompletableFuture<T> ask(
      OwnedFile file, Function<LockedFile, CompletableFuture<T>> call) {
    return file.opened
        .thenCompose(call)
        .exceptionallyComposeAsync(
            failure ->
                RpcException.of(failure).code() == ErrorCode.SESSION_EXPIRED
                    ? renew(file).thenCompose(done -> file.opened.thenCompose(call))
                    : CompletableFuture.failedFuture(failure),
            home);
  }

  private CompletableFuture<NlmStatus> attempt(
      OwnedFile file, LockRequest request, long deadlineNanos) {
    return failureOf(
            ask(file, locks -> locks.lockAgain(request.range(), mode(request), Duration.ZERO)))
        .thenComposeAsync(
            failure -> {
              if (failure.isEmpty()) {
                file.locked(request.range(), request.exclusive());
                return CompletableFuture.completedFuture(NlmStatus.GRANTED);
              }
              NlmStatus status = LockStatus.of(failure.get());
              boolean again =
                  (status == NlmStatus.DENIED || status == NlmStatus.DENIED_GRACE_PERIOD)
                      && environment.ticker().nowNanos() - deadlineNanos < 0;
              return again
                  ? after(RECLAIM_PAUSE_NANOS)
                      .thenCompose(x -> attempt(file, request, deadlineNanos))
                  : denied(file, request, status);
            },
            home);
  }

  private CompletableFuture<Void> after(long nanos) {
    CompletableFuture<Void> passed = new CompletableFuture<>();
    environment.scheduler().schedule(nanos, home, () -> passed.complete(null));
    return passed;
  }

  /** By itself, in the session of a gateway that has just gone: its client shall ask again. */
  private CompletableFuture<NlmStatus> denied(
      OwnedFile file, LockRequest request, NlmStatus status) {
    return status != NlmStatus.DENIED
        ? CompletableFuture.completedFuture(status)
        : file.opened
            .thenCompose(locks -> locks.test(request.range(), mode(request)))
            .handle(
                (holder, failure) ->
                    failure == null
                            && holder.filter(each -> KeptLocks.isOwn(each, request)).isPresent()
                        ? NlmStatus.DENIED_GRACE_PERIOD
                        : status);
  }

  private CompletableFuture<NlmStatus> wait(OwnedFile file, LockRequest request) {
    InetAddress client = request.owner().client();
    long ofClient =
        files.values().stream()
            .filter(each -> each.key.owner().client().equals(client))
            .mapToLong(each -> each.waiting.size())
            .sum();
    if (ofClient >= MOST_WAITING_OF_CLIENT) {
      LOG.warn("{} waits for {} locks, as many as may be", client, MOST_WAITING_OF_CLIENT);
      forgetIfIdle(file);
      return CompletableFuture.completedFuture(NlmStatus.DENIED_NOLOCKS);
    }
    byte[] number = new byte[2 * Long.BYTES];
    ByteBuffer.wrap(number)
        .putLong(environment.random().nextLong())
        .putLong(environment.random().nextLong());
    WaitingLock waiting = new WaitingLock(file, request, new NetObject(number));
    file.waiting.add(waiting);
    // Behind what its client asked for before: an unlocking of all that it had must not take this.
    CompletableFuture<LockedFile> ready =
        file.inTurn(() -> CompletableFuture.completedFuture(null)).thenCompose(done -> file.opened);
    var unused =
        ready.whenCompleteAsync(
            (locks, failure) -> {
              if (waiting.over) {
                return;
              }
              waiting.wanted =
                  failure == null
                      ? locks.lockAgain(request.range(), mode(request), PATIENCE)
                      : CompletableFuture.failedFuture(failure);
              var unusedEnd =
                  waiting.wanted.whenCompleteAsync((done, why) -> decided(waiting, why), home);
            },
            home);
    environment
        .scheduler()
        .schedule(FIRST_ANSWER_NANOS, home, () -> waiting.first.complete(NlmStatus.BLOCKED));
    return waiting.first;
  }

  /** Clients ask from time to time: a word of ours may have been lost. */
  private CompletableFuture<NlmStatus> askedAgain(WaitingLock waiting) {
    if (!waiting.granted) {
      return CompletableFuture.completedFuture(
          waiting.first.isDone() ? NlmStatus.BLOCKED : NlmStatus.DENIED_GRACE_PERIOD);
    }
    confirmed(waiting);
    return CompletableFuture.completedFuture(NlmStatus.GRANTED);
  }

  private void decided(WaitingLock waiting, Throwable failure) {
    if (failure != null) {
      // The client asks again, and is told then.
      waiting.first.complete(LockStatus.of(failure));
      end(waiting);
      return;
    }
    OwnedFile file = waiting.file;
    waiting.granted = true;
    waiting.before = file.within(waiting.request.range());
    file.locked(waiting.request.range(), waiting.request.exclusive());
    if (waiting.over) {
      giveBack(waiting);
    } else if (waiting.first.complete(NlmStatus.GRANTED)) {
      end(waiting);
    } else {
      waiting.grantedNanos = environment.ticker().nowNanos();
      notices.tell(waiting);
    }
  }

  private void end(WaitingLock waiting) {
    waiting.over = true;
    waiting.file.waiting.remove(waiting);
    forgetIfIdle(waiting.file);
  }

  private void confirmed(WaitingLock waiting) {
    end(waiting);
  }

  /** It was granted, and its client does not want it or is not heard of. */
  private void giveBack(WaitingLock waiting) {
    OwnedFile file = waiting.file;
    waiting.over = true;
    file.waiting.remove(waiting);
    var unused = during(file, () -> restore(file, waiting));
  }

  /** The owner has again what it had before; in between nobody else gets it. */
  private CompletableFuture<Void> restore(OwnedFile file, WaitingLock waiting) {
    CompletableFuture<Void> done = CompletableFuture.completedFuture(null);
    for (ByteRange range : waiting.before.shared().list()) {
      done =
          done.thenCompose(x -> attempt(file, waiting.request.shared(range), 0))
              .thenApply(status -> null);
    }
    for (ByteRange range : waiting.before.notHeld(waiting.request.range())) {
      done = done.thenCompose(x -> release(file, range)).thenApply(status -> null);
    }
    return done;
  }

  private CompletableFuture<NlmStatus> release(OwnedFile file, ByteRange range) {
    return ask(file, locks -> locks.unlock(range))
        .handleAsync(
            (heldAll, failure) -> {
              if (failure != null) {
                return LockStatus.of(failure);
              }
              file.unlocked(range);
              return NlmStatus.GRANTED;
            },
            home);
  }

  /** CANCEL: GRANTED also if nothing waits. */
  CompletableFuture<NlmStatus> cancel(LockRequest request) {
    return onHome(
        () -> {
          Optional.ofNullable(files.get(new OwnedFile.Key(request.file(), request.owner())))
              .flatMap(file -> file.waitingFor(request.range(), request.exclusive()))
              .ifPresent(this::cancel);
          return CompletableFuture.completedFuture(NlmStatus.GRANTED);
        });
  }

  private void cancel(WaitingLock waiting) {
    if (waiting.granted) {
      giveBack(waiting);
      return;
    }
    // If it is given at this moment it is given back when that is told.
    waiting.over = true;
    waiting.first.complete(NlmStatus.DENIED);
    if (waiting.wanted == null || waiting.wanted.cancel(false)) {
      end(waiting);
    }
  }

  /** UNLOCK. */
  CompletableFuture<NlmStatus> unlock(LockRequest request) {
    return onHome(
        () -> {
          OwnedFile file = files.get(new OwnedFile.Key(request.file(), request.owner()));
          if (file == null) {
            return KeptLocks.unlock(request, open(request));
          }
          List.copyOf(file.waiting).stream()
              .filter(each -> each.granted && each.request.range().overlaps(request.range()))
              .forEach(this::confirmed);
          return during(file, () -> release(file, request.range()));
        });
  }

  /** TEST; empty if the lock would be granted. Fails with an RpcException. */
  CompletableFuture<Optional<LockHolder>> test(LockRequest request) {
    return open(request)
        .thenCompose(locks -> locks.test(request.range(), mode(request)))
        .thenApply(holder -> holder.filter(each -> !KeptLocks.isOwn(each, request)));
  }

  /** GRANTED_RES. */
  void answered(InetAddress client, NetObject cookie, NlmStatus status) {
    home.execute(
        () ->
            files.values().stream()
                .filter(file -> file.key.owner().client().equals(client))
                .flatMap(file -> file.waiting.stream())
                .filter(each -> each.granted && each.cookie.equals(cookie))
                .findFirst()
                .ifPresent(each -> notices.answered(each, status)));
  }

  /**
   * FREE_ALL, and NOTIFY of the status monitor: the client has started again, and has none of its
   * locks any more. What it locked from a reserved port is unlocked from one alone, so that no user
   * of the client unlocks what its kernel has locked.
   *
   * @param state of the client now; what it locked in that state stays. 0: nothing stays
   */
  CompletableFuture<Void> freeAll(InetSocketAddress client, String name, int state) {
    return onHome(
        () ->
            free(
                client.getAddress(),
                name,
                Export.isReserved(client),
                file -> state == 0 || file.asked.state() != state));
  }

  private CompletableFuture<Void> free(
      InetAddress client, String name, boolean reserved, Predicate<OwnedFile> which) {
    List<OwnedFile> its =
        files.values().stream()
            .filter(file -> file.key.owner().client().equals(client))
            .filter(file -> file.key.owner().name().equals(name))
            .filter(file -> reserved || !file.asked.reserved())
            .filter(which)
            .toList();
    LOG.info("{} at {} gives up its locks, on {} files", name, client, its.size());
    List<CompletableFuture<NlmStatus>> freed = new ArrayList<>();
    for (OwnedFile file : its) {
      List.copyOf(file.waiting).forEach(this::cancel);
      freed.add(during(file, () -> release(file, ByteRange.ALL)));
    }
    return CompletableFuture.allOf(freed.toArray(CompletableFuture[]::new));
  }

  private void watch() {
    environment.scheduler().schedule(WATCH_NANOS, home, this::lookAtSessions);
  }

  private void lookAtSessions() {
    if (closed) {
      return;
    }
    for (OwnedFile file : List.copyOf(files.values())) {
      if (file.holds() && file.underWay == 0 && file.hasLostSession()) {
        var unused =
            during(
                file,
                () ->
                    file.hasLostSession()
                        ? renew(file).exceptionally(failure -> null)
                        : CompletableFuture.completedFuture(null));
      }
    }
    watch();
  }

  /** What waits in the old session is asked for anew by its client. */
  private CompletableFuture<Void> renew(OwnedFile file) {
    for (WaitingLock waiting : List.copyOf(file.waiting)) {
      if (!waiting.granted) {
        waiting.first.complete(NlmStatus.DENIED_GRACE_PERIOD);
        cancel(waiting);
      }
    }
    return renewal.renew(file);
  }

  /** Those that wait hear no more; locks stay as they are. */
  @Override
  public void close() {
    home.execute(() -> closed = true);
    home.close();
  }
}
