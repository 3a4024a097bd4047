package org.weft.client.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.weft.client.fake.FakeClusterWorld.CLUSTER;
import static org.weft.client.fake.FakeClusterWorld.MANAGER;
import static org.weft.client.fake.FakeClusterWorld.ROOT_VOLUME;

import com.google.protobuf.MessageLite;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.client.fake.FakeClusterWorld;
import org.weft.client.fake.FakeManager;
import org.weft.client.fake.OneManager;
import org.weft.client.fake.ScriptedDaemon.Fault;
import org.weft.client.stripe.base.CompletePoint;
import org.weft.client.stripe.base.ComponentFailure;
import org.weft.client.stripe.base.StripeGrant;
import org.weft.client.stripe.base.StripedFile;
import org.weft.client.stripe.base.WriteTerms;
import org.weft.client.volume.SessionGrant;
import org.weft.client.volume.SessionReply;
import org.weft.client.volume.VolumeCalls;
import org.weft.client.volume.VolumeSession;
import org.weft.protocol.capability.SignedCapability;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectName;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.layout.StorageMap;
import org.weft.protocol.rpc.Opcode;
import org.weft.protocol.wire.CloseRequest;
import org.weft.protocol.wire.CloseUnwrittenRequest;
import org.weft.protocol.wire.CreateReply;
import org.weft.protocol.wire.FileAttributes;
import org.weft.protocol.wire.Grant;
import org.weft.protocol.wire.PublishRequest;
import org.weft.protocol.wire.SetLengthRequest;
import org.weft.protocol.wire.TrimmedRequest;
import org.weft.protocol.wire.UnwrittenFile;

/** P 5.8: a call under a write grant means the one in force. */
class HeldGrantTest {
  private static final Layout LAYOUT = new Layout(2, 1, 8192, 2_000, 1);

  private final FakeClusterWorld world = new FakeClusterWorld(5);
  private final FakeNamespace files = new FakeNamespace();
  private final FakeManager manager = new FakeManager(CLUSTER, 10_000, 4, files).sparingSessions();
  private final VolumeSession session = world.session(new OneManager());
  private final VolumeCalls calls = new VolumeCalls(session);
  private HeldGrant grant;
  private long first;

  /** A namespace that remembers what was said to be complete, and under which grant. */
  private static final class FakeNamespace implements FakeManager.Files {
    private final org.weft.client.fake.FakeNamespace files =
        new org.weft.client.fake.FakeNamespace(new byte[32], LAYOUT);
    private final List<CompletePoint> said = new ArrayList<>();
    private boolean unwritten;
    private boolean onlyAlone;

    @Override
    public MessageLite execute(Opcode opcode, MessageLite request) throws WeftException {
      if (opcode == Opcode.CLOSE_UNWRITTEN && onlyAlone) {
        throw new WeftException(ErrorCode.UNSUPPORTED, "a manager does not answer this");
      }
      MessageLite reply = files.execute(opcode, request);
      switch (opcode) {
        case PUBLISH -> {
          PublishRequest publish = (PublishRequest) request;
          said.add(new CompletePoint(publish.getGrant(), publish.getCompleteUpTo()));
        }
        case SET_LENGTH -> {
          SetLengthRequest length = (SetLengthRequest) request;
          said.add(new CompletePoint(length.getGrant(), length.getCompleteUpTo()));
        }
        case TRIMMED -> {
          TrimmedRequest trimmed = (TrimmedRequest) request;
          said.add(new CompletePoint(trimmed.getGrant(), trimmed.getCompleteUpTo()));
        }
        case CLOSE_FILE -> {
          CloseRequest close = (CloseRequest) request;
          said.add(new CompletePoint(close.getGrant(), close.getCompleteUpTo()));
          unwritten = close.getUnwritten();
        }
        case CLOSE_UNWRITTEN -> {
          for (UnwrittenFile file : ((CloseUnwrittenRequest) request).getFilesList()) {
            said.add(new CompletePoint(file.getGrant(), 0));
          }
          unwritten = true;
        }
        default -> {}
      }
      return reply;
    }
  }

