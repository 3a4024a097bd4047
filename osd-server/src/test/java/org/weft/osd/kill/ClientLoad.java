package org.weft.osd.kill;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.weft.osd.harness.OsdCaller.TAG;
import static org.weft.osd.harness.Refusals.refused;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import org.weft.osd.harness.Caps;
import org.weft.osd.harness.OsdCaller;
import org.weft.protocol.capability.SignedCapability;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.wire.TruncateRequest;
import org.weft.protocol.wire.WriteRequest;

/**
 * A client that writes its own objects, one write at a time, and remembers what was acknowledged.
 * One write may be under way when the OSD dies: it is there as a whole afterwards, or not at all,
 * and sending it again must do it exactly once. One thread at a time.
 */
final class ClientLoad {
  private static final int UNIT_BYTES = TAG.getUnitBytes();
  private static final int OBJECT_BYTES = 8 * UNIT_BYTES;
  private static final int MAX_WRITE_BYTES = 3 * UNIT_BYTES;
  private static final int WRITES_OF_AN_OBJECT = 25;
  private static final int OBJECTS = 8;
  private static final int REMOVED_REMEMBERED = 20;

  /** A write that was sent. */
  private record Write(long firstSeq, int seqCount, int offset, byte[] bytes, boolean durable) {
    /** A truncation to the offset. */
    boolean isCut() {
      return seqCount == 0;
    }
  }

  /** One object as it must be. */
  private static final class Model {
    final long id;
    final long grant;
    byte[] content = new byte[0];
    long lastSeq;
    int writes;
    Write underWay;
    boolean removing;

    Model(long id, long grant) {
      this.id = id;
      this.grant = grant;
    }

    byte[] with(Write write) {
      if (write.isCut()) {
        byte[] cut = content.clone();
        Arrays.fill(cut, Math.min(cut.length, write.offset()), cut.length, (byte) 0);
        return cut;
      }
      byte[] result =
          Arrays.copyOf(content, Math.max(content.length, write.offset() + write.bytes().length));
      System.arraycopy(write.bytes(), 0, result, write.offset(), write.bytes().length);
      return result;
    }
  }

  private final SplittableRandom random;
  private final Caps caps;
  private final long firstObject;
  private final List<Model> models = new ArrayList<>();
  private final Queue<Model> removed = new ArrayDeque<>();
  private long objectsMade;
  private long acknowledged;

  ClientLoad(SplittableRandom random, Caps caps, long firstObject) {
    this.random = random;
    this.caps = caps;
    this.firstObject = firstObject;
  }

  long acknowledged() {
    return acknowledged;
  }

  /** Writes until told to stop or the OSD is gone. */
  void run(OsdCaller osd, BooleanSupplier goesOn, Runnable acknowledgedOne) {
    try {
      while (goesOn.getAsBoolean()) {
        Model model = next();
        if (model.writes >= WRITES_OF_AN_OBJECT) {
          model.removing = true;
          remove(osd, model);
        } else {
          model.underWay = draw(model);
          send(osd, model);
        }
        acknowledgedOne.run();
      }
    } catch (WeftException e) {
      assertTrue(isLoss(e.code()), "the OSD refused a good write: " + e);
    }
  }

  static boolean isLoss(ErrorCode code) {
    return code == ErrorCode.CONNECTION_LOST
        || code == ErrorCode.UNAVAILABLE
        || code == ErrorCode.CANCELLED;
  }

  private Model next() {
    if (models.size() < OBJECTS) {
      objectsMade++;
      models.add(new Model(firstObject + objectsMade, Lsn.of(1, 2 * objectsMade).value()));
    }
    return models.get(random.nextInt(models.size()));
  }

  /** Removed, by a manager: a late write under the grant must not bring it back. */
  private void remove(OsdCaller osd, Model model) throws WeftException {
    osd.remove(caps.manager(1), model.id, model.grant + 1);
    models.remove(model);
    removed.add(model);
    if (removed.size() > REMOVED_REMEMBERED) {
      removed.remove();
    }
    acknowledged++;
  }

