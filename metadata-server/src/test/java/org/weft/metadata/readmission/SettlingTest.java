package org.weft.metadata.readmission;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.weft.metadata.journal.SuspectOsds;
import org.weft.metadata.objects.CopyOutcome;
import org.weft.metadata.objects.CopyWrite;
import org.weft.metadata.objects.FlushStamp;
import org.weft.metadata.objects.OsdPort;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.layout.StorageMap;

/** Grants that have ended are remembered until their OSDs have made checkpoints (P 5.9). */
class SettlingTest {
  private static final Lsn NUMBER = Lsn.of(1, 7);
  private static final OsdId REMOVED = new OsdId(3);

  private final TreeSet<OsdId> removed = new TreeSet<>();
  private final UnsettledGrants grants = new UnsettledGrants();
  private final List<Lsn> settled = new ArrayList<>();
  private final List<OsdId> asked = new ArrayList<>();
  private final Settling settling =
      new Settling(grants, new Checkpoints(), new Table(), settled::addAll);
  private long nowNanos;

  /** All OSDs are up under their first start, but for one. */
  private final class Table implements Settling.Starts {
    @Override
    public OptionalLong wholeIncarnation(OsdId osd) {
      return osd.equals(REMOVED) ? OptionalLong.empty() : OptionalLong.of(1);
    }

    @Override
    public boolean isRemoved(OsdId osd) {
      return removed.contains(osd);
    }
  }

  /** OSDs that are asked for nothing but checkpoints. */
  private final class Checkpoints implements OsdPort {
    @Override
    public CompletionStage<CheckpointState> status(OsdId osd) {
      return CompletableFuture.completedFuture(new CheckpointState(1, 1));
    }

    @Override
    public CompletionStage<Void> checkpoint(OsdId osd) {
      asked.add(osd);
      return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletionStage<StoredAttributes> attributes(OsdId osd, ObjectId object) {
      throw new AssertionError("not asked for");
    }

    @Override
    public CompletionStage<Map<ObjectId, Optional<StoredAttributes>>> attributesOf(
        OsdId osd, List<ObjectId> objects) {
      throw new AssertionError("not asked for");
    }

    @Override
    public CompletionStage<SortedMap<Integer, byte[]>> blocks(
        OsdId osd, ObjectId directory, List<Integer> numbers) {
      throw new AssertionError("not asked for");
    }

    @Override
    public CompletionStage<List<CopyOutcome>> write(
        OsdId osd, long incarnation, List<CopyWrite> writes, FlushStamp stamp) {
      throw new AssertionError("not asked for");
    }
  }

  private void look() {
    nowNanos += TimeUnit.SECONDS.toNanos(6);
    settling.look(nowNanos);
  }

  private void aGrantThatEnded() {
    List<OsdId> osds = List.of(new OsdId(1), new OsdId(2), REMOVED);
    StorageMap map =
        new StorageMap(new Layout(2, 1, 4096, 1, 1), osds, 1, new TreeSet<>(), List.of());
    grants.add(new UnsettledGrant(NUMBER, new ObjectId(70_000), map, SuspectOsds.NONE));
  }

  @Test
  void removedOsdIsNotWaitedFor() {
    aGrantThatEnded();
    for (int look = 0; look < 5; look++) {
      look();
    }
    assertEquals(List.of(), settled, "it is away, and may come back with less");
    removed.add(REMOVED);
    look();
    look();
    assertEquals(List.of(NUMBER), settled);
    assertEquals(List.of(new OsdId(1), new OsdId(2)), asked.subList(0, 2));
  }
}
