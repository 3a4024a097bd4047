package org.weft.it.simulation.scenario;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.weft.client.AttributeChanges;
import org.weft.client.FileStatus;
import org.weft.client.LockMode;
import org.weft.client.LockOwner;
import org.weft.client.LockedFile;
import org.weft.client.WeftInput;
import org.weft.client.WeftPath;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.layout.ByteRange;
import org.weft.simulator.base.WorldOptions;
import org.weft.simulator.node.ClientNode;
import org.weft.simulator.node.SimulatedManager;
import org.weft.simulator.node.SimulatedOsd;

/** Clients that rely on what they were granted for reading (P 6.5). */
class CachedReadsTest {
  private static final WeftPath DIRECTORY = WeftPath.of("/d");
  private static final WeftPath FILE = WeftPath.of("/d/f");
  private static final WeftPath MISSING = WeftPath.of("/d/missing");
  private static final int CACHED_ENTRIES = 1_000;

  private final Stage stage = Stage.boot(WorldOptions.of(1).withCaches(CACHED_ENTRIES));
  private ClientNode reader;
  private ClientNode writer;

  @BeforeEach
  void aFileInADirectory() throws WeftException {
    reader = stage.client();
    writer = stage.client();
    stage.call(writer.files().mkdir(DIRECTORY, 0777));
    stage.put(writer, FILE.toString(), Stage.WIDE, Stage.bytes(1, 3 * Stage.STRIPE));
    // So that read leases have begun, and nothing was recalled lately.
    stage.world().pass(3_000);
  }

  private SimulatedManager manager() {
    return stage.world().managers().get(0);
  }

  private long elapsedMillis(Call call) throws WeftException {
    long before = stage.world().time().nowNanos();
    call.run();
    return (stage.world().time().nowNanos() - before) / 1_000_000;
  }

  /** Something that a client asks for, and waits for. */
  @FunctionalInterface
  private interface Call {
    void run() throws WeftException;
  }

  private List<String> list(ClientNode client) throws WeftException {
    var listing = client.files().list(DIRECTORY);
    List<String> names = new ArrayList<>();
    for (Optional<List<FileStatus>> page = stage.call(listing.nextPage());
        page.isPresent();
        page = stage.call(listing.nextPage())) {
      page.get().forEach(status -> names.add(status.path().name() + " " + status.mode()));
    }
    return names;
  }

  private void look(ClientNode client) throws WeftException {
    stage.call(client.files().attributes(FILE));
    stage.call(client.files().open(FILE)).close();
    list(client);
    assertEquals(ErrorCode.NOT_FOUND, stage.failureOf(client.files().attributes(MISSING)).code());
  }

  private void chmod(int mode) throws WeftException {
    stage.call(writer.files().setAttributes(FILE, AttributeChanges.none().withMode(mode)));
  }

  @Test
  void repeatedLooksNeedNoManager() throws WeftException {
    look(reader);
    manager().pause();
    assertEquals(0, elapsedMillis(() -> look(reader)));
    try (WeftInput in = stage.call(reader.files().open(FILE))) {
      assertEquals(Stage.STRIPE, stage.read(in, Stage.STRIPE).length - 1);
    }
    manager().resume();
  }

  @Test
  void anAcknowledgedChangeOfAnotherIsSeenByTheNextCall() throws WeftException {
    for (int mode = 0600; mode < 0610; mode++) {
      look(reader);
      chmod(mode);
      assertEquals(mode, stage.call(reader.files().attributes(FILE)).mode());
      assertEquals(List.of("f " + mode), list(reader));
    }
    look(reader);
    stage.call(writer.files().mkdir(MISSING, 0777));
    assertTrue(stage.call(reader.files().attributes(MISSING)).isDirectory());
    stage.call(writer.files().unlink(FILE));
    assertEquals(ErrorCode.NOT_FOUND, stage.failureOf(reader.files().attributes(FILE)).code());
    assertEquals(ErrorCode.NOT_FOUND, stage.failureOf(reader.files().open(FILE)).code());
  }

  @Test
  void ownChangesAreVisibleAtOnceWithoutARecall() throws WeftException {
    look(writer);
    assertTrue(elapsedMillis(() -> chmod(0611)) < 100);
    assertEquals(0611, stage.call(writer.files().attributes(FILE)).mode());
    stage.call(writer.files().unlink(FILE));
    assertEquals(ErrorCode.NOT_FOUND, stage.failureOf(writer.files().attributes(FILE)).code());
    assertTrue(list(writer).isEmpty());
  }