  private Write draw(Model model) {
    if (model.writes > 1 && random.nextInt(8) == 0) {
      int length = random.nextInt(OBJECT_BYTES / 4_096) * 4_096;
      return new Write(model.lastSeq + 1, 0, length, new byte[0], random.nextBoolean());
    }
    int length = random.nextInt(8) == 0 ? random.nextInt(200) : random.nextInt(MAX_WRITE_BYTES);
    int offset = random.nextInt(OBJECT_BYTES - length);
    if (random.nextBoolean()) {
      offset = offset / 4_096 * 4_096;
    }
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    int units = length == 0 ? 1 : (offset + length - 1) / UNIT_BYTES - offset / UNIT_BYTES + 1;
    return new Write(model.lastSeq + 1, units, offset, bytes, random.nextInt(20) == 0);
  }

  private void send(OsdCaller osd, Model model) throws WeftException {
    Write write = model.underWay;
    SignedCapability capability = caps.client(model.id, model.grant);
    if (write.isCut()) {
      cut(osd, model, capability);
      return;
    }
    WriteRequest.Builder request =
        OsdCaller.writeOf(model.id, model.grant, write.firstSeq(), write.offset(), write.bytes())
            .setSeqCount(write.seqCount())
            .setEof(model.with(write).length)
            .setCompleteUpTo(write.firstSeq() - 1)
            .setDurable(write.durable());
    if (model.writes == 0) {
      request.setCreate(TAG);
    }
    osd.write(capability, request, write.bytes());
    model.content = model.with(write);
    model.lastSeq = write.firstSeq() + write.seqCount() - 1;
    model.writes++;
    model.underWay = null;
    acknowledged++;
  }

  /** The length of the file stays, so that what is cut off has to read as zeros. */
  private void cut(OsdCaller osd, Model model, SignedCapability capability) throws WeftException {
    Write cut = model.underWay;
    osd.truncate(
        capability,
        TruncateRequest.newBuilder()
            .setObjectId(model.id)
            .setLength(cut.offset())
            .setEof(model.content.length)
            .setGrant(model.grant)
            .setSeq(cut.firstSeq())
            .setCompleteUpTo(cut.firstSeq() - 1)
            .setDurable(cut.durable()));
    model.content = model.with(cut);
    model.lastSeq = cut.firstSeq();
    model.writes++;
    model.underWay = null;
    acknowledged++;
  }

  /** Everything acknowledged is there; what was under way is there or not, and is sent again. */
  void verify(OsdCaller osd) throws WeftException {
    for (Model model : List.copyOf(models)) {
      if (model.removing) {
        remove(osd, model);
        continue;
      }
      if (model.underWay != null) {
        verifyEither(osd, model);
        send(osd, model);
      }
      if (model.writes > 0) {
        assertArrayEquals(model.content, read(osd, model, model.content.length), name(model));
      }
    }
    for (Model model : removed) {
      byte[] late = {1};
      var write = OsdCaller.writeOf(model.id, model.grant, model.lastSeq + 1, 0, late);
      refused(
          ErrorCode.TOMBSTONE,
          () -> osd.write(caps.client(model.id, model.grant), write.setCreate(TAG), late));
    }
  }

  private void verifyEither(OsdCaller osd, Model model) throws WeftException {
    byte[] after = model.with(model.underWay);
    byte[] stored;
    try {
      stored = read(osd, model, after.length);
    } catch (WeftException e) {
      assertEquals(ErrorCode.NO_SUCH_OBJECT, e.code(), name(model) + ": " + e);
      assertEquals(0, model.writes, name(model) + " is gone");
      return;
    }
    byte[] before = Arrays.copyOf(model.content, after.length);
    assertTrue(
        Arrays.equals(stored, before) || Arrays.equals(stored, after),
        name(model) + ": a write that was under way is there in part");
  }

  private byte[] read(OsdCaller osd, Model model, int lengthBytes) throws WeftException {
    var content = osd.read(caps.client(model.id, model.grant), model.id, 0, lengthBytes);
    assertTrue(content.reply().getEof() >= model.content.length, name(model) + ": eof went back");
    return content.bytes();
  }

  private static String name(Model model) {
    return "object %d, grant %s, after %d writes"
        .formatted(model.id, new Lsn(model.grant), model.writes);
  }
}