  @BeforeEach
  void open() {
    manager.startAt(world.wire, MANAGER);
    grant = create("/f", false);
    files.files.giveUp(new OsdId(2));
  }

  /**
   * A grant on a file that was made just now.
   *
   * @param made and counts as such
   */
  private HeldGrant create(String path, boolean made) {
    SessionReply<CreateReply> reply = ask(path, false);
    FileAttributes attributes = reply.body().getAttributes();
    first = reply.body().getGrant().getNumber();
    return new HeldGrant(
        calls,
        new SessionGrant(path, reply.sessionId(), attributes.getObjectId(), first),
        next -> terms(attributes.getObjectId(), next),
        made ? Optional.of(attributes) : Optional.empty());
  }

  private SessionReply<CreateReply> ask(String path, boolean overwrite) {
    VolumeCalls.Creation creation =
        new VolumeCalls.Creation(0666, 022, overwrite, false, Optional.empty());
    return world.finish(calls.create(path, creation)).join();
  }

  private static WriteTerms terms(long objectId, Grant grant) {
    StripedFile file =
        new StripedFile(
            ObjectName.of(ROOT_VOLUME, objectId),
            StorageMap.fromMessage(grant.getMap()),
            new SignedCapability(grant.getCapability(), grant.getSecret().toByteArray()));
    return new WriteTerms(file, new StripeGrant(grant.getNumber(), 2, Optional.empty()));
  }

  private FileSink.Written written(long sizeBytes) {
    return new FileSink.Written(sizeBytes, new CompletePoint(first, 9));
  }

  private CompletableFuture<WriteTerms> loseTheSecond() {
    StripedFile file =
        new StripedFile(
            ObjectName.of(ROOT_VOLUME, grant.held().objectId()),
            StorageMap.of(LAYOUT, List.of(new OsdId(1), new OsdId(2), new OsdId(3))),
            new SignedCapability(com.google.protobuf.ByteString.EMPTY, new byte[32]));
    WriteTerms under = new WriteTerms(file, new StripeGrant(first, 2, Optional.empty()));
    ComponentFailure lost =
        new ComponentFailure(
            file.name(), 1, new OsdId(2), new WeftException(ErrorCode.UNAVAILABLE, "gone"));
    return grant.regrant(under, List.of(lost), 9);
  }

  private CompletableFuture<?> speak(String opcode) {
    return switch (opcode) {
      case "PUBLISH" -> grant.publish(written(100));
      case "SET_LENGTH" -> grant.setLength(written(100));
      case "TRIMMED" -> grant.trimmed(0, new CompletePoint(first, 9));
      default -> grant.close(written(100));
    };
  }

  /** The request is not taken at first, and would come again after the grant was replaced. */
  @ParameterizedTest
  @ValueSource(strings = {"PUBLISH", "SET_LENGTH", "TRIMMED"})
  void callsUnderWayEndBeforeTheGrantIsReplaced(String opcode) {
    manager.next(Fault.NOT_SERVING);
    CompletableFuture<?> spoken = speak(opcode);
    CompletableFuture<WriteTerms> replaced = loseTheSecond();
    world.finish(CompletableFuture.allOf(spoken, replaced)).join();
    assertEquals(List.of(new CompletePoint(first, 9)), files.said);
    assertEquals(grant.held().number(), replaced.join().grant().number());
  }

  /** And what comes while it is being replaced is said of the next: of that nothing is complete. */
  @ParameterizedTest
  @ValueSource(strings = {"PUBLISH", "SET_LENGTH", "TRIMMED", "CLOSE_FILE"})
  void callsDuringARegrantUseTheNextGrant(String opcode) {
    manager.next(Fault.LOSE_REPLY);
    CompletableFuture<WriteTerms> replaced = loseTheSecond();
    CompletableFuture<?> spoken = speak(opcode);
    world.finish(CompletableFuture.allOf(spoken, replaced)).join();
    long second = replaced.join().grant().number();
    assertEquals(second, grant.held().number());
    assertEquals(List.of(new CompletePoint(second, 0)), files.said);
  }

