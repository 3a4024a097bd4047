package org.weft.client.number;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.weft.client.file.WritableFile;
import org.weft.client.ids.NodeAttributes;
import org.weft.client.ids.NodeId;
import org.weft.client.ids.NodeType;
import org.weft.client.stripe.base.UnitPool;
import org.weft.protocol.rpc.Payload;

/** How long files stay open that nothing opens and closes (P 6.5c.8.19). */
class NumberedDataTest implements NumberedFile.Opener {
  private static final long MILLISECOND = 1_000_000;
  private static final NodeId FILE = NodeId.of(1, 2);

  private long nowNanos;
  private int openedForReading;
  private int openedForWriting;
  private KeepingFile written;
  private final NumberedData data =
      new NumberedData(this, 0, new UnitPool(0), () -> nowNanos, (delayNanos, task) -> {});

  @Override
  public CompletableFuture<SharedInput.Input> openForReading(NodeId id) {
    openedForReading++;
    return CompletableFuture.completedFuture(
        new SharedInput.Input() {
          @Override
          public CompletableFuture<Payload> read(long positionBytes, int lengthBytes) {
            return CompletableFuture.completedFuture(Payload.EMPTY);
          }

          @Override
          public void close() {}
        });
  }

  @Override
  public CompletableFuture<WritableFile<?>> openForWriting(NodeId id) {
    openedForWriting++;
    written = new KeepingFile();
    return CompletableFuture.completedFuture(written);
  }

  private void write() {
    assertTrue(data.write(FILE, 0, Payload.of(ByteBuffer.allocate(100)), false).isDone());
  }

  private static NodeAttributes node(int cuts) {
    return new NodeAttributes(
        FILE,
        NodeType.FILE,
        0644,
        1,
        "ann",
        "ann",
        100,
        100,
        0,
        0,
        1,
        1,
        1,
        1,
        cuts,
        ByteString.EMPTY);
  }

  private void read(int times) {
    NodeAttributes node = node(0);
    for (int each = 0; each < times; each++) {
      FoundFile found = new FoundFile(node, 6, written.syncs() == 0, Optional.empty());
      assertTrue(data.read(found, 0, 100).isDone());
    }
  }

  @Test
  void aFileThatIsOnlyReadIsClosedForWriting() {
    write();
    read(15);
    nowNanos += 100 * MILLISECOND;
    assertEquals(0, openedForReading, "too few");
    read(1);
    assertEquals(0, openedForReading, "the last read by the writer closes it behind itself");
    read(16);
    assertEquals(1, openedForReading);
    assertEquals(1, written.syncs() / 2, "what was written is on stable storage, and it is closed");
    assertEquals(0, data.losses());
    write();
    assertEquals(2, openedForWriting);
  }

  @Test
  void aFileThatWasWrittenAMomentAgoStaysOpen() {
    write();
    nowNanos += 99 * MILLISECOND;
    read(100);
    assertEquals(0, openedForReading);
  }

  @Test
  void readsBetweenWritesDoNotCloseIt() {
    for (int round = 0; round < 20; round++) {
      write();
      nowNanos += 200 * MILLISECOND;
      read(15);
    }
    assertEquals(1, openedForWriting);
    assertEquals(0, openedForReading);
  }

  /** It stays open for the writes that mostly follow. */
  @Test
  void theLengthIsSetBesideWrites() {
    write();
    assertTrue(data.setLength(FILE, 500).isDone());
    write();
    assertEquals(1, openedForWriting);
    assertEquals(0, written.syncs());
    assertEquals(500, written.sizeBytes());
  }

  /** P 6.5.78: this client has not heard of the cut of another yet. */
  @Test
  void aLengthOfBeforeTheCutOfAnotherIsNotShown() {
    assertTrue(data.setLength(FILE, 500).isDone());
    assertEquals(500, data.shown(node(1)).sizeBytes());
    assertEquals(100, data.shown(node(2)).sizeBytes());
  }
}
