package org.weft.metadata.recovery;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.client.osd.OsdClient;
import org.weft.metadata.access.OsdTrouble;
import org.weft.metadata.access.OsdWait;
import org.weft.metadata.access.WaitSink;
import org.weft.metadata.access.Waiting;
import org.weft.metadata.grant.WriteGrant;
import org.weft.protocol.capability.SignedCapability;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.StorageMap;
import org.weft.protocol.retry.Backoff;
import org.weft.recovery.resolve.ResolveOutcome;

/**
 * Resolves files whose writers went away or lost a component (P 5.5, 5.8), a few at a time, each
 * until it succeeds. What lies on OSDs that SysMgr has given up is marked missing first, in the
 * journal; while another one does not answer there is nothing to do but wait and say so, for what
 * it holds may decide. Readers go on with the published length meanwhile; writers are told to wait.
 *
 * <p>Every step may be repeated, also by a later manager. Confined to the volume's thread.
 */
public final class GrantRecovery {
  private static final Logger LOG = LoggerFactory.getLogger(GrantRecovery.class);
  private static final int MAX_AT_ONCE = 4;
  private static final int MAX_WARNINGS = 100;

  /** Of more files all are looked at only now and then: after a recovery there may be very many. */
  private static final int MANY_FILES = 256;

  private static final long LOOK_AT_ALL_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  /** Without jitter: of however many that wait a volume tries four at a time. */
  private static final Backoff RETRIES =
      Backoff.exact(TimeUnit.MILLISECONDS.toNanos(500), TimeUnit.SECONDS.toNanos(10));

  /** How far one file has come. */
  private static final class Attempt {
    private boolean underWay;
    private long turn;
    private long notBeforeNanos;
    private int failures;
    private String problem = "";

    /** The OSD that the last attempts failed at, and how many did in a row. */
    private Optional<OsdId> trouble = Optional.empty();

    private int failuresThere;

    Attempt(long nowNanos) {
      notBeforeNanos = nowNanos;
    }
  }

  private final AbandonedFiles files;
  private final VersionRaiser versions;
  private final FileResolver resolver;
  private final Executor home;
  private final WaitSink waits;
  private final TreeMap<ObjectId, Attempt> attempts = new TreeMap<>();
  private final Set<String> warnings = new LinkedHashSet<>();
  private final Deque<WriteGrant> due = new ArrayDeque<>();
  private int underWay;
  private long turns;
  private boolean isMany;
  private long lookedNanos;

  /**
   * @param metaCopies components with a smaller index hold attributes
   * @param home the volume's thread
   * @param waits hears which OSDs files wait for
   */
  public GrantRecovery(
      AbandonedFiles files,
      OsdClient osds,
      int metaCopies,
      FileResolver resolver,
      Executor home,
      WaitSink waits) {
    this.waits = waits;
    this.files = files;
    this.versions = new VersionRaiser(osds, metaCopies);
    this.resolver = resolver;
    this.home = home;
  }

  /** Looks for something to begin; to be called now and then. */
  public void look(long nowNanos) {
    if (!isMany || nowNanos - lookedNanos >= LOOK_AT_ALL_NANOS) {
      lookAtAll(nowNanos);
    }
    while (underWay < MAX_AT_ONCE && !due.isEmpty()) {
      WriteGrant grant = due.remove();
      Attempt attempt = attempts.get(grant.object());
      if (attempt != null && !attempt.underWay && nowNanos - attempt.notBeforeNanos >= 0) {
        begin(grant, attempt, nowNanos);
      }
    }
  }

  private void lookAtAll(long nowNanos) {
    lookedNanos = nowNanos;
    List<WriteGrant> all = new ArrayList<>();
    Set<ObjectId> waiting = new HashSet<>();
    for (WriteGrant grant : files.waiting()) {
      all.add(grant);
      waiting.add(grant.object());
    }
    isMany = all.size() > MANY_FILES;
    // Of those that ended another way nothing is left to say.
    attempts
        .entrySet()
        .removeIf(each -> !each.getValue().underWay && !waiting.contains(each.getKey()));
    waits.waits(OsdWait.RESOLVE, waiting());
    all.removeIf(
        grant -> {
          Attempt attempt =
              attempts.computeIfAbsent(grant.object(), object -> new Attempt(nowNanos));
          return attempt.underWay || nowNanos - attempt.notBeforeNanos < 0;
        });
    // The file tried longest ago comes first: one that cannot be resolved now must not hold up
    // others.
    all.sort(Comparator.comparingLong(grant -> attempts.get(grant.object()).turn));
    due.clear();
    due.addAll(all);
  }

