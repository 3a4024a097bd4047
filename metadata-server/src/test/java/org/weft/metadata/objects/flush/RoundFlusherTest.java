package org.weft.metadata.objects.flush;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.weft.metadata.access.OsdWait;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.attributes.NodeKind;
import org.weft.metadata.directory.DirectoryEntry;
import org.weft.metadata.directory.HashKey;
import org.weft.metadata.journal.Effect;
import org.weft.metadata.journal.JournalRecord;
import org.weft.metadata.journal.LiveEffect;
import org.weft.metadata.journal.LiveEffect.LaggingAdded;
import org.weft.metadata.journal.LiveEffect.LaggingCleared;
import org.weft.metadata.journal.LiveEffect.LaggingKind;
import org.weft.metadata.journal.ObjectEffect.CreateDirectory;
import org.weft.metadata.journal.ObjectEffect.PutAttributes;
import org.weft.metadata.journal.ObjectEffect.PutEntry;
import org.weft.metadata.journal.ObjectEffect.RemoveEntry;
import org.weft.metadata.journal.ObjectEffect.RemoveObject;
import org.weft.metadata.objects.CopyWrite;
import org.weft.metadata.objects.OsdPort;
import org.weft.metadata.objects.PortOsd;
import org.weft.metadata.objects.PortOsds;
import org.weft.metadata.objects.cache.CacheLimits;
import org.weft.metadata.objects.cache.MetadataCache;
import org.weft.metadata.objects.load.OsdObjectLoader;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.layout.StorageMap;
import org.weft.protocol.seam.Environment;
import org.weft.testkit.sim.VirtualTime;

/** P 6.3 and 5.9, one rule after the other; the test plays the journal and the clock. */
class RoundFlusherTest {
  private static final StorageMap MAP =
      StorageMap.of(Layout.of(1, 2), List.of(new OsdId(1), new OsdId(2), new OsdId(3)));
  private static final ObjectId FILE = new ObjectId(70_000);

  private final VirtualTime time = new VirtualTime(7);
  private final Environment environment =
      new Environment(time, time, time, new Random(7), null, null);
  private final PortOsds osds = new PortOsds(time, new Random(7), 3);
  private final boolean[] alive = {true};
  private final MetadataCache cache = new MetadataCache(3, CacheLimits.DEFAULT);
  private final Owner owner = new Owner();
  private final OsdPort port = osds.port(alive);
  private final RoundFlusher flusher =
      new RoundFlusher(
          cache,
          port,
          new OsdObjectLoader(port, osds, time),
          osds,
          owner,
          environment,
          time.newSerialExecutor("volume"));
  private final List<String> writes = new ArrayList<>();
  private long index;
  private int told;

  /** What the flusher asked for; nothing is journalled by itself. */
  private static final class Owner implements FlushOwner {
    final List<List<LiveEffect>> asked = new ArrayList<>();
    Lsn droppable = Lsn.ZERO;
    WeftException fenced;
    ObjectId crowded;

    @Override
    public void journal(List<LiveEffect> effects) {
      asked.add(effects);
    }

    @Override
    public void droppableBelow(Lsn lsn) {
      droppable = lsn;
    }

    @Override
    public void crowded(ObjectId object) {
      crowded = object;
    }

    @Override
    public void fenced(WeftException refusal) {
      fenced = refusal;
    }
  }

  RoundFlusherTest() {
    osds.autoCheckpoint = false;
    osds.check = (osd, write) -> writes.add(osd.id + " " + write.getClass().getSimpleName());
    flusher.begin();
  }

  private void runFor(long millis) {
    time.pass(TimeUnit.MILLISECONDS.toNanos(millis));
  }

  private PortOsd osd(int number) {
    return osds.byId.get(new OsdId(number));
  }

  private Lsn apply(List<Effect> effects) {
    Lsn lsn = Lsn.of(1, ++index);
    assertTrue(cache.apply(new JournalRecord(lsn, effects)).isReady());
    return lsn;
  }

  private Lsn apply(Effect... effects) {
    return apply(List.of(effects));
  }

  /** The journal writes all that it is asked for; gives what that was. */
  private List<LiveEffect> journalAll() {
    List<LiveEffect> written = new ArrayList<>();
    while (told < owner.asked.size()) {
      List<LiveEffect> asked = owner.asked.get(told++);
      written.addAll(asked);
      durable(apply(new ArrayList<>(asked)));
    }
    return written;
  }

  private void durable(Lsn lsn) {
    flusher.recordDurable(lsn);
    runFor(7_000);
  }

