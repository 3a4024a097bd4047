package org.weft.metadata.check;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.attributes.ParentHint;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.wire.CheckState;

/**
 * A check of a volume (P 6.8d). It goes through the numbers of objects, a window at a time. It
 * reads and compares what all OSDs have of these, and walks through the names in directories among
 * them. Nodes that have several names are counted meanwhile, in further passes if they are many. So
 * memory is bounded, whatever the volume holds. After each window it rests for as long as that
 * took, so that clients have half of the OSDs' time. It keeps nothing that outlives the manager.
 * Single-threaded, on the volume's thread.
 */
final class VolumeCheck {
  private static final Logger LOG = LoggerFactory.getLogger(VolumeCheck.class);
  private static final int OBJECTS_AT_ONCE = 512;
  private static final int MAX_SEVERAL = 200_000;
  private static final int MAX_RECOUNTS = 3;
  private static final int MAX_FAILURES = 10;
  private static final int MAX_PARITY_TRIES = 10;
  private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(2);

  private enum Phase {
    FLUSH,
    WINDOWS,
    COUNTS,
    TREES,
    PARITY_AGAIN
  }

  private final long id;
  private final boolean parity;
  private final CheckedVolume volume;
  private final Steps steps;
  private final LongSupplier clockNanos;
  private final long begunNanos;
  private final FindingList findings = new FindingList();
  private final CheckProgress progress = new CheckProgress();

  /** Names in some directory of this pass could not be had. */
  private boolean uncounted;

  private final ManyNames several = new ManyNames(MAX_SEVERAL);
  private final UsageComparison sums = new UsageComparison();
  private final ObjectJudge judge;
  private final SecondLook second;
  private final ParityLook ofParity;
  private final Pace pace;
  private final DirectoryWalk.Parts walks;
  private final Map<OsdId, Integer> failures = new HashMap<>();
  private final SortedSet<OsdId> silent = new TreeSet<>();
  private CheckState state = CheckState.CHECK_RUNNING;
  private String doing = "everything that is decided is brought to the OSDs";
  private Phase phase = Phase.FLUSH;
  private boolean underWay;
  private long notBeforeNanos;
  private long endedNanos;
  private int failed;
  private int pass;
  private int recounts;
  private int sumTries;
  private int parityTries;
  private long restNanos;
  private Lsn passBegun = Lsn.ZERO;
  private ObjectId reached = new ObjectId(0);

  /**
   * @param id which no other check of the volume has
   * @param parity compare it with the data as well
   * @param clockNanos a monotonic clock
   * @param home the volume's thread
   */
  VolumeCheck(
      long id, boolean parity, CheckedVolume volume, LongSupplier clockNanos, Executor home) {
    this.id = id;
    this.parity = parity;
    this.volume = volume;
    this.steps = new Steps(home);
    this.clockNanos = clockNanos;
    this.begunNanos = clockNanos.getAsLong();
    this.notBeforeNanos = begunNanos;
    this.judge = new ObjectJudge(volume);
    this.second = new SecondLook(volume, steps, findings);
    this.ofParity = new ParityLook(volume, steps, second, findings, progress);
    this.pace = new Pace(clockNanos);
    this.walks =
        new DirectoryWalk.Parts(volume, steps, second, findings, progress, several, pace, judge);
  }

  long id() {
    return id;
  }

  boolean parity() {
    return parity;
  }

  CheckState state() {
    return state;
  }

  String doing() {
    return doing;
  }

  FindingList findings() {
    return findings;
  }

  CheckProgress progress() {
    return progress;
  }

  long elapsedNanos() {
    return (isRunning() ? clockNanos.getAsLong() : endedNanos) - begunNanos;
  }

  boolean isRunning() {
    return state == CheckState.CHECK_RUNNING;
  }

  /** To be called now and then, while the volume is served. */
  void look() {
    pace.look();
    if (!isRunning() || underWay || clockNanos.getAsLong() - notBeforeNanos < 0) {
      return;
    }
    underWay = true;
    pace.begin();
    var unused = step().whenCompleteAsync((nothing, failure) -> stepped(failure), steps.home());
  }

  /** Nothing more is looked at. */
  void end(CheckState how, String why) {
    if (isRunning()) {
      state = how;
      doing = why;
      endedNanos = clockNanos.getAsLong();
      pace.end();
    }
  }

  private void stepped(Throwable failure) {
    underWay = false;
    long nowNanos = clockNanos.getAsLong();
    if (failure == null) {
      failed = 0;
      notBeforeNanos = nowNanos + pace.workedNanos() + restNanos;
      restNanos = 0;
      return;
    }
    String why = WeftException.of(failure).getMessage();
    LOG.warn("the check of the volume at object {}: {}", reached, why);
    notBeforeNanos = nowNanos + RETRY_NANOS;
    failed++;
    if (failed >= MAX_FAILURES) {
      end(CheckState.CHECK_FAILED, why + "; start it again when this is mended");
    }
  }

