package org.weft.metadata.objects;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.directory.DirectoryEntry;
import org.weft.metadata.journal.LiveEffect.LaggingAdded;
import org.weft.metadata.objects.CopyWrite.RemoveCopy;
import org.weft.metadata.objects.CopyWrite.WriteAttributes;
import org.weft.metadata.objects.CopyWrite.WriteBlocks;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;
import org.weft.testkit.sim.VirtualTime;

/**
 * P 6.1, 6.3, 5.9: a manager's cache, flusher, loader and redo. The OSDs crash, lose power, are cut
 * off and come back. The manager itself is killed again and again. At most two of six OSDs are bad
 * at a time and metadata has three copies. Three things are checked all the time. No change reaches
 * an OSD before its record is durable. Every replica that does not lag is the directory as it was
 * after some record. The manager shows what the records say. In the end every copy on every OSD is
 * what it should be, no copy lags, and the journal is empty. {@code -Dweft.sim.seeds=N} sets how
 * many runs, {@code -Dweft.sim.first=SEED} with which to begin.
 */
class MetadataSimulationTest {
  private static final int CHAOS_MILLIS = 40_000;
  private static final int PEACE_MILLIS = 60_000;

  static LongStream seeds() {
    long first = Long.getLong("weft.sim.first", 1);
    return LongStream.range(first, first + Long.getLong("weft.sim.seeds", 5));
  }

  /** One run. */
  private static final class Run {
    final VirtualTime time;
    final Random random;
    final PortOsds osds;
    final ManagerLife.Journal journal = new ManagerLife.Journal();
    final RandomRecords workload;
    final boolean powerLosses;
    ManagerLife manager;
    long epoch;
    boolean chaos = true;
    int managerDeaths;
    int powerLost;

    Run(long seed) {
      time = new VirtualTime(seed);
      random = new Random(seed);
      osds = new PortOsds(time, random, 6);
      osds.lossPercent = (int) (seed % 4) * 2;
      osds.latePercent = (int) (seed % 3) * 3;
      powerLosses = seed % 3 != 0;
      workload = new RandomRecords(random, osds);
      osds.check = this::checkWrite;
      startManager();
      manager.append(workload.format(manager.nextLsn()));
    }

    private void after(long millis, Runnable task) {
      var unused = time.after(TimeUnit.MILLISECONDS.toNanos(millis), task);
    }

    void runFor(long millis) {
      time.pass(TimeUnit.MILLISECONDS.toNanos(millis));
    }

    void startManager() {
      manager = new ManagerLife(time, random, osds, journal, ++epoch);
    }

    void operate() {
      ManagerLife current = manager;
      current.operate(() -> workload.operation(journal.history.now, current.nextLsn()));
      List<ObjectId> directories = List.copyOf(journal.history.now.directories.keySet());
      if (!directories.isEmpty()) {
        ObjectId directory = directories.get(random.nextInt(directories.size()));
        current.checkLookup(directory, "n" + random.nextInt(300) + "-".repeat(30), 5);
      }
      List<ObjectId> files = List.copyOf(journal.history.now.attributes.keySet());
      if (!files.isEmpty()) {
        current.checkAttributes(files.get(random.nextInt(files.size())), 5);
      }
      if (chaos) {
        after(1 + random.nextInt(20), this::operate);
      }
    }

    void disturb() {
      if (!chaos) {
        return;
      }
      after(100 + random.nextInt(500), this::disturb);
      if (random.nextInt(10) == 0) {
        killManager();
        return;
      }
      List<PortOsd> good =
          osds.byId.values().stream().filter(osd -> osd.answers() && !osd.down).toList();
      if (good.size() <= 4 || random.nextInt(3) == 0) {
        return;
      }
      PortOsd osd = good.get(random.nextInt(good.size()));
      long millis =
          random.nextInt(3) == 0 ? 3_000 + random.nextInt(9_000) : 50 + random.nextInt(2_500);
      switch (random.nextInt(3)) {
        case 0 -> {
          osd.crash();
          after(millis, () -> osd.running = true);
        }
        case 1 -> {
          if (powerLosses) {
            powerLost++;
            osd.losePower();
            after(millis, () -> osd.running = true);
          }
        }
        default -> {
          osd.reachable = false;
          after(millis, () -> osd.reachable = true);
        }
      }
      watch(osd, 0);
    }

    /** SysMgr: down after three seconds of silence, up again with the first sign of life. */
    private void watch(PortOsd osd, int silentMillis) {
      if (osd.answers()) {
        if (osd.down) {
          osd.down = false;
          manager.flusher.statesChanged();
        }
        return;
      }
      if (silentMillis >= 3_000 && !osd.down) {
        osd.down = true;
        manager.flusher.statesChanged();
      }
      after(100, () -> watch(osd, silentMillis + 100));
    }

    private void killManager() {
      if (manager.serving || random.nextBoolean()) {
        managerDeaths++;
        manager.die();
        startManager();
      }
    }

    void checkReplicas() {
      for (PortOsd osd : osds.byId.values()) {
        for (ObjectId object : osd.objects.keySet()) {
          PortOsd.Stored stored = osd.objects.get(object);
          if (!stored.blocks.isEmpty() && !manager.cache.lagging().isLagging(osd.id, object)) {
            StoredDirectory replica = new StoredDirectory(object, stored);
            assertEquals(
                journal.history.directoryAt(object, replica.lsn()),
                replica.entries(),
                "replica on OSD " + osd.id + " of " + object + " at " + replica.lsn());
          }
        }
      }
      if (chaos) {
        after(2_000, this::checkReplicas);
      }
    }

