package org.weft.metadata.objects.osd;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.attributes.NodeKind;
import org.weft.metadata.objects.CopyOutcome;
import org.weft.metadata.objects.CopyWrite;
import org.weft.metadata.objects.CopyWrite.RemoveCopy;
import org.weft.metadata.objects.CopyWrite.WriteAttributes;
import org.weft.metadata.objects.FlushStamp;
import org.weft.metadata.objects.OsdPort;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.layout.StorageMap;

/** What a look at a volume would send is laid over what OSDs hold, and reaches none (P 6.8d). */
class UnsentCopiesTest {
  private static final OsdId OSD = new OsdId(1);
  private static final ObjectId FILE = new ObjectId(70_000);
  private static final ObjectId OTHER = new ObjectId(70_001);
  private static final FlushStamp STAMP = new FlushStamp(1, Lsn.ZERO);

  private final Map<ObjectId, StoredAttributesOf> there = new HashMap<>();
  private boolean full;
  private final UnsentCopies copies =
      new UnsentCopies(new Osds(), osd -> OptionalLong.of(5), 10_000, () -> full = true);

  private record StoredAttributesOf(Attributes attributes, Lsn lsn) {}

  /** Is read from alone. */
  private final class Osds implements OsdPort {
    @Override
    public CompletionStage<StoredAttributes> attributes(OsdId osd, ObjectId object) {
      StoredAttributesOf found = there.get(object);
      return found == null
          ? CompletableFuture.failedFuture(
              new WeftException(ErrorCode.NO_SUCH_OBJECT, "no object " + object))
          : CompletableFuture.completedFuture(
              new StoredAttributes(found.attributes(), found.lsn()));
    }

    @Override
    public CompletionStage<Map<ObjectId, Optional<StoredAttributes>>> attributesOf(
        OsdId osd, List<ObjectId> objects) {
      Map<ObjectId, Optional<StoredAttributes>> all = new HashMap<>();
      objects.forEach(
          object ->
              all.put(
                  object,
                  Optional.ofNullable(there.get(object))
                      .map(found -> new StoredAttributes(found.attributes(), found.lsn()))));
      return CompletableFuture.completedFuture(all);
    }

    @Override
    public CompletionStage<SortedMap<Integer, byte[]>> blocks(
        OsdId osd, ObjectId directory, List<Integer> numbers) {
      return CompletableFuture.completedFuture(new TreeMap<>());
    }

    @Override
    public CompletionStage<List<CopyOutcome>> write(
        OsdId osd, long incarnation, List<CopyWrite> writes, FlushStamp stamp) {
      throw new AssertionError("an OSD was written to");
    }

    @Override
    public CompletionStage<CheckpointState> status(OsdId osd) {
      throw new AssertionError("an OSD was asked for checkpoints");
    }

    @Override
    public CompletionStage<Void> checkpoint(OsdId osd) {
      throw new AssertionError("an OSD was told to make a checkpoint");
    }
  }

  private static Attributes file(ObjectId object, long sizeBytes) {
    StorageMap map =
        StorageMap.of(new Layout(1, 1, 64 << 10, 100, 1), List.of(new OsdId(1), new OsdId(2)));
    return Attributes.create(object, NodeKind.FILE, map).sizeBytes(sizeBytes).build();
  }

  private void write(CopyWrite... writes) {
    List<CopyOutcome> outcomes =
        copies.write(OSD, 5, List.of(writes), STAMP).toCompletableFuture().join();
    assertEquals(writes.length, outcomes.size());
    outcomes.forEach(outcome -> assertEquals(null, outcome.refusal()));
  }

  private static WriteAttributes attributes(ObjectId object, long sizeBytes, long lsn) {
    return new WriteAttributes(file(object, sizeBytes), new Lsn(lsn), 0, new TreeMap<>(), Lsn.ZERO);
  }

  private long sizeBytes(ObjectId object) {
    return copies.attributes(OSD, object).toCompletableFuture().join().attributes().sizeBytes();
  }

  private ErrorCode failure(ObjectId object) {
    return WeftException.of(
            assertThrows(
                CompletionException.class,
                () -> copies.attributes(OSD, object).toCompletableFuture().join()))
        .code();
  }

  @Test
  void theNewerOfBothCounts() {
    there.put(FILE, new StoredAttributesOf(file(FILE, 10), new Lsn(5)));
    assertEquals(10, sizeBytes(FILE));
    write(attributes(FILE, 20, 6));
    assertEquals(20, sizeBytes(FILE));
    write(attributes(FILE, 30, 4));
    assertEquals(20, sizeBytes(FILE), "an older one is not taken");
    there.put(FILE, new StoredAttributesOf(file(FILE, 40), new Lsn(7)));
    assertEquals(40, sizeBytes(FILE));
    assertEquals(
        40,
        copies
            .attributesOf(OSD, List.of(FILE))
            .toCompletableFuture()
            .join()
            .get(FILE)
            .orElseThrow()
            .attributes()
            .sizeBytes());
  }

  @Test
  void unsentCopiesShowCreationsAndRemovals() {
    assertEquals(ErrorCode.NO_SUCH_OBJECT, failure(OTHER));
    write(attributes(OTHER, 20, 6));
    assertEquals(20, sizeBytes(OTHER));
    assertTrue(copies.unsent(OSD, OTHER).orElseThrow().isThere());
    assertTrue(copies.unsent(new OsdId(2), OTHER).isEmpty());
    there.put(FILE, new StoredAttributesOf(file(FILE, 10), new Lsn(5)));
    write(new RemoveCopy(FILE, new Lsn(8)));
    assertEquals(ErrorCode.NO_SUCH_OBJECT, failure(FILE));
    assertFalse(copies.unsent(OSD, FILE).orElseThrow().isThere());
    assertArrayEquals(
        new Object[] {FILE, OTHER}, copies.unsentAfter(OSD, new ObjectId(1)).keySet().toArray());
    write(attributes(FILE, 50, 9));
    assertEquals(50, sizeBytes(FILE));
  }

  @Test
  void unsentCopiesCompleteAtOnceWithinAMemoryBound() {
    assertEquals(5, copies.status(OSD).toCompletableFuture().join().incarnation());
    assertFalse(full);
    for (int number = 0; number < 40; number++) {
      write(attributes(new ObjectId(80_000 + number), 1, 1));
    }
    assertTrue(full);
  }
}
