package org.weft.osd.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.weft.osd.harness.OsdCaller.TAG;
import static org.weft.osd.harness.OsdCaller.writeOf;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnknownFieldSet;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.osd.harness.Blocks;
import org.weft.osd.harness.FakeInbound;
import org.weft.osd.harness.OsdRig;
import org.weft.osd.store.Durability;
import org.weft.protocol.capability.SignedCapability;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.wire.ReadRequest;
import org.weft.testkit.process.Await;

/** A READ that meets an error once the store has pinned its blocks. */
class ReadErrorTest {
  private static final long OBJECT = 70_000;
  private static final long GRANT = Lsn.of(3, 10).value();
  private static final byte[] CONTENT = Blocks.random(1, 100_000);

  /** Of a body that an event loop leaves to the pool. */
  private static final int LARGE_BODY_BYTES = 65 << 10;

  /** Skipped by all releases until now. */
  private static final int UNKNOWN_FIELD = 2_000;

  @TempDir Path directory;
  private final AtomicInteger asked = new AtomicInteger();
  private OsdRig rig;
  private OsdCommandService service;
  private SignedCapability client;

  @BeforeEach
  void start() throws IOException {
    rig = OsdRig.start(directory);
    service =
        new OsdCommandService(
            rig.daemon().store(),
            rig.environment(),
            Runnable::run,
            Durability.WRITE_BACK,
            new byte[32],
            this::letInOnce);
    service.open();
    client = rig.caps().client(OBJECT, GRANT);
    var write = writeOf(OBJECT, GRANT, 1, 0, CONTENT).setSeqCount(2).setCreate(TAG);
    rig.caller().write(client, write, CONTENT);
  }

  @AfterEach
  void end() {
    rig.close();
  }

  /** The second time is after the store has answered. */
  private void letInOnce() {
    if (asked.incrementAndGet() == 2) {
      throw new OutOfMemoryError("no memory is left");
    }
  }

  /** A small request is answered on the event loop, a large one in the pool. */
  @ParameterizedTest
  @ValueSource(ints = {1, LARGE_BODY_BYTES})
  void keepsNoBlocksPinned(int moreBytes) throws Exception {
    ByteString more = ByteString.copyFrom(new byte[moreBytes]);
    byte[] body =
        ReadRequest.newBuilder()
            .setCapability(client.encoded())
            .setObjectId(OBJECT)
            .setLength(CONTENT.length)
            .setUnknownFields(
                UnknownFieldSet.newBuilder()
                    .addField(
                        UNKNOWN_FIELD,
                        UnknownFieldSet.Field.newBuilder().addLengthDelimited(more).build())
                    .build())
            .build()
            .toByteArray();
    FakeInbound read =
        new FakeInbound(Opcode.READ.number(), body, new byte[0], true)
            .deadlineNanos(Long.MAX_VALUE);
    assertThrows(OutOfMemoryError.class, () -> service.handle(read));
    assertEquals(2, asked.get(), "the store was read");
    assertTrue(rig.daemon().store().status().usedBytes() >= CONTENT.length);
    rig.caller().remove(rig.caps().manager(3), OBJECT, Lsn.of(3, 20).value());
    Await.that(() -> rig.daemon().store().status().usedBytes() == 0);
  }
}