    /** The WAL rule, and the order of flushing. */
    private void checkWrite(PortOsd osd, CopyWrite write) {
      if (write instanceof WriteAttributes attributes) {
        checkDurable(attributes.lsn());
      } else if (write instanceof WriteBlocks blocks) {
        blocks.blocks().values().forEach(block -> checkDurable(StoredDirectory.lsnOf(block)));
        if (!powerLosses) {
          blocks.blocks().forEach((number, block) -> checkEntriesHaveAttributes(blocks));
        }
      } else if (write instanceof RemoveCopy remove) {
        checkDurable(remove.lsn());
        if (!powerLosses) {
          checkNoNameLeft(remove.object());
        }
      }
    }

    private void checkDurable(Lsn lsn) {
      assertTrue(lsn.compareTo(journal.durable) <= 0, lsn + " left before it was durable");
    }

    private void checkEntriesHaveAttributes(WriteBlocks write) {
      for (DirectoryEntry entry : StoredDirectory.entriesIn(write)) {
        boolean stored =
            osds.byId.values().stream()
                .anyMatch(
                    osd ->
                        osd.objects.containsKey(entry.object())
                            && osd.objects.get(entry.object()).attributes != null);
        boolean removed = journal.history.now.removed.containsKey(entry.object());
        assertTrue(stored || removed, "entry before attributes of " + entry.object());
      }
    }

    private void checkNoNameLeft(ObjectId object) {
      for (PortOsd osd : osds.byId.values()) {
        if (osd.answers() && !osd.down) {
          osd.objects.forEach(
              (directory, stored) -> {
                boolean trusted =
                    !stored.blocks.isEmpty()
                        && !manager.cache.lagging().isLagging(osd.id, directory);
                if (trusted) {
                  boolean named =
                      new StoredDirectory(directory, stored)
                          .entries().values().stream()
                              .anyMatch(entry -> entry.object().equals(object));
                  assertFalse(named, object + " is removed before its name in " + directory);
                }
              });
        }
      }
    }

    void checkTheEnd() {
      assertTrue(manager.serving, "the volume is served");
      assertEquals(List.of(), stillLagging());
      Lsn last = journal.history.records.get(journal.history.records.size() - 1).lsn();
      assertTrue(journal.droppedBelow.compareTo(last) > 0, "all records are dropped");
      History.State state = journal.history.now;
      state.attributes.forEach(
          (object, attributes) -> {
            for (OsdId osd : attributes.map().attributeHolders(3)) {
              PortOsd.Stored stored = osds.byId.get(osd).objects.get(object);
              assertTrue(stored != null && stored.attributes != null, "OSD " + osd + ", " + object);
              assertEquals(attributes, stored.attributes.attributes());
              assertEquals(state.attributeLsns.get(object), stored.attributes.lsn());
            }
          });
      state.directories.forEach((directory, entries) -> checkReplicasOf(directory, state));
      for (ObjectId removed : state.removed.keySet()) {
        osds.byId.values().forEach(osd -> assertFalse(osd.objects.containsKey(removed)));
      }
    }

    /** What is wrong with the copies that still lag. */
    private List<String> stillLagging() {
      History.State state = journal.history.now;
      return manager.cache.laggingState().stream()
          .map(effect -> (LaggingAdded) effect)
          .map(
              lag ->
                  lag
                      + (state.removed.containsKey(lag.object()) ? " removed" : "")
                      + (state.attributes.containsKey(lag.object()) ? " exists" : "")
                      + " holders "
                      + (state.attributes.containsKey(lag.object())
                          ? state.attributes.get(lag.object()).map().attributeHolders(3)
                          : "")
                      + " "
                      + manager.cache.lagging().find(lag.osd(), lag.object()).since())
          .toList();
    }

    private void checkReplicasOf(ObjectId directory, History.State state) {
      Attributes attributes = state.attributes.get(directory);
      Optional<StoredDirectory> first = Optional.empty();
      for (OsdId osd : attributes.map().components()) {
        PortOsd.Stored stored = osds.byId.get(osd).objects.get(directory);
        StoredDirectory replica = new StoredDirectory(directory, stored);
        assertEquals(state.directories.get(directory), replica.entries());
        first.ifPresent(other -> assertTrue(replica.sameBlocksInUse(other), "OSD " + osd));
        first = Optional.of(replica);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void copiesConvergeAndNothingDurableIsLost(long seed) {
    Run run = new Run(seed);
    run.operate();
    run.after(500, run::disturb);
    run.checkReplicas();
    run.runFor(CHAOS_MILLIS);
    run.chaos = false;
    run.osds.lossPercent = 0;
    run.osds.latePercent = 0;
    run.runFor(PEACE_MILLIS);
    run.checkReplicas();
    run.checkTheEnd();
    assertTrue(run.journal.history.records.size() > 300, "the run is worth it");
    for (ObjectId directory : List.copyOf(run.journal.history.now.directories.keySet())) {
      var listed = run.manager.checkListing(directory).toCompletableFuture();
      run.runFor(5_000);
      assertTrue(listed.isDone());
    }
  }
}
