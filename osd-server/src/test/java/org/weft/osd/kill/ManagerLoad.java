package org.weft.osd.kill;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.weft.osd.harness.OsdCaller.TAG;
import static org.weft.osd.harness.Refusals.refused;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import org.weft.osd.harness.Caps;
import org.weft.osd.harness.OsdCaller;
import org.weft.protocol.capability.SignedCapability;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.wire.AttributePage;
import org.weft.protocol.wire.BatchItem;
import org.weft.protocol.wire.BatchItemReply;
import org.weft.protocol.wire.BatchRequest;
import org.weft.protocol.wire.RaiseVersionRequest;
import org.weft.protocol.wire.RemoveRequest;
import org.weft.protocol.wire.SetAttributesRequest;

/**
 * A manager that flushes BATCHes of pages, blocks, versions and removals to a volume of its own,
 * and takes the volume over anew from time to time. A BATCH under way when the OSD dies is there as
 * a whole or not at all. One thread at a time.
 */
final class ManagerLoad {
  private static final long FIRST_OBJECT = 70_000;
  private static final int OBJECTS = 12;
  private static final int MAX_ITEMS = 6;

  /** A BATCH that was sent, and what it makes of the volume. */
  private record Sent(List<BatchItem> items, VolumeObjects after) {}

  private final SplittableRandom random;
  private final Caps caps;
  private VolumeObjects acknowledgedState = VolumeObjects.empty();
  private Sent underWay;
  private long epoch = 1;
  private long fencedEpoch;
  private long index;
  private long acknowledged;

  ManagerLoad(SplittableRandom random, Caps caps) {
    this.random = random;
    this.caps = caps;
  }

  long acknowledged() {
    return acknowledged;
  }

  /** Flushes until told to stop or the OSD is gone. */
  void run(OsdCaller osd, BooleanSupplier goesOn, Runnable acknowledgedOne) {
    try {
      while (goesOn.getAsBoolean()) {
        if (random.nextInt(40) == 0) {
          takeOver(osd);
        } else {
          underWay = draw();
          send(osd, Set.of());
        }
        acknowledgedOne.run();
      }
    } catch (WeftException e) {
      assertTrue(ClientLoad.isLoss(e.code()), "the OSD refused a manager: " + e);
    }
  }

  private void takeOver(OsdCaller osd) throws WeftException {
    epoch++;
    index = 0;
    osd.fence(caps.manager(epoch), epoch);
    fencedEpoch = epoch;
    acknowledged++;
  }

  private Sent draw() {
    List<BatchItem> items = new ArrayList<>();
    VolumeObjects after = acknowledgedState;
    int count = 1 + random.nextInt(MAX_ITEMS);
    for (int i = 0; i < count; i++) {
      long object = FIRST_OBJECT + random.nextInt(OBJECTS);
      long lsn = Lsn.of(epoch, ++index).value();
      int kind = random.nextInt(10);
      if (kind < 5) {
        after = addPage(items, after, object, lsn);
      } else if (kind < 8) {
        after = addBlock(items, after, object, lsn);
      } else if (kind == 8 && after.objects().containsKey(object)) {
        items.add(item(Opcode.RAISE_VERSION, raise(object, lsn), new byte[0]));
        after = after.withVersion(object, lsn);
      } else {
        items.add(item(Opcode.REMOVE, removal(object, lsn), new byte[0]));
        after = after.without(object);
      }
    }
    return new Sent(items, after);
  }

  private VolumeObjects addPage(List<BatchItem> items, VolumeObjects state, long object, long lsn) {
    byte[] value = new byte[random.nextInt(600)];
    random.nextBytes(value);
    AttributePage page =
        AttributePage.newBuilder()
            .setPage(random.nextInt(3))
            .setLsn(lsn)
            .setValue(ByteString.copyFrom(value))
            .build();
    var request =
        SetAttributesRequest.newBuilder()
            .setCapability(manager().encoded())
            .setObjectId(object)
            .setCreate(TAG)
            .addPages(page)
            .build();
    items.add(item(Opcode.SET_ATTRIBUTES, request, new byte[0]));
    return state.withPage(object, page);
  }

  private VolumeObjects addBlock(
      List<BatchItem> items, VolumeObjects state, long object, long lsn) {
    byte[] block = new byte[4_096];
    random.nextBytes(block);
    long number = random.nextInt(VolumeObjects.MAX_BLOCKS);
    var request =
        OsdCaller.blocksOf(object, lsn, List.of(number), block)
            .setCapability(manager().encoded())
            .build();
    items.add(item(Opcode.WRITE_BLOCKS, request, block));
    return state.withBlock(object, number, block);
  }

  private MessageLite raise(long object, long version) {
    return RaiseVersionRequest.newBuilder()
        .setCapability(manager().encoded())
        .setObjectId(object)
        .setVersion(version)
        .build();
  }

  private MessageLite removal(long object, long lsn) {
    return RemoveRequest.newBuilder()
        .setCapability(manager().encoded())
        .setObjectId(object)
        .setLsn(lsn)
        .build();
  }

  private static BatchItem item(Opcode opcode, MessageLite body, byte[] payload) {
    return BatchItem.newBuilder()
        .setOpcode(opcode.number())
        .setBody(body.toByteString())
        .setPayload(ByteString.copyFrom(payload))
        .build();
  }

  private SignedCapability manager() {
    return caps.manager(epoch);
  }

  private void send(OsdCaller osd, Set<ErrorCode> expected) throws WeftException {
    BatchRequest batch = BatchRequest.newBuilder().addAllItems(underWay.items()).build();
    List<byte[]> secrets = underWay.items().stream().map(item -> manager().secret()).toList();
    for (BatchItemReply reply : osd.batch(batch, secrets).getItemsList()) {
      assertTrue(
          reply.getError() == 0 || expected.contains(ErrorCode.of(reply.getError())),
          reply.getMessage());
    }
    acknowledgedState = underWay.after();
    underWay = null;
    acknowledged++;
  }

  /** Everything acknowledged is there; a BATCH under way is there or not, and is sent again. */
  void verify(OsdCaller osd) throws WeftException {
    if (underWay != null) {
      VolumeObjects stored = VolumeObjects.read(osd, caps, epoch);
      boolean applied = stored.equals(underWay.after());
      assertTrue(
          applied || stored.equals(acknowledgedState),
          "a batch that was under way is there in part");
      // Sent again, an item may meet the removal that stands behind it in the same batch.
      send(osd, applied ? Set.of(ErrorCode.TOMBSTONE, ErrorCode.NO_SUCH_OBJECT) : Set.of());
    }
    assertEquals(acknowledgedState, VolumeObjects.read(osd, caps, epoch));
    if (fencedEpoch > 1) {
      refused(ErrorCode.FENCED, () -> osd.list(caps.manager(fencedEpoch - 1), 0, 0));
    }
  }
}
