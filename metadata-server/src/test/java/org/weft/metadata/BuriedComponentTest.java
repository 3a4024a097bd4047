package org.weft.metadata;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.IntStream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.client.osd.OsdClient;
import org.weft.client.osd.OsdTarget;
import org.weft.client.volume.SessionGrant;
import org.weft.client.volume.SessionReply;
import org.weft.client.volume.VolumeCalls;
import org.weft.protocol.capability.SignedCapability;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectName;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.layout.StorageMap;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.rpc.Payload;
import org.weft.protocol.wire.CreateReply;
import org.weft.protocol.wire.FileAttributes;
import org.weft.protocol.wire.WriteRequest;
import org.weft.testkit.osd.FakeOsd;
import org.weft.testkit.osd.Fault;

/**
 * A component that its writer has not made yet is to be kept from being made (P 5.5). That word
 * meets, or follows, the component's coming to be.
 */
class BuriedComponentTest {
  private static final int UNIT = 4_096;

  /** One component holds no attributes. */
  private static final Layout LAYOUT = new Layout(3, 1, UNIT, 100, 1);

  /** Each is what the others make up, wherever the parity is. */
  private static final byte[] UNITS = {7, 8, 9, 7 ^ 8 ^ 9};

  private static final int LATE = 3;

  @TempDir Path folder;

  private ManagerWorld world;
  private VolumeCalls writer;
  private OsdClient osds;
  private SessionReply<CreateReply> created;
  private StorageMap map;
  private ObjectName name;
  private FakeOsd holder;
  private final CompletableFuture<Void> gate = new CompletableFuture<>();
  private boolean held;

  @BeforeEach
  void threeUnitsOfAStripeAreWritten() {
    world = new ManagerWorld(5, 6, folder);
    world.start();
    writer = world.superuser();
    osds = new OsdClient(world.osdConnections(), world.time.newPool("osds", 2, 10_000));
    created =
        await(
            writer.create(
                "/f",
                new VolumeCalls.Creation(0644, 0, false, false, Optional.of(LAYOUT.toMessage()))));
    map = StorageMap.fromMessage(created.body().getGrant().getMap());
    name = ObjectName.of(1, created.body().getAttributes().getObjectId());
    holder = world.osds.get(map.osdOf(LATE).value() - 1);
    holder.faults(opcode -> opcode == Opcode.REMOVE && !held ? hold() : Fault.NONE);
    IntStream.range(0, 3).forEach(this::write);
  }

  /** The first removal arrives when the gate opens. */
  private Fault hold() {
    held = true;
    return Fault.hold(gate);
  }

  @AfterEach
  void end() {
    world.kill();
  }

  private void write(int component) {
    byte[] bytes = new byte[UNIT];
    Arrays.fill(bytes, UNITS[component]);
    CRC32C crc = new CRC32C();
    crc.update(bytes);
    SignedCapability capability =
        new SignedCapability(
            created.body().getGrant().getCapability(),
            created.body().getGrant().getSecret().toByteArray());
    WriteRequest.Builder request =
        WriteRequest.newBuilder()
            .setObjectId(name.object().value())
            .setGrant(created.body().getGrant().getNumber())
            .setFirstSeq(1)
            .setSeqCount(1)
            .addAllParticipants(List.of(0, 1, 2, 3))
            .setEof(3 * UNIT)
            .setCreate(map.tag(component))
            .addBlockCrc((int) crc.getValue());
    OsdTarget target = new OsdTarget(map.osdOf(component), capability, 5_000);
    await(osds.write(target, request, Payload.of(ByteBuffer.wrap(bytes))));
  }

  private void abandon() {
    await(
        writer.abandon(
            new SessionGrant(
                "/f",
                created.sessionId(),
                name.object().value(),
                created.body().getGrant().getNumber())));
  }

  private void awaitResolved() {
    world.pass(300);
    world.time.runUntil(
        "the file is in order", () -> world.manager().health().get(0).getWriteGrants() == 0);
  }

  private FileAttributes attributes() {
    return await(writer.attributes("/f"));
  }

  /**
   * Its writer lives, and makes the component at the very moment in which a tombstone is to prevent
   * that. By then the write is complete, and soon only this component says what the lost unit was.
   */
  @Test
  void aComponentThatItsWriterWasQuickerToMakeStays() {
    abandon();
    world.time.runUntil("it is about to be kept from it", () -> held);
    write(LATE);
    world.osdDown(map.osdOf(0).value());
    gate.complete(null);
    awaitResolved();
    assertEquals(List.of(0), attributes().getMap().getMissingList());
    assertEquals(3L * UNIT, attributes().getSize(), "it was acknowledged everywhere");
    assertEquals(UNITS[LATE], holder.bytes(name)[0]);
  }

  /** The attempt after it has made the component. */
  @Test
  void lateMessageOfAnEarlierAttemptRemovesNothing() {
    abandon();
    awaitResolved();
    assertTrue(held);
    assertEquals(UNITS[LATE], holder.bytes(name)[0]);
    gate.complete(null);
    world.pass(1_000);
    assertTrue(holder.objects().contains(name));
    assertEquals(UNITS[LATE], holder.bytes(name)[0]);
  }

  private <T> T await(CompletableFuture<T> call) {
    try {
      return world.time.await(call);
    } catch (CompletionException e) {
      throw new AssertionError(WeftException.of(e).toString(), e);
    }
  }
}