  @Test
  void aWriterOfACachedFileIsSeen() throws WeftException {
    look(reader);
    var file = stage.open(writer, FILE.toString());
    stage.call(Stage.write(file, 3 * Stage.STRIPE, new byte[100]));
    stage.call(file.hflush());
    assertEquals(3 * Stage.STRIPE + 100, stage.call(reader.files().attributes(FILE)).sizeBytes());
    var closed = stage.call(file.close());
    assertEquals(3 * Stage.STRIPE + 100, closed.sizeBytes());
  }

  @Test
  void cutOffClientDelaysAChangeForItsReadLease() throws WeftException {
    look(reader);
    stage.world().network().separate(reader.name(), manager().name());
    long took = elapsedMillis(() -> chmod(0600));
    assertTrue(took > 500 && took < 4_000, "the change took " + took + " ms");
    CompletableFuture<FileStatus> asked = reader.files().attributes(FILE);
    stage.world().pass(500);
    assertFalse(asked.isDone(), "what it relied on is not so any more");
    stage.world().network().heal();
    assertEquals(0600, stage.call(asked).mode());
  }

  @Test
  void resumedClientAnswersNothingStale() throws WeftException {
    look(reader);
    reader.pause();
    chmod(0600);
    CompletableFuture<FileStatus> asked = reader.files().attributes(FILE);
    reader.resume();
    assertEquals(0600, stage.call(asked).mode());
  }

  @Test
  void aManagerThatStartsChangesNothingBehindACache() throws WeftException {
    look(reader);
    stage.world().network().separate(reader.name(), manager().name());
    manager().kill();
    manager().start();
    stage.world().await("the volume is served", 60_000, manager()::isServing);
    CompletableFuture<FileStatus> changed =
        writer.files().setAttributes(FILE, AttributeChanges.none().withMode(0600));
    int before = stage.call(writer.files().attributes(FILE)).mode();
    while (!changed.isDone()) {
      CompletableFuture<FileStatus> asked = reader.files().attributes(FILE);
      if (asked.isDone()) {
        assertEquals(before, stage.call(asked).mode());
      }
      stage.world().pass(20);
    }
    assertFalse(reader.files().attributes(FILE).isDone());
    stage.world().network().heal();
    assertEquals(0600, stage.call(reader.files().attributes(FILE)).mode());
  }

  @Test
  void aFileThatOnlyACacheKeepsOpenGoesWithItsName() throws WeftException {
    look(reader);
    long object = stage.objectId(writer, FILE.toString());
    SimulatedOsd osd = stage.dataOsd(stage.map(writer, FILE.toString()), 0);
    stage.call(writer.files().unlink(FILE));
    stage.world().await("its objects are gone", 20_000, () -> !stage.hasObject(osd, object));
  }

  @Test
  void fileOpenedFromTheCacheIsReadableWithoutItsName() throws WeftException {
    look(reader);
    try (WeftInput in = stage.call(reader.files().open(FILE))) {
      stage.call(writer.files().unlink(FILE));
      stage.world().pass(20_000);
      assertEquals(Stage.STRIPE, stage.read(in, Stage.STRIPE).length - 1);
    }
  }

  @Test
  void cutOffClientHoldsALockForOneLeaseAtMost() throws WeftException {
    LockedFile mine = stage.call(reader.locks().open(FILE, LockOwner.openFile("x")));
    stage.call(mine.lock(ByteRange.ALL, LockMode.EXCLUSIVE, Duration.ZERO));
    assertTrue(mine.isHeld());
    stage.world().network().separate(reader.name(), manager().name());
    LockedFile other = stage.call(writer.locks().open(FILE, LockOwner.openFile("x")));
    stage.call(other.lock(ByteRange.ALL, LockMode.EXCLUSIVE, Duration.ofSeconds(60)));
    assertFalse(mine.isHeld(), "another has it now");
    stage.world().network().heal();
  }

  @Test
  void aLockIsHeldAsLongAsItsClientRenewsItsSession() throws WeftException {
    LockedFile mine = stage.call(reader.locks().open(FILE, LockOwner.openFile("x")));
    stage.call(mine.lock(ByteRange.ALL, LockMode.EXCLUSIVE, Duration.ZERO));
    for (int second = 0; second < 40; second++) {
      stage.world().pass(1_000);
      assertTrue(mine.isHeld());
    }
  }
}
