package org.weft.protocol.id;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class IdTest {
  @ParameterizedTest
  @ValueSource(longs = {1, 2})
  void lsnIsEpochAndIndex(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    for (int i = 0; i < 10_000; i++) {
      long epoch = random.nextLong(Lsn.MAX_EPOCH + 1);
      long index = random.nextLong(Lsn.MAX_INDEX);
      Lsn lsn = Lsn.of(epoch, index);
      assertEquals(epoch, lsn.epoch());
      assertEquals(index, lsn.index());
      assertEquals(Lsn.of(epoch, index + 1), lsn.next());
      assertTrue(lsn.compareTo(lsn.next()) < 0);
      Lsn other = Lsn.of(random.nextLong(Lsn.MAX_EPOCH + 1), index);
      assertEquals(Long.signum(epoch - other.epoch()), Integer.signum(lsn.compareTo(other)));
    }
  }

  @Test
  void laterEpochIsLaterWhateverTheIndex() {
    assertTrue(Lsn.of(1, Lsn.MAX_INDEX).compareTo(Lsn.of(2, 0)) < 0);
    assertTrue(Lsn.of(Lsn.MAX_EPOCH, 0).compareTo(Lsn.ZERO) > 0);
    assertEquals("3:7", Lsn.of(3, 7).toString());
  }

  @ParameterizedTest
  @CsvSource({"-1, 0", "0, -1", "16777216, 0", "0, 1099511627776"})
  void lsnOutOfRangeIsRefused(long epoch, long index) {
    assertThrows(IllegalArgumentException.class, () -> Lsn.of(epoch, index));
  }

  @Test
  void epochIsNeverRunOver() {
    Lsn last = Lsn.of(1, Lsn.MAX_INDEX);
    assertThrows(IllegalArgumentException.class, last::next);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "0",
        "0123456789abcdef0123456789abcdeg",
        "0123456789ABCDEF0123456789ABCDEF",
        "0123456789abcdef0123456789abcdef0",
        " 123456789abcdef0123456789abcdef"
      })
  void clusterIdHasItsForm(String text) {
    assertThrows(IllegalArgumentException.class, () -> new ClusterId(text));
    assertEquals("a".repeat(32), new ClusterId("a".repeat(32)).toString());
  }

  @Test
  void idsAreUnsigned() {
    assertTrue(new ObjectId(-1).compareTo(new ObjectId(1)) > 0);
    assertEquals("18446744073709551615", new ObjectId(-1).toString());
    assertTrue(ObjectName.of(1, -1).compareTo(ObjectName.of(2, 0)) < 0);
    assertTrue(ObjectName.of(1, -1).compareTo(ObjectName.of(1, 5)) > 0);
    assertEquals("1/65536", ObjectName.of(1, ObjectId.FIRST_ISSUED).toString());
  }
}