  /** One failure may be of a moment that is long over when the next attempt begins. */
  private SortedMap<OsdId, Waiting> waiting() {
    SortedMap<OsdId, Waiting> waiting = new TreeMap<>();
    for (Attempt attempt : attempts.values()) {
      if (attempt.failuresThere > 1) {
        attempt.trouble.ifPresent(osd -> waiting.put(osd, new Waiting(attempt.problem, 0)));
      }
    }
    return waiting;
  }

  private void begin(WriteGrant grant, Attempt attempt, long nowNanos) {
    attempt.underWay = true;
    attempt.turn = ++turns;
    underWay++;
    var unused =
        putInOrder(grant)
            .whenCompleteAsync((lsn, failure) -> ended(grant, attempt, nowNanos, failure), home);
  }

  private CompletableFuture<Lsn> putInOrder(WriteGrant grant) {
    return files.isNameless(grant)
        ? files.remove(grant)
        : files.begin(grant).thenCompose(begun -> resolve(grant, begun));
  }

  private CompletableFuture<Lsn> resolve(WriteGrant grant, AbandonedFiles.Begun begun) {
    SignedCapability capability = files.capability(grant, begun.number());
    return versions
        .raise(grant.object(), begun, files.leftBehind(grant, begun), capability)
        .thenComposeAsync(raised -> files.requireKnownStarts(begun), home)
        .thenCompose(known -> resolver.resolve(grant, begun, capability, false))
        .thenComposeAsync(outcome -> settle(grant, begun, outcome), home);
  }

  private CompletableFuture<Lsn> settle(
      WriteGrant grant, AbandonedFiles.Begun begun, ResolveOutcome outcome) {
    if (outcome.lost().isEmpty()) {
      return finish(grant, begun, outcome);
    }
    int component = outcome.lost().firstKey();
    LOG.warn(
        "object {} goes without component {}: {}",
        grant.object(),
        component,
        outcome.lost().get(component));
    CompletableFuture<Lsn> settled = new CompletableFuture<>();
    var unused =
        files
            .lose(grant, begun.map().osdOf(component))
            .whenCompleteAsync(
                (marked, thrown) ->
                    passOn(
                        thrown == null
                            ? putInOrder(grant)
                            : unmarked(grant, begun, outcome, WeftException.of(thrown)),
                        settled),
                home);
    return settled;
  }

  private CompletableFuture<Lsn> unmarked(
      WriteGrant grant, AbandonedFiles.Begun begun, ResolveOutcome outcome, WeftException refusal) {
    return refusal.code() == ErrorCode.TOO_MANY_LOST
        ? takeAsItIs(grant, begun, outcome)
        : CompletableFuture.failedFuture(refusal);
  }

  private static void passOn(CompletableFuture<Lsn> from, CompletableFuture<Lsn> to) {
    var unused =
        from.whenComplete(
            (value, thrown) -> {
              if (thrown == null) {
                to.complete(value);
              } else {
                to.completeExceptionally(WeftException.of(thrown));
              }
            });
  }

  /** All its OSDs have answered, and no other OSD has what they lack (P 5.9). */
  private CompletableFuture<Lsn> takeAsItIs(
      WriteGrant grant, AbandonedFiles.Begun begun, ResolveOutcome lost) {
    warn(
        "object %s, written by %s, has lost more components than it has parity units (%s); what is left is taken as it is, check the file's content"
            .formatted(grant.object(), grant.clientName(), lost.lost().values()));
    return resolver
        .resolve(grant, begun, files.capability(grant, begun.number()), true)
        .thenComposeAsync(
            outcome ->
                outcome.lost().isEmpty()
                    ? finish(grant, begun, outcome)
                    : goOnWithout(grant, begun, outcome),
            home);
  }