  /**
   * P 6.5.108: a sharer died, the cutter's writes were refused, and then its cut brought a newer
   * grant. The manager would say that there is nothing to replace.
   */
  @Test
  void aGrantThatACutHasReplacedMeanwhileIsNotReplacedAgain() {
    files.files.shareFiles();
    world.finish(grant.publish(written(1_000))).join();
    manager.next(Fault.NOT_SERVING);
    CompletableFuture<HeldGrant.LengthSet> cut = grant.setLength(written(100));
    CompletableFuture<WriteTerms> replaced = loseTheSecond();
    world.finish(CompletableFuture.allOf(cut, replaced)).join();
    WriteTerms terms = cut.join().terms().orElseThrow();
    assertEquals(terms, replaced.join());
    assertEquals(grant.held().number(), terms.grant().number());
    assertFalse(manager.received().contains(Opcode.REGRANT));
    world.finish(grant.publish(new FileSink.Written(100, CompletePoint.NONE))).join();
  }

  @Test
  void aGrantThatIsBeingGivenBackIsNotReplaced() {
    manager.next(Fault.LOSE_REPLY);
    CompletableFuture<?> closed = grant.close(written(100));
    CompletableFuture<WriteTerms> replaced = loseTheSecond();
    world.finish(closed).join();
    world.finish(replaced);
    WeftException refused = WeftException.of(assertThrows(ExecutionException.class, replaced::get));
    assertEquals(ErrorCode.CANCELLED, refused.code());
    assertFalse(manager.received().contains(Opcode.REGRANT));
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aCloseSaysWhetherAnythingWasSent(boolean sent) {
    CompletePoint complete = sent ? new CompletePoint(first, 0) : CompletePoint.NONE;
    world.finish(grant.close(new FileSink.Written(0, complete))).join();
    assertEquals(!sent, files.unwritten);
  }

  /** A writer that gives up does not wait for an answer that may never come. */
  @Test
  void givingUpWaitsForNothing() {
    manager.next(Fault.SWALLOW_REPLY);
    CompletableFuture<WriteTerms> replaced = loseTheSecond();
    CompletableFuture<?> abandoned = grant.abandon();
    world.finish(abandoned).join();
    assertFalse(replaced.isDone());
    manager.restart();
    world.finish(replaced).join();
    world.pass(1_000);
    assertEquals(
        List.of(
            new CompletePoint(first, 0), new CompletePoint(replaced.join().grant().number(), 0)),
        files.said,
        "what came instead is given up as well");
  }

  /** Its client lives on, and so does its session: nothing else would end the grant. */
  @Test
  void abandoningIsRepeatedUntilTheManagerIsBack() {
    manager.stop();
    CompletableFuture<?> abandoned = world.finish(grant.abandon());
    WeftException unheard =
        WeftException.of(assertThrows(ExecutionException.class, abandoned::get));
    assertEquals(ErrorCode.DEADLINE_EXCEEDED, unheard.code());
    manager.start();
    world.pass(10_000);
    assertEquals(List.of(new CompletePoint(first, 0)), files.said);
  }

  /** There is nothing that the manager could refuse, and nothing to lose. */
  @Test
  void aNewFileThatNothingWasSentForIsClosedWithoutWaiting() {
    HeldGrant unwritten = create("/g", true);
    manager.next(Fault.NOT_SERVING);
    CompletableFuture<FileAttributes> closed =
        unwritten.close(new FileSink.Written(0, CompletePoint.NONE));
    assertEquals(unwritten.objectId(), closed.join().getObjectId());
    assertEquals(List.of(), files.said, "the manager has not heard of it yet");
    world.pass(1_000);
    assertEquals(List.of(new CompletePoint(first, 0)), files.said);
    assertTrue(files.unwritten);
  }

  private HeldGrant createAndClose(String path) {
    HeldGrant unwritten = create(path, true);
    unwritten.close(new FileSink.Written(0, CompletePoint.NONE)).join();
    return unwritten;
  }

  /** What was executed since, all at once or not. */
  private List<String> since(int executions) {
    List<String> all = manager.executions();
    return List.copyOf(all.subList(executions, all.size()));
  }

  @Test
  void newFilesThatNothingWasSentForAreClosedTogether() {
    int before = manager.executions().size();
    long g = createAndClose("/g").objectId();
    long h = createAndClose("/h").objectId();
    assertEquals(List.of("CREATE_FILE g", "CREATE_FILE h"), since(before));
    world.pass(100);
    assertEquals(List.of("CLOSE_UNWRITTEN [" + g + ", " + h + "]"), since(before + 2));
  }

  @Test
  void theNextRequestClosesPendingFilesFirst() {
    long g = createAndClose("/g").objectId();
    int before = manager.executions().size();
    world.finish(calls.unlink("/g")).join();
    assertEquals(List.of("CLOSE_UNWRITTEN [" + g + "]", "UNLINK g"), since(before));
  }

  @Test
  void aFileIsClosedBeforeItIsReplaced() {
    long g = createAndClose("/g").objectId();
    int before = manager.executions().size();
    var unused = ask("/g", true);
    assertEquals(List.of("CLOSE_UNWRITTEN [" + g + "]", "CREATE_FILE g"), since(before));
  }

  @Test
  void replacingAnotherFileDoesNotWaitForIt() {
    createAndClose("/g");
    int before = manager.executions().size();
    var unused = ask("/h", true);
    assertEquals(List.of("CREATE_FILE h"), since(before));
  }

  @Test
  void closesBeyondTheManagersBoundFollowLater() {
    List<HeldGrant> grants = new ArrayList<>();
    for (int file = 0; file < 65; file++) {
      grants.add(create("/" + file, true));
    }
    int before = manager.executions().size();
    grants.forEach(each -> each.close(new FileSink.Written(0, CompletePoint.NONE)).join());
    world.pass(100);
    assertEquals(
        List.of(
            "CLOSE_UNWRITTEN " + grants.subList(0, 64).stream().map(HeldGrant::objectId).toList(),
            "CLOSE_UNWRITTEN [" + grants.get(64).objectId() + "]"),
        since(before));
  }

  @Test
  void filesAreClosedSinglyWhereABatchIsRefused() {
    files.onlyAlone = true;
    int before = manager.executions().size();
    long g = createAndClose("/g").objectId();
    long h = createAndClose("/h").objectId();
    world.pass(100);
    assertEquals(List.of("CLOSE_FILE " + g, "CLOSE_FILE " + h), since(before + 2));
  }

  @Test
  void aClientThatEndsClosesThemFirst() {
    long g = createAndClose("/g").objectId();
    int before = manager.executions().size();
    world.finish(session.shutdown()).join();
    assertEquals(List.of("CLOSE_UNWRITTEN [" + g + "]"), since(before));
  }

  @Test
  void aNewFileThatWasWrittenIsClosedOnceTheManagerKnows() {
    HeldGrant written = create("/g", true);
    manager.next(Fault.NOT_SERVING);
    CompletableFuture<FileAttributes> closed = written.close(written(100));
    assertFalse(closed.isDone());
    world.finish(closed).join();
    assertEquals(List.of(new CompletePoint(first, 9)), files.said);
  }

  /** A file that was cut to nothing has told OSDs so. */
  @Test
  void aFileThatThereWasIsClosedOnceTheManagerKnows() {
    manager.next(Fault.NOT_SERVING);
    CompletableFuture<FileAttributes> closed =
        grant.close(new FileSink.Written(0, CompletePoint.NONE));
    assertFalse(closed.isDone());
    world.finish(closed).join();
  }

  /**
   * No caller waits for the close, and the file would be written for as long as the client lives.
   */
  @Test
  void aCloseWithoutACallerIsRepeatedUntilTheManagerIsBack() {
    HeldGrant unwritten = create("/g", true);
    manager.stop();
    unwritten.close(new FileSink.Written(0, CompletePoint.NONE)).join();
    world.pass(100_000);
    manager.start();
    world.pass(10_000);
    assertEquals(List.of(new CompletePoint(first, 0)), files.said);
  }
}
