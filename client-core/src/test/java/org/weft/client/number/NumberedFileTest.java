package org.weft.client.number;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.weft.client.file.WritableFile;
import org.weft.client.ids.NodeAttributes;
import org.weft.client.ids.NodeId;
import org.weft.client.ids.NodeType;
import org.weft.client.stripe.base.UnitPool;
import org.weft.protocol.acl.RightBits;
import org.weft.protocol.rpc.Payload;

/** Which writes are kept where they came, and what becomes of their memory (P 6.5c.8). */
class NumberedFileTest implements NumberedFile.Opener {
  private int losses;
  private int released;
  private final UnitPool buffers = new UnitPool(4 << 20);
  private CompletableFuture<Void> pending = CompletableFuture.completedFuture(null);
  private final Deque<KeepingFile> opened = new ArrayDeque<>();
  private final NumberedFile file =
      new NumberedFile(NodeId.of(1, 2), this, new AheadMemory(0), buffers, () -> losses++);

  @Override
  public CompletableFuture<SharedInput.Input> openForReading(NodeId id) {
    assertFalse(pending.isDone(), id + " is written alone");
    return CompletableFuture.completedFuture(
        new SharedInput.Input() {
          @Override
          public CompletableFuture<Payload> read(long positionBytes, int lengthBytes) {
            return CompletableFuture.completedFuture(Payload.of(ByteBuffer.allocate(lengthBytes)));
          }

          @Override
          public void close() {}
        });
  }

  @Override
  public CompletableFuture<WritableFile<?>> openForWriting(NodeId id) {
    opened.addLast(new KeepingFile());
    return pending.thenApply(nothing -> opened.getLast());
  }

  private Payload arrived(int buffers) {
    return Payload.of(Collections.nCopies(buffers, ByteBuffer.allocate(100)), () -> released++);
  }

  private KeepingFile written() {
    return opened.getLast();
  }

  /** P 6.5c.8.11. */
  @Test
  void anUnstableWriteKeepsItsMemoryUntilItIsSent() {
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
  void keptBytesThatCannotBeSentCountAsLost() {
    assertTrue(file.write(0, arrived(1), false).isDone());
    written().fail();
    assertEquals(0, losses, "nothing has asked for it yet");
    assertThrows(CompletionException.class, file.commit()::join);
    assertEquals(1, losses);
    assertTrue(file.write(0, arrived(1), false).isDone());
    assertEquals(2, opened.size(), "it is opened again");
    assertFalse(written().hasFailed());
  }

  /** Each of these has its reply to a commit or a stable write: no client keeps bytes of it. */
  @Test
  void whatIsOnStableStorageIsNotLostWithItsFile() {
    assertTrue(file.write(0, arrived(1), true).isDone());
    written().fail();
    assertThrows(CompletionException.class, file.commit()::join);
    assertEquals(0, losses);
    assertTrue(file.write(0, arrived(1), false).isDone());
    assertTrue(file.commit().isDone());
    written().fail();
    assertThrows(CompletionException.class, file.commit()::join);
    assertEquals(0, losses);
  }

  @Test
  void aCommitDoesNotCoverWritesBesideIt() {
    assertTrue(file.write(0, arrived(1), false).isDone());
    CompletableFuture<Void> syncs = written().holdSyncs();
    CompletableFuture<?> committed = file.commit();
    assertTrue(file.write(100, arrived(1), false).isDone());
    syncs.complete(null);
    assertTrue(committed.isDone());
    written().fail();
    assertThrows(CompletionException.class, file.commit()::join);
    assertEquals(1, losses);
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

  private Payload read(int lengthBytes) {
    return file.read(found(), 0, lengthBytes).join();
  }

  private static FoundFile found() {
    NodeAttributes node =
        new NodeAttributes(
            NodeId.of(1, 2),
            NodeType.FILE,
            0644,
            1,
            "ann",
            "makers",
            1 << 20,
            1 << 20,
            0,
            0,
            1,
            1,
            1,
            1,
            0,
            ByteString.EMPTY);
    return new FoundFile(node, RightBits.READ, true, Optional.empty());
  }

  /** Clients of NFS read a MiB at a time: that is not the heap's affair. */
  @Test
  void readsOfAWrittenFileHoldAPoolBufferUntilReleased() {
    assertTrue(file.write(0, arrived(1), false).isDone());
    written().holds(100_000);
    Payload first = read(100_000);
    assertEquals(128 << 10, buffers.takenBytes());
    assertEquals(128 << 10, buffers.reservedBytes());
    Payload second = read(40_000);
    ByteBuffer bytes = first.buffers().get(0);
    assertTrue(bytes.isDirect());
    assertEquals(100_000, bytes.remaining());
    assertEquals((byte) 99_999, bytes.get(99_999), "the second read has memory of its own");
    first.release();
    second.release();
    assertEquals(0, buffers.takenBytes());
    assertEquals(0, buffers.reservedBytes());
    Payload small = read(NumberedFile.MIN_POOLED_BYTES - 1);
    assertEquals(0, buffers.takenBytes(), "small ones are of the heap");
    small.release();
  }

  @Test
  void aReadThatFailsOrFindsNothingKeepsNoBuffer() {
    assertTrue(file.write(0, arrived(1), false).isDone());
    Payload none = read(100_000);
    assertEquals(0, none.lengthBytes());
    none.release();
    assertEquals(0, buffers.takenBytes());
    written().fail();
    assertThrows(CompletionException.class, () -> read(100_000));
    assertEquals(0, buffers.takenBytes());
    assertEquals(0, buffers.reservedBytes());
  }

  /** Its writer has a lease for it, and its readers need not wait for that. */
  @Test
  void readsDoNotWaitForAWriteThatWaitsForAnotherWriter() {
    pending = new CompletableFuture<>();
    CompletableFuture<?> written = file.write(0, arrived(1), false);
    CompletableFuture<?> cut = file.setLength(10);
    CompletableFuture<Payload> read = file.read(found(), 0, 100);
    assertTrue(read.isDone());
    assertEquals(100, read.join().lengthBytes());
    assertFalse(written.isDone() || cut.isDone());
    pending.complete(null);
    assertTrue(written.isDone() && cut.isDone());
    written().holds(40);
    assertEquals(40, read(100).lengthBytes(), "what is written here counts now");
  }

  /** P 6.5c.7.10. */
  @Test
  void takenBytesAreToldBeforeTimesAreSet() {
    assertTrue(file.tell().isDone());
    assertEquals(0, opened.size(), "nothing was written");
    assertTrue(file.write(0, arrived(1), false).isDone());
    assertTrue(file.tell().isDone());
    assertEquals(1, written().flushes());
    assertEquals(1, released);
    assertTrue(file.write(0, arrived(1), false).isDone());
    written().fail();
    assertTrue(file.tell().isDone());
    assertEquals(1, losses, "what is lost is told no more");
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
