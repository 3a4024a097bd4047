package org.weft.client.number;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.weft.client.file.WritableFile;
import org.weft.client.ids.NodeId;
import org.weft.protocol.rpc.Payload;

/** Which writes are kept where they came, and what becomes of their memory (P 6.5c.8). */
class NumberedFileTest implements NumberedFile.Opener {
  private int losses;
  private int released;
  private final Deque<KeepingFile> opened = new ArrayDeque<>();
  private final NumberedFile file =
      new NumberedFile(NodeId.of(1, 2), this, new AheadMemory(0), () -> losses++);

  @Override
  public CompletableFuture<SharedInput.Input> openForReading(NodeId id) {
    throw new AssertionError(id + " is written alone");
  }

  @Override
  public CompletableFuture<WritableFile<?>> openForWriting(NodeId id) {
    opened.addLast(new KeepingFile());
    return CompletableFuture.completedFuture(opened.getLast());
  }

  private Payload arrived(int buffers) {
    return Payload.of(Collections.nCopies(buffers, ByteBuffer.allocate(100)), () -> released++);
  }

  private KeepingFile written() {
    return opened.getLast();
  }

  /** P 6.5c.8.11. */
  @Test
  void anUnstableWriteIsOverAndItsMemoryStaysUntilItIsSent() {
    assertTrue(file.write(0, arrived(1), false).isDone());
    assertEquals(1, written().keptWrites());
    assertEquals(0, released);
    written().send();
    assertEquals(1, released);
  }

  /** P 6.5c.8.12. */
  @Test
  void aCommitSendsWhatIsKept() {
    assertTrue(file.write(0, arrived(1), false).isDone());
    assertTrue(file.commit().isDone());
    assertEquals(1, written().syncs());
    assertEquals(1, released);
    assertEquals(0, losses);
  }

  /** P 6.5c.8.13. */
  @Test
  void whatIsKeptAndCannotBeSentCountsAsLost() {
    assertTrue(file.write(0, arrived(1), false).isDone());
    written().fail();
    assertEquals(0, losses, "nothing has asked for it yet");
    assertThrows(CompletionException.class, file.commit()::join);
    assertEquals(1, losses);
    assertTrue(file.write(0, arrived(1), false).isDone());
    assertEquals(2, opened.size(), "it is opened again");
    assertFalse(written().hasFailed());
  }

  /** P 6.5c.8.14. */
  @Test
  void aStableWriteKeepsNothing() {
    assertTrue(file.write(0, arrived(1), true).isDone());
    assertEquals(0, written().keptWrites());
    assertEquals(1, written().writes());
    assertEquals(1, written().syncs());
    assertEquals(1, released);
  }

  /** Their memory goes back together, so that it could not be counted for each of them. */
  @Test
  void bytesInSeveralBuffersAreNotKept() {
    assertTrue(file.write(0, arrived(3), false).isDone());
    assertEquals(0, written().keptWrites());
    assertEquals(3, written().writes());
    assertEquals(1, released);
  }

  /** Once it is being closed the reads that follow begin no second close. */
  @Test
  void askingWhetherItIsReadAloneChangesNothing() {
    assertTrue(file.write(0, arrived(1), true).isDone());
    for (int read = 0; read < 16; read++) {
      assertTrue(file.enter(false, 0));
      file.exit(false, 0);
    }
    assertFalse(file.isReadAlone(99_999_999));
    assertTrue(file.isReadAlone(100_000_000));
    assertTrue(file.isReadAlone(100_000_000), "asked again");
    CompletableFuture<Boolean> closed = file.end();
    assertFalse(file.isReadAlone(100_000_000));
    assertTrue(closed.join());
  }
}
