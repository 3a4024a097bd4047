package org.weft.metadata.objects.cache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CacheLimitsTest {
  private static final int PAGE_OF_A_LISTING = 1_000;

  @ParameterizedTest
  @ValueSource(longs = {CacheLimits.MIN_BYTES, 100 << 20, 64L << 30, 1L << 50})
  void limitsAddUpToTheGivenMemory(long bytes) {
    CacheLimits limits = CacheLimits.ofBytes(bytes);
    long ready = (long) limits.cleanAttributes() * CacheLimits.READY_BYTES;
    long blocks = (long) limits.cleanBlocks() * 4_096;
    assertTrue(ready + blocks + limits.packedBytes() <= bytes);
  }

  @Test
  void limitsUseMostOfTheMemory() {
    CacheLimits limits = CacheLimits.ofBytes(1 << 30);
    assertTrue(limits.packedBytes() > 1 << 29);
    assertEquals(1 << 17, limits.cleanAttributes());
  }

  @Test
  void lessThanTheLeastIsRefused() {
    String message =
        assertThrows(
                IllegalArgumentException.class,
                () -> CacheLimits.ofBytes(CacheLimits.MIN_BYTES - 1))
            .getMessage();
    assertTrue(message.contains("4 MiB"), message);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 7, 1_000})
  void aPageOfAListingFitsIntoAnyShareOfTheLeast(int volumes) {
    CacheLimits least = CacheLimits.ofBytes(CacheLimits.MIN_BYTES);
    CacheLimits share = least.sharedBy(volumes);
    int least1000 = Math.min(PAGE_OF_A_LISTING, least.cleanAttributes());
    assertTrue(share.cleanAttributes() >= least1000, share.toString());
    assertTrue(share.packedBytes() >= 1 << 20, share.toString());
    assertTrue(share.directoryChangedBlocks() >= PAGE_OF_A_LISTING, share.toString());
  }

  @Test
  void severalVolumesShareWhatOneMayKeep() {
    CacheLimits whole = CacheLimits.ofBytes(1 << 30);
    CacheLimits third = whole.sharedBy(3);
    assertEquals(whole.packedBytes() / 3, third.packedBytes());
    assertEquals(whole.cleanAttributes() / 3, third.cleanAttributes());
    assertEquals(whole.cleanBlocks() / 3, third.cleanBlocks());
  }

  @Test
  void unflushedBoundGrowsWithMemoryUpToAMaximum() {
    assertEquals(20_000, CacheLimits.ofBytes(CacheLimits.MIN_BYTES).unflushedRecords());
    assertEquals(65_536, CacheLimits.ofBytes(256L << 20).unflushedRecords());
    assertEquals(100_000, CacheLimits.ofBytes(512L << 20).unflushedRecords());
    assertEquals(32_768, CacheLimits.ofBytes(512L << 20).unflushedBlocks());
    assertEquals(128L << 20, CacheLimits.ofBytes(512L << 20).journalBytes());
    assertEquals(100_000, CacheLimits.ofBytes(64L << 30).unflushedRecords());
  }
}
