package org.weft.osd.store.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.weft.osd.store.engine.Requests.attributes;
import static org.weft.osd.store.engine.Requests.blocks;
import static org.weft.osd.store.engine.Requests.lsn;
import static org.weft.osd.store.engine.Requests.random;
import static org.weft.osd.store.engine.Requests.removal;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.weft.osd.store.Receipt;
import org.weft.osd.store.mutation.AttributeUpdate;
import org.weft.osd.store.mutation.PartitionUpdate;
import org.weft.osd.store.value.AttributeValue;
import org.weft.osd.store.value.WorkingKey;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectName;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.seam.KeyValueStore;

/** What a manager's flush need not look up, and what it must not take for granted. */
class MetadataLookupsTest {
  private static final int BLOCK = Requests.BLOCK;

  private Rig rig;
  private CountingTables tables;

  @BeforeEach
  void openStore() throws WeftException {
    rig = Rig.small();
    startAgain();
  }

  /** Memory knows nothing after that. */
  private void startAgain() throws WeftException {
    rig.stop();
    tables = new CountingTables(rig.tables);
    rig.open(tables);
  }

  private static final class CountingTables extends TablesBetween {
    private int gets;
    private int lastKeys;

    CountingTables(KeyValueStore tables) {
      super(tables);
    }

    @Override
    public byte[] get(byte[] key) throws IOException {
      gets++;
      return super.get(key);
    }

    @Override
    public byte[] lastKey(byte[] fromInclusive, byte[] toExclusive) throws IOException {
      lastKeys++;
      return super.lastKey(fromInclusive, toExclusive);
    }

    int newGets() {
      int count = gets;
      gets = 0;
      return count;
    }
  }

  private static AttributeValue page(int number, long lsnIndex) {
    return new AttributeValue(number, lsn(lsnIndex), random(lsnIndex, 40));
  }

  private Receipt put(long object, AttributeValue... pages) {
    return rig.apply(attributes(object, pages));
  }

  private static AttributeUpdate in(long volume, AttributeValue page) {
    return attributes(ObjectName.of(volume, 5), page);
  }

  @Test
  void objectsAreMadeWithoutAQuestion() {
    put(1_000, page(0, 10));
    tables.newGets();
    // Late ones, and such as leave a gap, as three copies of each on six OSDs do.
    List<Long> objects = List.of(1_005L, 1_003L, 1_004L, 2_000L, 1_999L);
    objects.forEach(object -> put(object, page(0, 11)));
    assertEquals(0, tables.newGets());
    // What is removed is looked up, but not its tombstone.
    objects.forEach(object -> rig.apply(removal(object, 12)));
    assertEquals(objects.size(), tables.newGets());
  }

  @Test
  void anObjectChangedTwiceIsRemembered() {
    put(1_000, page(0, 10));
    put(1_000, page(0, 11));
    put(1_000, page(0, 12));
    tables.newGets();
    assertEquals(1, put(1_000, page(0, 11)).skipped());
    assertEquals(0, put(1_000, page(0, 13)).skipped());
    assertEquals(1, put(1_000, page(0, 12)).skipped());
    rig.apply(removal(1_000, 14));
    assertEquals(0, tables.newGets());
  }

  @Test
  void aStartLooksUpExistingObjectsInTheTables() throws WeftException {
    put(1_000, page(0, 10));
    put(1_002, page(0, 10));
    rig.apply(removal(1_002, 20));
    startAgain();
    assertEquals(1, put(1_000, page(0, 9)).skipped());
    assertTrue(tables.newGets() > 0);
    rig.refuse(ErrorCode.TOMBSTONE, attributes(1_002, page(0, 19)));
    tables.newGets();
    put(1_003, page(0, 21));
    assertEquals(0, tables.newGets());
  }

  @Test
  void anOlderFlushDoesNotRecreateARemovedObject() {
    put(1_000, page(0, 10));
    rig.apply(removal(1_000, 20));
    // Never made here: it must not be by what comes late.
    rig.apply(removal(1_001, 20));
    for (long object : List.of(1_000L, 1_001L)) {
      rig.refuse(ErrorCode.TOMBSTONE, attributes(object, page(0, 19)));
      assertEquals(0, put(object, page(0, 20)).skipped());
      assertEquals(1, put(object, page(0, 15)).skipped());
    }
  }

  @Test
  void theSameInOneBatch() {
    var outcomes =
        rig.applyAll(
            attributes(1_000, page(0, 10)),
            attributes(1_000, page(0, 9)),
            attributes(1_000, page(0, 11)),
            removal(1_000, 20),
            attributes(1_000, page(0, 19)),
            attributes(1_000, page(0, 21)),
            attributes(1_000, page(0, 20)));
    assertEquals(1, outcomes.get(1).receipt().skipped());
    assertEquals(0, outcomes.get(2).receipt().skipped());
    assertEquals(ErrorCode.TOMBSTONE, outcomes.get(4).failure().code());
    assertEquals(0, outcomes.get(5).receipt().skipped());
    assertEquals(1, outcomes.get(6).receipt().skipped());
  }

  @Test
  void otherPagesAndOtherChangesLeaveThePageAlone() {
    put(1_000, page(0, 5));
    put(1_000, page(0, 6));
    put(1_000, page(0, 10));
    put(1_000, page(3, 30));
    rig.apply(blocks(1_000, 31, random(1, BLOCK), 0));
    tables.newGets();
    assertEquals(1, put(1_000, page(0, 9)).skipped());
    assertEquals(0, tables.newGets());
    assertEquals(1, put(1_000, page(3, 29)).skipped());
    assertEquals(0, put(1_000, page(3, 31)).skipped());
    assertEquals(0, put(1_000, page(0, 11)).skipped());
  }

  /** Of more partitions than numbers are kept for. */
  @Test
  void manyVolumesForgetAndAskAgain() {
    for (int round = 0; round < 2; round++) {
      for (long volume = 100; volume < 250; volume++) {
        if (round == 0) {
          rig.apply(
              new PartitionUpdate(
                  new PartitionId(volume), List.of(new WorkingKey(1, new byte[32])), 1));
          rig.apply(in(volume, page(0, 10)));
        }
        assertEquals(1, rig.apply(in(volume, page(0, 9))).skipped());
      }
    }
    // Two keys for each volume, and many of them again.
    assertTrue(tables.lastKeys > 2 * 2 * 150, tables.lastKeys + " times");
  }
}
