package org.weft.metadata.serving.care;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.attributes.NodeKind;
import org.weft.metadata.objects.CopyOutcome;
import org.weft.metadata.objects.CopyWrite;
import org.weft.metadata.objects.FlushStamp;
import org.weft.metadata.objects.OsdPort;
import org.weft.metadata.repair.OsdsToEmpty;
import org.weft.metadata.repair.RebuildNeed;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.layout.StorageMap;

/** What an OSD cannot tell is not taken for nothing to repair. */
class LossesOnOsdTest {
  private static final OsdId LOST = new OsdId(1);
  private static final OsdId LEFT = new OsdId(2);
  private static final OsdId OTHER = new OsdId(3);
  private static final ObjectId FIRST = new ObjectId(70_000);
  private static final ObjectId SECOND = new ObjectId(70_001);
  private static final ObjectId THIRD = new ObjectId(70_002);

  private final SortedMap<ObjectId, Attributes> held = new TreeMap<>();
  private final SortedMap<ObjectId, ErrorCode> refused = new TreeMap<>();
  private final List<ObjectId> askedAlone = new ArrayList<>();
  private final LossesOnOsd losses =
      new LossesOnOsd(
          new Port(),
          LEFT,
          file -> !RebuildNeed.of(file, OsdsToEmpty.lost(new TreeSet<>(Set.of(LOST)))).isEmpty());

  /** Of what it refuses it tells nothing beside others. */
  private final class Port implements OsdPort {
    @Override
    public CompletionStage<StoredAttributes> attributes(OsdId osd, ObjectId object) {
      askedAlone.add(object);
      ErrorCode code = refused.get(object);
      return code == null
          ? CompletableFuture.completedFuture(stored(object))
          : CompletableFuture.failedFuture(new WeftException(code, "refused"));
    }

    private StoredAttributes stored(ObjectId object) {
      return new StoredAttributes(held.get(object), new Lsn(1));
    }

    @Override
    public CompletionStage<Map<ObjectId, Optional<StoredAttributes>>> attributesOf(
        OsdId osd, List<ObjectId> objects) {
      Map<ObjectId, Optional<StoredAttributes>> told = new HashMap<>();
      for (ObjectId object : objects) {
        if (!refused.containsKey(object)) {
          told.put(
              object, held.containsKey(object) ? Optional.of(stored(object)) : Optional.empty());
        }
      }
      return CompletableFuture.completedFuture(told);
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

    @Override
    public CompletionStage<CheckpointState> status(OsdId osd) {
      throw new AssertionError("not asked for");
    }

    @Override
    public CompletionStage<Void> checkpoint(OsdId osd) {
      throw new AssertionError("not asked for");
    }
  }

  private void hold(ObjectId object, OsdId first) {
    StorageMap map = StorageMap.of(Layout.of(1, 1), List.of(first, LEFT));
    held.put(object, Attributes.create(object, NodeKind.FILE, map).build());
  }

  private List<ObjectId> found() {
    losses.look(List.of(FIRST, SECOND, THIRD)).toCompletableFuture().join();
    return losses.found().stream().map(Attributes::object).toList();
  }

  @Test
  void filesWithSomethingOnLostOnesAreFound() {
    hold(FIRST, LOST);
    hold(SECOND, OTHER);
    assertEquals(List.of(FIRST), found());
    assertEquals(Optional.empty(), losses.trouble());
    assertEquals(List.of(), askedAlone);
  }

  @Test
  void objectRefusedAloneIsReportedAsTrouble() {
    refused.put(FIRST, ErrorCode.BAD_CHECKSUM);
    hold(THIRD, LOST);
    assertEquals(List.of(THIRD), found(), "the others are found all the same");
    String trouble = losses.trouble().orElseThrow();
    assertTrue(trouble.contains("70000") && trouble.contains("refused"), trouble);
    assertEquals(List.of(FIRST), askedAlone);
  }

  @Test
  void absentOsdIsNotAskedForTheRest() {
    refused.put(FIRST, ErrorCode.UNAVAILABLE);
    refused.put(SECOND, ErrorCode.UNAVAILABLE);
    CompletionException failed = assertThrows(CompletionException.class, this::found);
    assertEquals(ErrorCode.UNAVAILABLE, WeftException.of(failed).code());
    assertEquals(List.of(FIRST), askedAlone);
  }

  @Test
  void absentObjectIsNoTrouble() {
    refused.put(FIRST, ErrorCode.NO_SUCH_OBJECT);
    assertEquals(List.of(), found());
    assertEquals(Optional.empty(), losses.trouble());
  }
}