  private PutAttributes file(long size) {
    return new PutAttributes(Attributes.create(FILE, NodeKind.FILE, MAP).sizeBytes(size).build());
  }

  private Lsn makeRoot() {
    return apply(
        new CreateDirectory(ObjectId.ROOT, new HashKey(1, 2)),
        new PutAttributes(Attributes.create(ObjectId.ROOT, NodeKind.DIRECTORY, MAP).build()));
  }

  private static PutEntry entry(String name) {
    return new PutEntry(
        ObjectId.ROOT, name, new DirectoryEntry(FILE, NodeKind.FILE, Lsn.of(1, 2), List.of()));
  }

  private long sizeOn(int number) {
    PortOsd.Stored stored = osd(number).objects.get(FILE);
    return stored == null ? -1 : stored.attributes.attributes().sizeBytes();
  }

  private void checkpoint() {
    osds.byId.values().stream().filter(osd -> osd.running).forEach(PortOsd::checkpoint);
    runFor(8_000);
  }

  private void down(int number) {
    osd(number).crash();
    osd(number).down = true;
    flusher.statesChanged();
    runFor(8_000);
  }

  private void up(int number) {
    osd(number).running = true;
    osd(number).down = false;
    flusher.statesChanged();
    runFor(8_000);
  }

  @Test
  void nothingLeavesBeforeItsRecordIsDurable() {
    Lsn first = apply(file(1));
    runFor(8_000);
    assertEquals(List.of(), writes);
    durable(first);
    assertEquals(3, writes.size());
  }

  @Test
  void repeatedChangesAreFlushedOnce() {
    for (int size = 1; size <= 4; size++) {
      flusher.recordDurable(apply(file(size)));
      runFor(300);
      assertEquals(List.of(), writes);
    }
    runFor(8_000);
    assertEquals(3, writes.size());
    assertEquals(4, sizeOn(2));
  }

  @Test
  void halfOfWhatMayWaitIsFlushedAtOnce() {
    cache.limits(new CacheLimits(100, 0, 100, 40, 100, 1_000, 1 << 20));
    for (int record = 0; record < 20; record++) {
      flusher.recordDurable(apply(file(record)));
    }
    runFor(300);
    assertEquals(List.of(), writes);
    flusher.recordDurable(apply(file(20)));
    runFor(300);
    assertEquals(3, writes.size());
  }

  @Test
  void recordsThatNeedRoomStartACheckAtOnce() {
    cache.limits(new CacheLimits(100, 0, 100, 40, 100, 1_000, 1 << 20));
    int record = 0;
    for (int times = 0; times < 10; times++) {
      while (cache.hasRoom()) {
        flusher.recordDurable(apply(file(record++)));
      }
      runFor(40);
    }
    assertTrue(cache.hasRoom(), "after 0.4 s, and the first look is at 0.5 s");
    assertTrue(record > 10 * 10, "records " + record);
  }

  @Test
  void attributesThenNamesThenRemovals() {
    makeRoot();
    apply(file(1), entry("a"));
    apply(
        new RemoveEntry(ObjectId.ROOT, "a"),
        new RemoveObject(new ObjectId(80_000), MAP.components()));
    durable(Lsn.of(1, 3));
    List<String> kinds = writes.stream().map(each -> each.substring(2)).toList();
    assertEquals(6, kinds.lastIndexOf("WriteAttributes") + 1);
    assertEquals(6, kinds.indexOf("WriteBlocks"));
    assertEquals(9, kinds.indexOf("RemoveCopy"));
    assertEquals(12, kinds.size());
  }

  @Test
  void recordsAreDroppedUnderACheckpointOfEveryCopyAndNotBefore() {
    Lsn lsn = apply(file(1));
    durable(lsn);
    assertEquals(1, sizeOn(3));
    assertEquals(Lsn.ZERO, owner.droppable);
    osd(1).checkpoint();
    osd(2).checkpoint();
    runFor(2_000);
    assertEquals(Lsn.ZERO, owner.droppable);
    osd(3).checkpoint();
    runFor(2_000);
    assertEquals(new Lsn(lsn.value() + 1), owner.droppable);
  }

  @Test
  void osdWithoutACheckpointIsAskedForOne() {
    durable(apply(file(1)));
    runFor(15_000);
    assertEquals(new Lsn(Lsn.of(1, 1).value() + 1), owner.droppable);
  }

  @Test
  void bytesAnOsdRestartMayHaveLostAreFlushedAgain() {
    durable(apply(file(1)));
    osd(2).losePower();
    osd(2).running = true;
    assertEquals(-1, sizeOn(2));
    runFor(8_000);
    assertEquals(1, sizeOn(2));
    checkpoint();
    assertEquals(new Lsn(Lsn.of(1, 1).value() + 1), owner.droppable);
  }