  private CompletionStage<Void> step() {
    return switch (phase) {
      case FLUSH -> flush();
      case WINDOWS -> window();
      case COUNTS -> counts();
      case TREES -> trees();
      case PARITY_AGAIN -> parityAgain();
    };
  }

  private CompletionStage<Void> flush() {
    Lsn now = volume.lastLsn();
    sums.begin(volume.trees());
    return volume
        .flushed()
        .thenAccept(
            nothing -> {
              passBegun = now;
              uncounted = false;
              reached = new ObjectId(0);
              pass++;
              phase = Phase.WINDOWS;
              doing = pass == 1 ? "objects and names" : "names of nodes that have several";
            });
  }

  private CompletionStage<Void> window() {
    SortedSet<OsdId> asked = new TreeSet<>(volume.serving());
    asked.removeAll(silent);
    return ObjectWindow.list(volume, asked, reached, OBJECTS_AT_ONCE, this::unheard)
        .thenCompose(
            window ->
                Stores.ask(volume, steps, window.byOsd())
                    .thenCompose(
                        stores ->
                            look(window, asked, stores)
                                .thenAccept(nothing -> passed(window, asked, stores))));
  }

  private void sum(ObjectWindow window, SortedSet<OsdId> asked, Stores stores) {
    if (!sums.hasTrees()) {
      return;
    }
    boolean isWhole = asked.equals(volume.all());
    for (ObjectId object : window.objects()) {
      isWhole &= stores.answered(object).containsAll(asked);
      if (!volume.live(object).removed()) {
        stores.newest(object).ifPresent(page -> sums.saw(page.attributes()));
      }
    }
    if (!isWhole) {
      sums.incomplete();
    }
  }

  /** One that fails again and again is left out. */
  private void unheard(OsdId osd) {
    if (failures.merge(osd, 1, Integer::sum) >= MAX_FAILURES / 2) {
      silent.add(osd);
    }
  }

  private void passed(ObjectWindow window, SortedSet<OsdId> asked, Stores stores) {
    sum(window, asked, stores);
    reached = window.last();
    if (!window.more()) {
      SortedSet<OsdId> unasked = new TreeSet<>(volume.all());
      unasked.removeAll(asked);
      if (pass == 1) {
        unasked.forEach(
            osd ->
                findings.unchecked(
                    "what osd-%s holds: it does not reply, or is not back in service; start it and check again"
                        .formatted(osd)));
      }
      phase = Phase.COUNTS;
    }
  }

  private CompletionStage<Void> look(ObjectWindow window, SortedSet<OsdId> asked, Stores stores) {
    Map<ObjectId, Attributes> newest = new TreeMap<>();
    for (ObjectId object : window.objects()) {
      // An OSD whose list goes past the object without naming it does not have it.
      asked.stream()
          .filter(osd -> !has(window, osd, object))
          .forEach(osd -> stores.told(osd, object));
      stores.newest(object).ifPresent(page -> newest.put(object, page.attributes()));
    }
    List<ObjectId> directories =
        newest.values().stream().filter(Attributes::isDirectory).map(Attributes::object).toList();
    newest.values().stream()
        .filter(node -> node.parent().equals(ParentHint.MANY))
        .forEach(node -> several.saw(node.object()));
    if (pass > 1) {
      return steps.each(directories, this::walk);
    }
    return volume
        .states(List.copyOf(window.objects()), newest)
        .thenCompose(states -> look(window, states, stores, directories));
  }

  private static boolean has(ObjectWindow window, OsdId osd, ObjectId object) {
    return Collections.binarySearch(window.byOsd().getOrDefault(osd, List.of()), object) >= 0;
  }

  private CompletionStage<Void> look(
      ObjectWindow window,
      Map<ObjectId, NodeState> states,
      Stores stores,
      List<ObjectId> directories) {
    Set<ObjectId> suspects = new LinkedHashSet<>();
    for (ObjectId object : window.objects()) {
      progress.objects++;
      NodeState known = states.get(object);
      boolean isDoubtful =
          known == null
              || known.named() == NodeState.Named.UNKNOWN
              || !judge.judge(known, stores.of(object), stores.answered(object)).isEmpty();
      if (isDoubtful) {
        suspects.add(object);
      }
      progress.written += known != null && known.live().busy() ? 1 : 0;
    }
    DirectoryCopies copies = new DirectoryCopies(walks);
    return second
        .at(List.copyOf(suspects), judge)
        .thenCompose(
            nothing ->
                steps.each(
                    directories.stream().filter(states::containsKey).toList(),
                    directory -> compare(copies, states.get(directory))))
        .thenCompose(nothing -> steps.each(directories, this::walk))
        .thenCompose(
            nothing ->
                parity
                    ? steps.each(List.copyOf(states.values()), ofParity::look)
                    : CompletableFuture.completedStage(null));
  }

