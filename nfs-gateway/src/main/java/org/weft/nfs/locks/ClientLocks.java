package org.weft.nfs.locks;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.client.lock.RangeHolder;
import org.weft.nfs.exports.Export;
import org.weft.nfs.monitor.LockUse;
import org.weft.nfs.monitor.MonitoredClient;
import org.weft.nfs.monitor.Watching;
import org.weft.nfs.nlm.NetObject;
import org.weft.nfs.nlm.NlmShare;
import org.weft.nfs.nlm.NlmStatus;
import org.weft.protocol.layout.ByteRange;
import org.weft.protocol.layout.LockSpace;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.seam.Scheduler.OwnedExecutor;

/**
 * The locks of a gateway's clients. A lock is in the journal of the volume's manager when GRANTED
 * is answered or called. This class keeps the waits and the held locks in memory. It reclaims the
 * locks if the gateway's session ends while the gateway goes on. When the gateway is gone the
 * manager keeps its locks for a while for the same owners, at whichever gateway has its address
 * then.
 *
 * <p>Thread-safe; all state is of one executor. Futures complete there and never fail.
 */
public final class ClientLocks implements LockUse, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ClientLocks.class);

  private static final long WATCH_NANOS = TimeUnit.SECONDS.toNanos(2);

  /** A client that is asked to reclaim later gives up its lock: it waits for its manager here. */
  private static final long RECLAIM_NANOS = TimeUnit.SECONDS.toNanos(60);

  /** Clients whose managers are away must not hold all calls that may be under way. */
  private static final long PROMPT_NANOS = TimeUnit.SECONDS.toNanos(3);

  /** For clients that go with an address to another gateway to reclaim there. */
  private static final long LOST_NANOS = TimeUnit.SECONDS.toNanos(45);

  private final Environment environment;
  private final OwnedExecutor home;
  private final WaitingLocks waits;
  private final Renewal renewal;
  private final OwnedFiles files;
  private final ClientStates states = new ClientStates();

  /**
   * Addresses of another gateway since a little while: what it has of their clients is not. With a
   * mark of the last loss: an address that comes and goes is lost anew each time.
   */
  private final Map<InetAddress, Object> lost = new HashMap<>();

  private final Watching watching;
  private final LockAttempts attempts;
  private final Debts debts;
  private final Reservations reservations;
  private boolean closed;

  ClientLocks(LockSource source, GrantedCalls calls, Watching watching, Environment environment) {
    this.watching = watching;
    this.environment = environment;
    this.home = environment.scheduler().newSerialExecutor("nfs-locks");
    this.files = new OwnedFiles(home);
    this.attempts = new LockAttempts(source, environment, home, this::renew, files::forgetIfIdle);
    this.debts = attempts.debts();
    this.reservations = new Reservations(files, attempts);
    this.renewal = new Renewal(attempts::open, home);
    this.waits = new WaitingLocks(files, attempts, calls, environment, home);
    watch();
  }

  /**
   * Begins with none.
   *
   * @param calls tells clients that they have what they waited for
   * @param watching has clients recorded before they are given locks
   */
  public static ClientLocks start(
      LockSource source, GrantedCalls calls, Watching watching, Environment environment) {
    return new ClientLocks(source, calls, watching, environment);
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

  /**
   * LOCK and NM_LOCK.
   *
   * @param monitored its client is on the durable list before it has the lock
   */
  public CompletableFuture<NlmStatus> lock(
      LockRequest request, boolean block, boolean reclaim, boolean monitored) {
    if (!monitored) {
      return onHome(() -> lock(request, block, reclaim));
    }
    if (!MonitoredClient.isName(request.owner().name())) {
      LOG.info("{}: no lock for a host without a proper name", request.owner().client());
      return CompletableFuture.completedFuture(NlmStatus.FAILED);
    }
    return watching
        .watched(request.owner().monitored())
        .thenCompose(
            verdict ->
                switch (verdict) {
                  case WATCHED, UNWATCHED -> onHome(() -> lock(request, block, reclaim));
                  case LATER -> CompletableFuture.completedFuture(NlmStatus.DENIED_GRACE_PERIOD);
                  case TOO_MANY -> CompletableFuture.completedFuture(NlmStatus.DENIED_NOLOCKS);
                });
  }

  private CompletableFuture<NlmStatus> lock(LockRequest asked, boolean block, boolean reclaim) {
    if (files.isForged(asked)) {
      return CompletableFuture.completedFuture(NlmStatus.FAILED);
    }
    LockRequest request = states.stated(asked);
    NlmOwner owner = request.owner();
    if (states.hasStartedAgain(request)) {
      var unused =
          free(
              owner.client(),
              owner.name(),
              request.reserved(),
              // A reservation states no start: one that came before this lock may be of this start.
              file ->
                  file.key.owner().space() == LockSpace.BYTES
                      && file.asked.state() != request.state());
    }
    files
        .find(request)
        .flatMap(file -> file.waitingFor(request.range(), request.exclusive()))
        .filter(WaitingLock::isChanged)
        .ifPresent(waits::confirmed);
    Optional<OwnedFile> found = files.take(request, attempts::open);
    if (found.isEmpty()) {
      return CompletableFuture.completedFuture(NlmStatus.DENIED_NOLOCKS);
    }
    OwnedFile file = found.get();
    Optional<WaitingLock> same = file.waitingFor(request.range(), request.exclusive());
    if (same.isPresent()) {
      if (!block && !same.get().granted) {
        // The one that waits goes on. BLOCKED would promise this caller a GRANTED of its own.
        return CompletableFuture.completedFuture(NlmStatus.DENIED);
      }
      return waits.askedAgain(same.get());
    }
    if (block && !reclaim) {
      return waits.begin(file, request);
    }
    long deadlineNanos = environment.ticker().nowNanos() + (reclaim ? RECLAIM_NANOS : 0);
    return files.during(
        file,
        () ->
            debts
                .pay(file)
                .thenCompose(
                    paid ->
                        paid == NlmStatus.GRANTED
                            ? attempts.attempt(file, request, reclaim, deadlineNanos)
                            : CompletableFuture.completedFuture(NlmStatus.DENIED_GRACE_PERIOD)));
  }

  /**
   * SHARE: the owner opens the file so, and denies that to others. Never waits for another client.
   */
  public CompletableFuture<NlmStatus> share(LockRequest request, NlmShare share, boolean reclaim) {
    LockRequest openings = request.ofOpenings();
    return onHome(
        () -> {
          if (files.isForged(openings)) {
            return CompletableFuture.completedFuture(NlmStatus.FAILED);
          }
          LockRequest asked = states.stated(openings);
          Optional<OwnedFile> found = files.take(asked, attempts::open);
          if (found.isEmpty()) {
            return CompletableFuture.completedFuture(NlmStatus.DENIED_NOLOCKS);
          }
          return reservations.reserve(
              found.get(),
              asked,
              ReservedRanges.of(share, asked.owner().key()),
              reclaim,
              environment.ticker().nowNanos() + (reclaim ? RECLAIM_NANOS : 0));
        });
  }

  /**
   * UNSHARE: the owner has closed the file; GRANTED also if it had reserved nothing. Where this
   * gateway knows nothing each range is unlocked by itself: what others deny must not be in the
   * way.
   */
  public CompletableFuture<NlmStatus> unshare(LockRequest request) {
    LockRequest asked = request.ofOpenings();
    return onHome(
        () -> {
          List<ReservedRanges.Step> steps =
              files.find(asked).isPresent()
                  ? List.of(new ReservedRanges.Step(ByteRange.ALL, false))
                  : ReservedRanges.all(asked.owner().key()).beyond(ReservedRanges.NONE);
          return LockStatus.whileGranted(
              steps, step -> unlock(asked.of(step.range(), step.exclusive())));
        });
  }

  /** CANCEL: GRANTED also if nothing waits. */
  public CompletableFuture<NlmStatus> cancel(LockRequest request) {
    return onHome(
        () -> {
          if (files.isForged(request)) {
            return CompletableFuture.completedFuture(NlmStatus.FAILED);
          }
          files
              .find(request)
              .flatMap(file -> file.waitingFor(request.range(), request.exclusive()))
              .ifPresent(waits::cancel);
          return CompletableFuture.completedFuture(NlmStatus.GRANTED);
        });
  }

  /**
   * UNLOCK: what this gateway has locked for the owner of the file; where it knows nothing, what is
   * kept of the owner.
   */
  public CompletableFuture<NlmStatus> unlock(LockRequest request) {
    return onHome(
        () -> {
          if (files.isForged(request)) {
            return CompletableFuture.completedFuture(NlmStatus.FAILED);
          }
          Optional<OwnedFile> found = files.find(request);
          if (found.isEmpty()) {
            return InheritedLocks.unlock(
                request, attempts.open(request), () -> watching.serves(request.owner().server()));
          }
          OwnedFile file = found.get();
          List.copyOf(file.waiting).stream()
              .filter(each -> each.granted && each.request.range().overlaps(request.range()))
              .forEach(waits::confirmed);
          return files.during(file, () -> attempts.release(file, request.range()));
        });
  }

  /** TEST; empty if the lock would be granted. Fails with a WeftException. */
  public CompletableFuture<Optional<RangeHolder>> test(LockRequest request) {
    return attempts
        .open(request)
        .thenCompose(locks -> locks.test(request.range(), LockAttempts.mode(request)))
        .thenApply(holder -> holder.filter(each -> !InheritedLocks.isOwn(each, request)));
  }

  /** GRANTED_RES. */
  public void answered(InetAddress client, NetObject cookie, NlmStatus status) {
    home.execute(
        () ->
            files.of(client).stream()
                .flatMap(file -> file.waiting.stream())
                .filter(each -> each.granted && each.cookie.equals(cookie))
                .findFirst()
                .ifPresent(each -> waits.answered(each, status)));
  }

  /**
   * FREE_ALL, and NOTIFY of the status monitor: the client has started again, and has none of its
   * locks any more. What it locked from a reserved port is unlocked from one alone, so that no user
   * of the client unlocks what its kernel has locked.
   *
   * <p>Answered when all is unlocked, or after a few seconds: it is tried until it is done.
   *
   * @param state of the client now. What the client locked or reserved in that state or a later one
   *     stays, as the notice may be late or a repeat (P 6.5a.53). 0: nothing stays
   */
  public CompletableFuture<Void> freeAll(InetSocketAddress client, String name, int state) {
    CompletableFuture<Void> answer = new CompletableFuture<>();
    home.execute(
        () -> {
          boolean reserved = Export.isReserved(client);
          boolean again = states.tell(client.getAddress(), name, reserved, state);
          var unused =
              free(
                      client.getAddress(),
                      name,
                      reserved,
                      file -> isOfEarlierStart(file.asked, state, again))
                  .thenRun(() -> answer.complete(null));
          environment.scheduler().schedule(PROMPT_NANOS, home, () -> answer.complete(null));
        });
    return answer;
  }

  /**
   * A lock without a state stays only while the notice repeats the last one heard. Any other notice
   * is of a later start, whatever its number.
   */
  private static boolean isOfEarlierStart(LockRequest asked, int state, boolean toldAgain) {
    boolean earlier = state == 0 || asked.state() == 0 || asked.state() - state < 0;
    return earlier || asked.inferred() && !toldAgain;
  }

  private CompletableFuture<Void> free(
      InetAddress client, String name, boolean reserved, Predicate<OwnedFile> which) {
    List<OwnedFile> its =
        files.of(client).stream()
            .filter(file -> file.key.owner().name().equals(name))
            .filter(file -> reserved || !file.asked.reserved())
            .filter(which)
            .toList();
    if (!its.isEmpty()) {
      LOG.info("{} at {} gives up its locks, on {} files", name, client, its.size());
    }
    List<CompletableFuture<NlmStatus>> freed = new ArrayList<>();
    for (OwnedFile file : its) {
      freed.add(free(file));
    }
    return CompletableFuture.allOf(freed.toArray(CompletableFuture[]::new));
  }

  /** What it waits for, too; repeated until it is done. */
  private CompletableFuture<NlmStatus> free(OwnedFile file) {
    List.copyOf(file.waiting).forEach(waits::cancel);
    return files.during(file, () -> debts.release(file, ByteRange.ALL));
  }

  @Override
  public CompletableFuture<Set<MonitoredClient>> inUse() {
    return onHome(
        () ->
            CompletableFuture.completedFuture(
                files.all().stream()
                    .map(file -> file.key.owner().monitored())
                    .collect(Collectors.toSet())));
  }

  /** What is held and waited for, for people. */
  public CompletableFuture<LockRows.Some> rows() {
    return onHome(() -> CompletableFuture.completedFuture(LockRows.of(files)));
  }

  /**
   * Its clients have time to reclaim at the other gateway; the rest is unlocked. What they wait for
   * they ask of that gateway, too. Granted here later, it would take the place of what they have
   * got there (P 6.5f.5.9).
   */
  @Override
  public void lost(InetAddress server) {
    Object mark = new Object();
    home.execute(
        () -> {
          lost.put(server, mark);
          files.all().stream()
              .filter(file -> file.key.owner().server().equals(server))
              .forEach(this::cancelToAskAnew);
        });
    environment
        .scheduler()
        .schedule(
            LOST_NANOS,
            home,
            () -> {
              if (lost.remove(server, mark) && !closed && !watching.serves(server)) {
                for (OwnedFile file : files.all()) {
                  if (file.key.owner().server().equals(server)) {
                    var unused = free(file);
                  }
                }
              }
            });
  }

  private void watch() {
    environment.scheduler().schedule(WATCH_NANOS, home, this::lookAtSessions);
  }

  private void lookAtSessions() {
    if (closed) {
      return;
    }
    for (OwnedFile file : files.all()) {
      boolean isMine = !lost.containsKey(file.key.owner().server());
      if (isMine && file.holds() && file.underWay == 0 && file.hasLostSession()) {
        var unused =
            files.during(
                file,
                () ->
                    file.hasLostSession()
                        ? renew(file).exceptionally(failure -> null)
                        : CompletableFuture.completedFuture(null));
      }
    }
    watch();
  }

  /**
   * What waits in the old session is asked for anew by its client. What is kept is not touched
   * where the address is another gateway's: its client reclaims and unlocks there.
   */
  private CompletableFuture<Void> renew(OwnedFile file) {
    cancelToAskAnew(file);
    CompletableFuture<Void> renewed =
        watching.serves(file.key.owner().server()) ? renewal.renew(file) : renewal.forget(file);
    return renewed.thenRun(() -> waits.forgetLapsed(file));
  }

  private void cancelToAskAnew(OwnedFile file) {
    for (WaitingLock waiting : List.copyOf(file.waiting)) {
      if (!waiting.granted) {
        waits.cancelToAskAnew(waiting);
      }
    }
  }

  /** Waiting clients get no more calls; locks stay as they are. */
  @Override
  public void close() {
    home.execute(
        () -> {
          closed = true;
          debts.close();
        });
    home.close();
  }
}
