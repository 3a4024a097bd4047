package org.weft.bench.micro;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.weft.metadata.journal.JournalRecord;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;

/** What the manager's cases measure is what a manager does. */
class BenchedVolumeTest {
  @Test
  void changesAreJournalledAndLookedAtAfterwards() throws WeftException {
    BenchedVolume volume = new BenchedVolume();
    volume.makeDirectory("d");
    JournalRecord made = volume.journalled();
    volume.create("d", "a");
    JournalRecord created = volume.journalled();
    assertNotEquals(made.lsn(), created.lsn());
    assertEquals(
        volume.attributes("d", "a").toByteString(), volume.attributes("d", "a").toByteString());
    assertSame(created, volume.journalled());
    volume.rename(BenchedVolume.path("d", "a"), BenchedVolume.path("d", "b"));
    assertEquals(created.lsn().next(), volume.journalled().lsn());
    var failure = assertThrows(WeftException.class, () -> volume.attributes("d", "a"));
    assertEquals(ErrorCode.NOT_FOUND, failure.code());
  }

  @Test
  void aVolumeTakesMoreFilesThanARunOfTheCasesMakes() throws WeftException {
    BenchedVolume volume = new BenchedVolume();
    volume.makeDirectory("d");
    for (int i = 0; i < 5_000; i++) {
      volume.create("d", "file-" + i);
    }
    assertEquals(10_003, volume.journalled().lsn().value() & 0xffffff);
  }
}
