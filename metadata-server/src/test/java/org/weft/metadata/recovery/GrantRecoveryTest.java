package org.weft.metadata.recovery;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.weft.metadata.access.WaitSink;
import org.weft.metadata.grant.WriteGrant;
import org.weft.metadata.journal.SuspectOsds;
import org.weft.protocol.capability.Capability;
import org.weft.protocol.capability.SignedCapability;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.ObjectName;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.id.SessionId;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.layout.StorageMap;
import org.weft.recovery.resolve.ResolveOutcome;

/** Which files are resolved when, and what an operator hears of them (P 5.5, 5.9). */
class GrantRecoveryTest {
  private static final long SECOND_NANOS = 1_000_000_000L;

  private final Files files = new Files();
  private final GrantRecovery recovery =
      // Its maps name no component that is there: no OSD is asked.
      new GrantRecovery(files, null, 3, files::resolve, Runnable::run, WaitSink.NONE);

  private static WriteGrant grant(long object, long number) {
    StorageMap nothingLeft =
        new StorageMap(
            new Layout(1, 0, 4096, 1, 1),
            List.of(new OsdId(1)),
            2,
            new TreeSet<>(List.of(0)),
            List.of());
    return new WriteGrant(
        Lsn.of(1, number),
        Lsn.of(1, number),
        new ObjectId(object),
        new SessionId(7),
        nothingLeft,
        0,
        "a client",
        true,
        WriteGrant.State.RESOLVING,
        SuspectOsds.NONE);
  }

  /** Files that wait, and what is known of them. */
  private static final class Files implements AbandonedFiles {
    private final List<WriteGrant> waiting = new ArrayList<>();
    private final List<WriteGrant> begun = new ArrayList<>();
    private final List<WriteGrant> finished = new ArrayList<>();
    private CompletableFuture<Void> gate = CompletableFuture.completedFuture(null);
    private final List<Resolved> resolutions = new ArrayList<>();
    private final SortedMap<Integer, String> gone = new TreeMap<>();
    private final SortedMap<Integer, String> damaged = new TreeMap<>();
    private final List<String> givenUp = new ArrayList<>();
    private boolean pastHelp;
    private int hopeless;
    private int asked;

    @Override
    public Iterable<WriteGrant> waiting() {
      asked++;
      return List.copyOf(waiting);
    }

    @Override
    public boolean isNameless(WriteGrant grant) {
      return false;
    }

    @Override
    public CompletableFuture<Begun> begin(WriteGrant grant) {
      begun.add(grant);
      Begun begins =
          new Begun(
              Lsn.of(2, begun.size()),
              grant.map(),
              0,
              0,
              false,
              grant.first(),
              new TreeSet<>(),
              new TreeMap<>());
      return gate.thenApply(opened -> begins);
    }

    @Override
    public SortedSet<Integer> leftBehind(WriteGrant grant, Begun begins) {
      return new TreeSet<>();
    }

    @Override
    public CompletableFuture<Void> requireKnownStarts(Begun begins) {
      return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletableFuture<Lsn> lose(WriteGrant grant, OsdId osd) {
      return CompletableFuture.failedFuture(
          new WeftException(ErrorCode.TOO_MANY_LOST, "its code does not bear it"));
    }

    @Override
    public CompletableFuture<Lsn> giveUp(WriteGrant grant, OsdId osd, String why) {
      givenUp.add(why);
      return CompletableFuture.completedFuture(Lsn.of(3, 1));
    }

    @Override
    public SignedCapability capability(WriteGrant grant, Lsn number) {
      ObjectName everything = ObjectName.of(1, 0);
      return SignedCapability.sign(
          new Capability(everything, 0, 1, number.value(), 0, Long.MAX_VALUE, 0, 0, 1, 0),
          new byte[32]);
    }

    @Override
    public CompletableFuture<Lsn> finish(WriteGrant grant, Resolved resolved) {
      resolutions.add(resolved);
      finished.add(grant);
      waiting.remove(grant);
      return CompletableFuture.completedFuture(Lsn.of(3, finished.size()));
    }

    @Override
    public CompletableFuture<Lsn> remove(WriteGrant grant) {
      throw new AssertionError("it has a name: " + grant);
    }

    CompletableFuture<ResolveOutcome> resolve(
        WriteGrant oldest, Begun begins, SignedCapability capability, boolean asItIs) {
      SortedMap<Integer, String> lost = new TreeMap<>();
      if (pastHelp && !asItIs) {
        lost.put(0, "there is nothing");
      }
      if (givenUp.size() < hopeless) {
        lost.put(0, "damaged for good, " + givenUp.size());
      }
      return CompletableFuture.completedFuture(new ResolveOutcome(0, 0, 0, lost, gone, damaged));
    }
  }