  @Test
  void copyOnADownOsdLagsOnceTheJournalSaysSo() {
    down(3);
    Lsn lsn = apply(file(1));
    durable(lsn);
    LaggingAdded lagging = new LaggingAdded(new OsdId(3), FILE, LaggingKind.REFRESH, Lsn.ZERO);
    assertEquals(List.of(List.of(lagging)), owner.asked);
    checkpoint();
    assertEquals(Lsn.ZERO, owner.droppable, "nothing says yet that the copy lags");
    Lsn said = apply(new ArrayList<>(owner.asked.get(0)));
    runFor(8_000);
    assertEquals(Lsn.ZERO, owner.droppable, "it is not durable");
    durable(said);
    assertTrue(owner.droppable.compareTo(lsn) > 0);
  }

  @Test
  void laggingCopyGetsNoWritesWhileTheJournalIsSlow() {
    makeRoot();
    durable(Lsn.of(1, 1));
    checkpoint();
    down(3);
    durable(apply(entry("a"), file(1)));
    assertEquals(1, owner.asked.size());
    writes.clear();
    up(3);
    durable(apply(entry("b"), file(2)));
    assertEquals(List.of(), writes.stream().filter(each -> each.startsWith("3")).toList());
    assertEquals(2, sizeOn(1));
  }

  @Test
  void theLastGoodCopyNeverLags() {
    down(1);
    down(2);
    down(3);
    durable(apply(file(1)));
    assertEquals(List.of(), owner.asked);
    up(2);
    assertEquals(1, sizeOn(2));
    assertEquals(2, journalAll().size());
  }

  @Test
  void aCopyIsCaughtUpAndClearedWhenItsOsdIsBack() {
    makeRoot();
    durable(Lsn.of(1, 1));
    checkpoint();
    down(3);
    durable(apply(entry("a"), file(1)));
    assertEquals(2, journalAll().size());
    checkpoint();
    up(3);
    assertEquals(1, sizeOn(3));
    assertEquals(
        osd(1).objects.get(ObjectId.ROOT).blocks.keySet(),
        osd(3).objects.get(ObjectId.ROOT).blocks.keySet());
    assertEquals(
        List.of(
            new LaggingCleared(new OsdId(3), ObjectId.ROOT),
            new LaggingCleared(new OsdId(3), FILE)),
        journalAll());
    assertEquals(0, cache.laggingCopies());
  }

  @Test
  void aCopyIsCaughtUpFromAnotherWhereTheFirstHasRotted() {
    makeRoot();
    durable(Lsn.of(1, 1));
    checkpoint();
    down(3);
    durable(apply(entry("a"), file(1)));
    journalAll();
    checkpoint();
    osd(1).rotten = true;
    up(3);
    journalAll();
    assertEquals(
        osd(2).objects.get(ObjectId.ROOT).blocks.keySet(),
        osd(3).objects.get(ObjectId.ROOT).blocks.keySet());
    assertEquals(0, cache.laggingCopies());
  }

  @Test
  void catchingUpObeysTheWalRuleToo() {
    down(3);
    durable(apply(file(1)));
    assertEquals(1, journalAll().size());
    checkpoint();
    osd(3).running = true;
    osd(3).down = false;
    flusher.statesChanged();
    // While the copy is being caught up a newer change is decided that is not durable yet.
    for (int size = 2; size < 300; size++) {
      Lsn open = apply(file(size));
      runFor(20);
      assertTrue(sizeOn(3) < size, "size " + size + " left before it was durable");
      flusher.recordDurable(open);
    }
    runFor(8_000);
    assertEquals(299, sizeOn(3));
  }

  @Test
  void returningOsdRemovesObjectsRemovedMeanwhile() {
    durable(apply(file(1)));
    checkpoint();
    down(3);
    Lsn removal = apply(new RemoveObject(FILE, MAP.components()));
    durable(removal);
    assertEquals(
        List.of(new LaggingAdded(new OsdId(3), FILE, LaggingKind.REMOVE, removal)), journalAll());
    assertEquals(1, sizeOn(3));
    up(3);
    assertEquals(-1, sizeOn(3));
    assertEquals(List.of(new LaggingCleared(new OsdId(3), FILE)), journalAll());
  }

