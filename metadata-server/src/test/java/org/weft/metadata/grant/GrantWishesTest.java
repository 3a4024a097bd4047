package org.weft.metadata.grant;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.SessionId;

/** How many files are wanted at the same time. */
class GrantWishesTest {
  private static final SessionId CLIENT = new SessionId(7);

  private final GrantWishes wishes = new GrantWishes(new GrantTable());

  private static ObjectId file(int number) {
    return new ObjectId(100 + number);
  }

  @Test
  void clientWishesFitBesideManyRepairWishes() {
    for (int number = 0; number < 2 * GrantWishes.MAX_FILES; number++) {
      wishes.wantedForRepair(file(number), 0);
    }
    int before = wishes.size();
    wishes.wanted(file(2 * GrantWishes.MAX_FILES), CLIENT, false, 0);
    assertEquals(before + 1, wishes.size());
  }

  @Test
  void endedWishFreesItsRoom() {
    for (int number = 0; number < 2 * GrantWishes.MAX_FILES; number++) {
      wishes.wanted(file(number), CLIENT, false, 0);
    }
    assertEquals(GrantWishes.MAX_FILES, wishes.size());
    wishes.wanted(file(2 * GrantWishes.MAX_FILES), CLIENT, false, GrantWishes.WAIT_NANOS);
    assertEquals(1, wishes.size());
  }
}
