package org.weft.protocol.layout;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which fault domain is in force (P 4.1). */
class DomainCountsTest {
  @ParameterizedTest(name = "{0} OSDs on {1} hosts in {2} racks, wish {3}, parity {4}: {5} by {6}")
  @CsvSource({
    // As before there were racks.
    "6, 6, 1, AUTO, 1, 5, HOST",
    "6, 1, 1, AUTO, 1, 5, OSD",
    "10, 5, 1, AUTO, 1, 4, HOST",
    // Racks do not make files narrower by themselves.
    "12, 12, 4, AUTO, 1, 11, HOST",
    "12, 12, 12, AUTO, 1, 11, RACK",
    "8, 4, 4, AUTO, 1, 3, RACK",
    "8, 4, 3, AUTO, 1, 3, RACK",
    "8, 4, 2, AUTO, 1, 3, HOST",
    // But if people say so.
    "12, 12, 4, RACK, 1, 3, RACK",
    "12, 12, 2, RACK, 2, 11, HOST",
    "12, 12, 4, HOST, 1, 11, HOST",
    "12, 12, 12, HOST, 1, 11, HOST",
    "12, 4, 4, OSD, 1, 11, OSD"
  })
  void theWidthFollowsTheDomainAndTheDomainTheWidth(
      int osds,
      int hosts,
      int racks,
      FaultDomain.Wish wish,
      int parity,
      int width,
      FaultDomain is) {
    DomainCounts counts = new DomainCounts(osds, hosts, racks);
    assertEquals(width, counts.width(wish, parity));
    assertEquals(is, counts.inForce(wish, width));
  }

  @Test
  void tooFewOsdsAreRefused() {
    DomainCounts two = new DomainCounts(2, 2, 2);
    assertThrows(IllegalArgumentException.class, () -> two.width(FaultDomain.Wish.AUTO, 2));
  }

  @Test
  void wishesHaveNumbersAndWords() {
    for (FaultDomain.Wish wish : FaultDomain.Wish.values()) {
      assertEquals(wish, FaultDomain.Wish.ofNumber(wish.number()));
      assertEquals(Optional.of(wish), FaultDomain.Wish.ofWord(wish.word()));
    }
    assertEquals(FaultDomain.Wish.AUTO, FaultDomain.Wish.ofNumber(99));
    assertEquals(Optional.empty(), FaultDomain.Wish.ofWord("shelf"));
  }
}
