package org.weft.simulator.check;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/** The check of large directories tells answers that may be from answers that may not. */
class CrowdHistoryTest {
  private final CrowdHistory crowd = new CrowdHistory("/crowd");

  private void made(String name, long moment, long objectId) {
    crowd.asked(name);
    crowd.done(name, moment, objectId);
  }

  private void listed(long start, String... names) {
    CrowdHistory.Listing listing = crowd.listing(start);
    for (String name : names) {
      listing.saw(name, crowd.objectOf(name));
    }
    listing.ended();
  }

  private void assertSound() {
    assertEquals(List.of(), crowd.check());
  }

  private void assertWrong(String part) {
    assertEquals(1, crowd.check().size(), () -> crowd.check().toString());
    assertTrue(crowd.check().get(0).text().contains(part), () -> crowd.check().toString());
  }

  @Test
  void listingOfExistingNamesIsSound() {
    made("a", 1, 10);
    made("b", 2, 11);
    listed(3, "b", "a");
    assertSound();
  }

  @Test
  void stableNameMustBeListed() {
    made("a", 1, 10);
    listed(2);
    assertWrong("a was listed as object 0");
  }

  @Test
  void aNameThatWasRemovedBeforeMustNotBeListed() {
    made("a", 1, 10);
    made("a", 2, 0);
    CrowdHistory.Listing listing = crowd.listing(3);
    listing.saw("a", 10);
    listing.ended();
    assertWrong("no such name since moment 2");
  }

  @Test
  void aNameThatStayedMustNotBeListedTwice() {
    made("a", 1, 10);
    listed(2, "a", "a");
    assertWrong("twice");
  }

  @Test
  void aNameThatWasNeverMadeMustNotBeListed() {
    CrowdHistory.Listing listing = crowd.listing(1);
    listing.saw("a", 10);
    listing.ended();
    assertWrong("never made");
  }

  @Test
  void changingNameMayBeListedOrNot() {
    made("a", 5, 10);
    listed(3);
    listed(3, "a");
    crowd.asked("a");
    listed(7);
    assertSound();
  }

  @Test
  void doubtfulNameMayBeListedOrNot() {
    made("a", 1, 10);
    crowd.asked("a");
    crowd.ownerDied(List.of("a"));
    crowd.looked("a", 5, 0);
    crowd.looked("a", 6, 10);
    crowd.counted(1, 1);
    crowd.counted(0, 0);
    assertSound();
    assertEquals(0, crowd.present());
  }

  @Test
  void aLookFindsWhatIsThere() {
    made("a", 1, 10);
    crowd.looked("a", 2, 11);
    assertWrong("found object 11");
  }

  @Test
  void theCountIsThatOfTheListing() {
    made("a", 1, 10);
    crowd.counted(2, 1);
    assertWrong("has 2 entries");
  }
}