  private static CompletionStage<Void> compare(DirectoryCopies copies, NodeState directory) {
    return directory.attributes().isEmpty() || directory.live().removed()
        ? CompletableFuture.completedStage(null)
        : copies.compare(directory.attributes().get(), directory.live());
  }

  private CompletionStage<Void> walk(ObjectId directory) {
    if (!isRunning()) {
      return CompletableFuture.completedStage(null);
    }
    DirectoryWalk walk = new DirectoryWalk(walks, directory, pass > 1);
    return walk.walk().thenAccept(nothing -> uncounted |= walk.isBroken());
  }

  /**
   * All names were walked through. Each name of a node that has not changed since the pass began
   * was met once. Other nodes are counted again.
   */
  private CompletionStage<Void> counts() {
    List<ObjectId> counted = several.counted();
    List<List<ObjectId>> parts = new ArrayList<>();
    for (int from = 0; from < counted.size(); from += CheckedVolume.MAX_STATES) {
      parts.add(counted.subList(from, Math.min(counted.size(), from + CheckedVolume.MAX_STATES)));
    }
    List<ObjectId> changed = new ArrayList<>();
    return steps
        .each(
            parts,
            part ->
                volume
                    .states(part, Map.of())
                    .thenCompose(
                        states ->
                            steps.each(
                                List.copyOf(states.values()), state -> count(state, changed))))
        .thenAccept(nothing -> counted(changed));
  }

  private CompletionStage<Void> count(NodeState state, List<ObjectId> changed) {
    boolean isLeft =
        state.attributes().isEmpty() || state.live().removed() || state.live().orphan();
    if (isLeft || !state.attributes().get().parent().equals(ParentHint.MANY)) {
      return CompletableFuture.completedStage(null);
    }
    Attributes node = state.attributes().get();
    int names = several.count(state.object());
    if (names == node.links()) {
      return CompletableFuture.completedStage(null);
    }
    if (uncounted) {
      findings.unchecked(
          "how many names lead to object %s: not all directories could be read"
              .formatted(state.object()));
      return CompletableFuture.completedStage(null);
    }
    if (node.changeLsn().compareTo(passBegun) > 0) {
      changed.add(state.object());
      return CompletableFuture.completedStage(null);
    }
    return second.tell(
        Suspicion.of(
            names == 0 ? FindingKind.OBJECT_WITHOUT_NAME : FindingKind.WRONG_LINK_COUNT,
            state.object(),
            "object %s has %d names, and its link count is %d"
                .formatted(state.object(), names, node.links())));
  }

  private void counted(List<ObjectId> changed) {
    if (!changed.isEmpty() && recounts < MAX_RECOUNTS) {
      recounts++;
      several.again(changed);
      phase = Phase.FLUSH;
      return;
    }
    changed.forEach(
        object ->
            findings.unchecked(
                "how many names lead to object %s: it changed all the time".formatted(object)));
    recounts = 0;
    phase = several.next() ? Phase.FLUSH : Phase.TREES;
  }

  /** A tree with a wrong usage is reported if a further pass finds the same. */
  private CompletionStage<Void> trees() {
    List<Suspicion> wrong = sums.isWhole() ? sums.wrong(volume.trees()) : List.of();
    if (!wrong.isEmpty() && sumTries < MAX_RECOUNTS) {
      sumTries++;
      phase = Phase.FLUSH;
      return CompletableFuture.completedStage(null);
    }
    if (!sums.isWhole() && sums.hasTrees()) {
      findings.unchecked(
          "what directories with quotas hold: not all OSDs have told; check again when they are back");
    }
    boolean isOfLost = !wrong.isEmpty() && findings.hasLostNodes();
    if (isOfLost) {
      findings.unchecked(
          "what directories with quotas hold: files whose attributes are lost go on being counted");
    }
    return steps
        .each(isOfLost ? List.of() : wrong, second::tell)
        .thenAccept(
            nothing -> {
              if (ofParity.hasLater()) {
                phase = Phase.PARITY_AGAIN;
                doing = "parity of files that were written";
              } else {
                end(CheckState.CHECK_DONE, "done");
              }
            });
  }

  /** Files that were not at rest: what they wait for is over in seconds, or goes on for long. */
  private CompletionStage<Void> parityAgain() {
    parityTries++;
    return volume
        .flushed()
        .thenCompose(nothing -> ofParity.again(parityTries >= MAX_PARITY_TRIES))
        .thenAccept(
            nothing -> {
              if (ofParity.hasLater()) {
                restNanos = RETRY_NANOS;
              } else {
                end(CheckState.CHECK_DONE, "done");
              }
            });
  }
}
