package org.weft.osd.command;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.weft.osd.harness.OsdCaller.TAG;
import static org.weft.osd.harness.OsdCaller.writeOf;
import static org.weft.osd.harness.Refusals.refused;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.weft.osd.harness.Blocks;
import org.weft.osd.harness.Caps;
import org.weft.osd.harness.OsdCaller;
import org.weft.osd.harness.OsdRig;
import org.weft.osd.store.StoreIdentity;
import org.weft.protocol.capability.SignedCapability;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.wire.AttributePage;
import org.weft.protocol.wire.SetAttributesRequest;

/**
 * P 6.8: what a manager sends late, under the number of a rebuild that was given up, changes
 * nothing. Each command that a worker sends is played against each of the guards.
 */
class GivenUpNumberTest {
  private static final long OBJECT = 70_000;
  private static final byte[] LATE = Blocks.random(1, 4_096);
  private static final byte[] LOST = new byte[4_096];
  private static final byte[] NEWER = Blocks.random(2, 4_096);

  @TempDir Path directory;
  private OsdRig rig;
  private OsdCaller osd;
  private Caps caps;

  @BeforeEach
  void start() throws IOException {
    rig = OsdRig.start(directory);
    osd = rig.caller();
    caps = rig.caps();
  }

  @AfterEach
  void stop() {
    rig.close();
  }

  private static long number(long index) {
    return Lsn.of(3, index).value();
  }

  /** A worker's: to copy one object under a number of the manager. */
  private SignedCapability worker(long number) {
    StoreIdentity own = rig.daemon().store().identity();
    long expiryMillis = rig.environment().clock().nowMillis() + 60_000;
    return caps.copier(
        OBJECT, number, own.osd().orElseThrow().value(), own.incarnation(), expiryMillis);
  }

  private SortedMap<String, Executable> lateWrites(long number) {
    SignedCapability late = worker(number);
    return new TreeMap<>(
        Map.of(
            "WRITE that creates",
            () -> osd.write(late, writeOf(OBJECT, number, 1, 0, LATE).setCreate(TAG), LATE),
            "WRITE",
            () -> osd.write(late, writeOf(OBJECT, number, 1, 0, LATE), LATE),
            "WRITE of lost blocks",
            () -> osd.write(late, writeOf(OBJECT, number, 1, 0, LOST).setLost(true), LOST),
            "RAISE_VERSION",
            () -> osd.raiseVersion(late, OBJECT, number),
            "FLUSH",
            () -> osd.flush(late, OBJECT),
            "READ",
            () -> osd.read(late, OBJECT, 0, LATE.length)));
  }

  private void create(long number) throws WeftException {
    osd.write(worker(number), writeOf(OBJECT, number, 1, 0, NEWER).setCreate(TAG), NEWER);
  }

  private void assertHoldsWhatIsNewer() throws WeftException {
    assertArrayEquals(NEWER, osd.read(caps.manager(9), OBJECT, 0, NEWER.length).bytes());
  }

  private void assertAllRefused(Map<String, ErrorCode> codes, long number) {
    Map<String, Executable> commands = lateWrites(number);
    assertEquals(commands.keySet(), codes.keySet());
    codes.forEach((command, code) -> refused(code, commands.get(command)));
  }

  private static Map<String, ErrorCode> codes(ErrorCode creating, ErrorCode others) {
    return new TreeMap<>(
        Map.of(
            "WRITE that creates", creating,
            "WRITE", others,
            "WRITE of lost blocks", others,
            "RAISE_VERSION", others,
            "FLUSH", others,
            "READ", others));
  }

  @Test
  void commandsBelowTheVersionAreRefused() throws Exception {
    create(number(5));
    osd.raiseVersion(caps.manager(3), OBJECT, number(7));
    assertAllRefused(codes(ErrorCode.FENCED, ErrorCode.FENCED), number(5));
    assertHoldsWhatIsNewer();
  }

  @Test
  void noObjectIsCreatedBelowTheTombstone() throws Exception {
    create(number(5));
    osd.remove(caps.manager(3), OBJECT, number(6));
    assertAllRefused(codes(ErrorCode.TOMBSTONE, ErrorCode.NO_SUCH_OBJECT), number(5));
    refused(ErrorCode.NO_SUCH_OBJECT, () -> osd.read(caps.manager(9), OBJECT, 0, 1));
  }

  @Test
  void noObjectIsCreatedBelowTheFloor() throws Exception {
    osd.setAttributes(
        caps.manager(3),
        SetAttributesRequest.newBuilder()
            .setObjectId(OBJECT + 1)
            .setCreate(TAG)
            .setCreateFloor(number(8))
            .addPages(AttributePage.newBuilder().setLsn(number(9))));
    assertAllRefused(codes(ErrorCode.TOMBSTONE, ErrorCode.NO_SUCH_OBJECT), number(7));
    refused(ErrorCode.NO_SUCH_OBJECT, () -> osd.read(caps.manager(9), OBJECT, 0, 1));
  }

  @Test
  void anEarlierEpochIsRefusedBelowTheFence() throws Exception {
    create(number(5));
    osd.fence(caps.manager(4), 4);
    assertAllRefused(codes(ErrorCode.FENCED, ErrorCode.FENCED), number(5));
    assertHoldsWhatIsNewer();
  }
}