  @Test
  void deposedManagerStopsFlushing() {
    Lsn lsn = apply(file(1));
    var flushed = flusher.flushed().toCompletableFuture();
    osds.fenced = true;
    durable(lsn);
    assertEquals(ErrorCode.FENCED, owner.fenced.code());
    assertTrue(flushed.isCompletedExceptionally());
    osds.fenced = false;
    writes.clear();
    flusher.recordDurable(apply(file(2)));
    runFor(8_000);
    assertEquals(List.of(), writes);
  }

  private LiveEffect closed(long grant) {
    return new LiveEffect.GrantClosed(Lsn.of(1, grant), FILE, 3);
  }

  private static String floorOf(CopyWrite write) {
    CopyWrite.WriteAttributes page = (CopyWrite.WriteAttributes) write;
    return page.floor() + " of " + page.completions().keySet();
  }

  @Test
  void allBelowTheLowestGrantThatIsOpenIsComplete() {
    osds.check = (osd, write) -> writes.add(floorOf(write));
    durable(apply(file(1)));
    assertEquals(Set.of(Lsn.ZERO + " of []"), Set.copyOf(writes), "nothing is said");
    writes.clear();
    cache.lowestGrants(object -> Optional.of(Lsn.of(1, 40)));
    durable(apply(file(2), closed(30), closed(50)));
    String both = List.of(Lsn.of(1, 30), Lsn.of(1, 50)).toString();
    assertEquals(Set.of(Lsn.of(1, 40) + " of " + both), Set.copyOf(writes));
    osd(2).losePower();
    osd(2).running = true;
    writes.clear();
    runFor(8_000);
    assertEquals(Set.of(Lsn.of(1, 40) + " of " + both), Set.copyOf(writes), "and said again");
    writes.clear();
    cache.lowestGrants(object -> Optional.empty());
    durable(apply(file(3), closed(60)));
    assertTrue(writes.get(0).startsWith(Lsn.of(1, 61) + " of "), writes.toString());
  }

  /** Else no manager could tell any more that the OSD fell back behind the others. */
  @Test
  void osdThatLostPowerGetsNoCompletionMarks() {
    osds.check = (osd, write) -> writes.add(osd.id + ": " + floorOf(write));
    durable(apply(file(2), closed(30)));
    assertEquals(3, writes.size());
    writes.clear();
    osd(2).losePower();
    osd(2).running = true;
    osds.lossy.add(new OsdId(2));
    runFor(8_000);
    assertEquals(2, sizeOn(2));
    String silent = Lsn.ZERO + " of []";
    assertTrue(writes.contains("2: " + silent), writes.toString());
    assertTrue(writes.stream().allMatch(each -> each.startsWith("2") == each.endsWith(silent)));
  }

  /** One has the file open for very long, and OSDs remember no more of the others' grants. */
  @Test
  void osdWithFullGrantMarksGetsAHigherFloor() {
    cache.lowestGrants(object -> Optional.of(Lsn.of(1, 2)));
    for (PortOsd osd : osds.byId.values()) {
      osd.busy =
          write ->
              write instanceof CopyWrite.WriteAttributes page
                  && page.completions().tailMap(page.floor()).size() > 2;
    }
    Lsn lsn = apply(file(1), closed(10), closed(20), closed(30));
    durable(lsn);
    runFor(30_000);
    assertEquals(FILE, owner.crowded);
    assertEquals(-1, sizeOn(1));
    cache.lowestGrants(object -> Optional.of(Lsn.of(1, 40)));
    runFor(30_000);
    assertEquals(1, sizeOn(1));
    checkpoint();
    assertEquals(new Lsn(lsn.value() + 1), owner.droppable);
  }

  @Test
  void flushedMeansThatEverythingAppliedIsOnTheOsds() {
    Lsn lsn = apply(file(1));
    var flushed = flusher.flushed().toCompletableFuture();
    runFor(1_000);
    assertFalse(flushed.isDone());
    flusher.recordDurable(lsn);
    runFor(1_000);
    assertTrue(flushed.isDone());
    assertEquals(1, sizeOn(1));
    assertTrue(flusher.flushed().toCompletableFuture().isDone());
  }

  @Test
  void roundDoesNotMoveBeforeItBegins() {
    List<OsdWait> heard = new ArrayList<>();
    RoundFlusher waiting =
        new RoundFlusher(
            cache,
            port,
            new OsdObjectLoader(port, osds, time),
            osds,
            owner,
            environment,
            time.newSerialExecutor("volume"),
            (what, which) -> heard.add(what));
    runFor(7_000);
    assertEquals(List.of(), heard);
    waiting.begin();
    runFor(7_000);
    assertFalse(heard.isEmpty());
  }
}