  /** Once the journal says so, for what is decided next relies on it. */
  private CompletableFuture<Lsn> goOnWithout(
      WriteGrant grant, AbandonedFiles.Begun begun, ResolveOutcome outcome) {
    int component = outcome.lost().firstKey();
    return files
        .giveUp(grant, begun.map().osdOf(component), outcome.lost().get(component))
        .thenComposeAsync(marked -> putInOrder(grant), home);
  }

  private CompletableFuture<Lsn> finish(
      WriteGrant grant, AbandonedFiles.Begun begun, ResolveOutcome outcome) {
    if (outcome.decided() > 0) {
      LOG.info(
          "object {}: {} pending writes decided, {} of them undone",
          grant.object(),
          outcome.decided(),
          outcome.undone());
    }
    String damage = damage(grant, begun.map(), outcome);
    if (!damage.isEmpty()) {
      LOG.warn("object {}, {}", grant.object(), damage);
    }
    return files.finish(
        grant,
        new AbandonedFiles.Resolved(
            begun, outcome.sizeBytes(), new TreeSet<>(outcome.gone().keySet()), damage));
  }

  /** What an operator is to know of a file, and can do; nothing if all of it can be rebuilt. */
  private static String damage(WriteGrant grant, StorageMap map, ResolveOutcome outcome) {
    List<String> what = new ArrayList<>();
    if (!isBearable(map, outcome.gone().keySet())) {
      what.add(
          "components were lost with the power of their OSDs (%s), and what cannot be computed from the others is not read any more"
              .formatted(String.join("; ", outcome.gone().values())));
    }
    if (!outcome.damaged().isEmpty()) {
      what.add(
          "some bytes may be older than what was acknowledged (%s)"
              .formatted(String.join("; ", outcome.damaged().values())));
    }
    return what.isEmpty()
        ? ""
        : "written by %s: %s; compare it with its source, and replace or remove it: that ends this warning"
            .formatted(grant.clientName(), String.join(", and ", what));
  }

  private static boolean isBearable(StorageMap map, Set<Integer> gone) {
    TreeSet<Integer> missing = new TreeSet<>(map.missing());
    missing.addAll(gone);
    return gone.stream().allMatch(component -> map.bearsInGroupOf(component, missing));
  }

  private void warn(String warning) {
    if (!warnings.contains(warning)) {
      LOG.warn(warning);
    }
    if (warnings.size() < MAX_WARNINGS) {
      warnings.add(warning);
    }
  }

  private void ended(WriteGrant grant, Attempt attempt, long begunNanos, Throwable failure) {
    attempt.underWay = false;
    underWay--;
    if (failure == null) {
      attempts.remove(grant.object());
      LOG.info(
          "object {} is in order again after {} went away or lost an OSD",
          grant.object(),
          grant.clientName());
      return;
    }
    String problem = WeftException.of(failure).getMessage();
    if (!problem.equals(attempt.problem)) {
      LOG.warn("object {} waits to be resolved: {}", grant.object(), problem);
    }
    Optional<OsdId> trouble = OsdTrouble.osdIn(failure);
    attempt.failuresThere = trouble.equals(attempt.trouble) ? attempt.failuresThere + 1 : 1;
    attempt.trouble = trouble;
    attempt.problem = problem;
    attempt.notBeforeNanos = begunNanos + RETRIES.exactNanos(++attempt.failures);
  }

  /** OSDs have come or gone: what waits is tried again at once. */
  public void clusterChanged(long nowNanos) {
    for (Attempt attempt : attempts.values()) {
      attempt.notBeforeNanos = nowNanos;
      attempt.failures = 0;
    }
  }

  /** Files that have lost more than their code bears. */
  public List<String> warnings() {
    return List.copyOf(warnings);
  }

  /** What the oldest of the files that cannot be resolved waits for. */
  public Optional<String> problem() {
    return attempts.values().stream()
        .map(attempt -> attempt.problem)
        .filter(problem -> !problem.isEmpty())
        .findFirst();
  }
}
