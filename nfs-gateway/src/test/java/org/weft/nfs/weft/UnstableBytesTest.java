package org.weft.nfs.weft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.weft.client.ids.NodeId;

/** The bound of what lies in memory, answered UNSTABLE. */
class UnstableBytesTest {
  private static final int PIECE = 1 << 20;

  private final UnstableBytes unstable = new UnstableBytes(8L * PIECE);

  private static NodeId file(int number) {
    return NodeId.of(1, number);
  }

  @Test
  void beyondTheBoundWritesMustBeStableUntilFilesAreCommitted() {
    for (int i = 1; i <= 8; i++) {
      assertTrue(unstable.take(file(i), PIECE));
    }
    assertFalse(unstable.take(file(9), PIECE));
    assertEquals(8, unstable.oldest().size());
    assertEquals(List.of(), unstable.oldest(), "they are being committed");
    unstable.ended(file(1));
    unstable.committed(file(1), 1);
    assertTrue(unstable.take(file(9), PIECE));
    assertEquals(8L * PIECE, unstable.bytes());
  }

  @Test
  void oneFileCountsUpToItsGatherBound() {
    UnstableBytes roomy = new UnstableBytes(2 * UnstableBytes.MAX_OF_FILE);
    for (int i = 0; i < 100; i++) {
      assertTrue(roomy.take(file(1), PIECE));
    }
    assertEquals(UnstableBytes.MAX_OF_FILE, roomy.bytes());
  }

  /** Their clients wait where the gateway commits beside them. */
  @Test
  void sevenStreamsNeedNoCommitInAGatewayOfUsualSize() {
    UnstableBytes usual = new UnstableBytes(128L * PIECE);
    for (int i = 0; i < 100; i++) {
      for (int stream = 1; stream <= 7; stream++) {
        assertTrue(usual.take(file(stream), PIECE));
        assertEquals(List.of(), usual.oldest());
      }
    }
    assertTrue(usual.take(file(8), 8 * PIECE));
    assertEquals(8, usual.oldest().size());
  }

  @Test
  void aCommitFreesNothingThatWasWrittenAfterItBegan() {
    assertTrue(unstable.take(file(1), PIECE));
    long covered = unstable.writes(file(1));
    assertTrue(unstable.take(file(1), PIECE));
    unstable.committed(file(1), covered);
    assertEquals(2L * PIECE, unstable.bytes());
    unstable.committed(file(1), unstable.writes(file(1)));
    assertEquals(0, unstable.bytes());
  }

  @Test
  void filesOfWritesWithoutBytesAreBounded() {
    int most = (int) (8L * PIECE / UnstableBytes.MIN_OF_FILE);
    for (int i = 1; i <= most; i++) {
      assertTrue(unstable.take(file(i), i % 2));
    }
    assertFalse(unstable.take(file(most + 1), 0));
    for (int i = 1; i <= most; i++) {
      unstable.committed(file(i), unstable.writes(file(i)));
    }
    assertEquals(0, unstable.bytes());
  }

  @Test
  void aLateCommitDoesNotCoverAFileThatIsCountedAnew() {
    assertTrue(unstable.take(file(1), PIECE));
    long covered = unstable.writes(file(1));
    unstable.committed(file(1), covered);
    assertTrue(unstable.take(file(1), PIECE));
    unstable.committed(file(1), covered);
    assertEquals(PIECE, unstable.bytes());
  }
}