  /** Two resolves of one file at once would undo each other's decisions. */
  @Test
  void aFileIsResolvedOnceAtATimeWhicheverOfItsGrantsIsTheOldest() {
    files.gate = new CompletableFuture<>();
    WriteGrant later = grant(70, 12);
    WriteGrant earlier = grant(70, 10);
    files.waiting.add(later);
    recovery.look(0);
    assertEquals(List.of(later), files.begun);
    // Another of its writers has gone meanwhile, whose grant is older.
    files.waiting.set(0, earlier);
    recovery.look(SECOND_NANOS);
    recovery.clusterChanged(2 * SECOND_NANOS);
    recovery.look(2 * SECOND_NANOS);
    assertEquals(List.of(later), files.begun, "the first is under way still");
    files.gate.complete(null);
    assertEquals(List.of(later), files.finished);
    recovery.look(60 * SECOND_NANOS);
    assertEquals(List.of(later, earlier), files.finished);
  }

  /** Else those that have to wait for an OSD would hold up all that follow. */
  @Test
  void theFileThatWasTriedLongestAgoComesFirst() {
    for (int object = 70; object < 79; object++) {
      files.waiting.add(grant(object, object));
    }
    for (int round = 0; round < 3; round++) {
      files.gate = new CompletableFuture<>();
      recovery.look(100 * round * SECOND_NANOS);
      files.gate.completeExceptionally(new WeftException(ErrorCode.UNAVAILABLE, "OSD 1 is silent"));
    }
    List<Long> objects = files.begun.stream().map(each -> each.object().value()).toList();
    assertEquals(List.of(70L, 71L, 72L, 73L, 74L, 75L, 76L, 77L, 78L, 70L, 71L, 72L), objects);
  }

  /** What was gone is marked, and said; what is damaged is said. */
  @Test
  void whatAResolveFoundIsPassedOn() {
    files.gone.put(0, "component 0 on OSD 3 has nothing");
    files.damaged.put(1, "component 1 on OSD 7 fell back");
    files.waiting.add(grant(70, 12));
    recovery.look(0);
    assertEquals(Set.of(0), files.resolutions.get(0).gone());
    String damage = files.resolutions.get(0).damage();
    assertTrue(damage.contains("component 0 on OSD 3 has nothing"), damage);
    assertTrue(damage.contains("component 1 on OSD 7 fell back"), damage);
    assertTrue(damage.contains("replace or remove it"), "it says what to do: " + damage);
  }

  /** Nothing that comes back would bring them further: what is never to be had holds up no file. */
  @Test
  void whatStandsInTheWayForEverIsGivenUp() {
    files.hopeless = 2;
    files.waiting.add(grant(70, 12));
    recovery.look(0);
    assertEquals(List.of("damaged for good, 0", "damaged for good, 1"), files.givenUp);
    assertEquals(3, files.begun.size(), "each time by the map without it");
    assertEquals(List.of(), files.waiting);
  }

  @Test
  void severalFilesAreResolvedBesideEachOther() {
    files.gate = new CompletableFuture<>();
    files.waiting.add(grant(70, 12));
    files.waiting.add(grant(71, 10));
    recovery.look(0);
    assertEquals(2, files.begun.size());
    files.gate.complete(null);
    assertEquals(2, files.finished.size());
  }

  /**
   * After a recovery from OSDs all files wait that were open: each look must not go through all.
   */
  @Test
  void manyFilesAreNotLookedAtTimeAndAgain() {
    int many = 2_000;
    for (int file = 0; file < many; file++) {
      files.waiting.add(grant(70 + file, 10 + file));
    }
    files.gate = new CompletableFuture<>();
    for (int look = 0; look < 100; look++) {
      recovery.look(look);
    }
    assertEquals(4, files.begun.size());
    assertEquals(1, files.asked);
    files.gate.complete(null);
    recovery.look(SECOND_NANOS);
    assertEquals(many, files.finished.size());
    assertEquals(2, files.asked);
    assertEquals(many, files.finished.stream().distinct().count());
  }

  /** However many there are already: a file that lost bytes is named in the log at least. */
  @Test
  void everyFileThatIsTakenAsItIsStandsInTheLog() {
    files.pastHelp = true;
    int damaged = 130;
    for (int file = 0; file < damaged; file++) {
      files.waiting.add(grant(70 + file, 10 + file));
    }
    List<String> logged = new ArrayList<>();
    for (ILoggingEvent event : logOf(() -> lookUntilNothingWaits(damaged))) {
      String message = event.getFormattedMessage();
      if (event.getLevel() == Level.WARN && message.contains("is taken as it is")) {
        logged.add(message);
      }
    }
    for (int file = 0; file < damaged; file++) {
      String object = "object " + new ObjectId(70 + file) + ",";
      assertEquals(1, logged.stream().filter(each -> each.startsWith(object)).count(), object);
    }
    assertEquals(100, recovery.warnings().size(), "what is kept is bounded");
  }

  private void lookUntilNothingWaits(int rounds) {
    for (int round = 0; round < rounds; round++) {
      recovery.look(round * SECOND_NANOS);
    }
    assertEquals(List.of(), files.waiting);
  }

  private static List<ILoggingEvent> logOf(Runnable what) {
    Logger log = (Logger) LoggerFactory.getLogger(GrantRecovery.class);
    ListAppender<ILoggingEvent> heard = new ListAppender<>();
    heard.start();
    log.addAppender(heard);
    log.setAdditive(false);
    try {
      what.run();
    } finally {
      log.setAdditive(true);
      log.detachAppender(heard);
    }
    return heard.list;
  }
}
