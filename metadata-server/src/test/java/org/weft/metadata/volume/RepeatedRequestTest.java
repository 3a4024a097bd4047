package org.weft.metadata.volume;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.weft.metadata.attributes.AttributesCodec;
import org.weft.metadata.attributes.Device;
import org.weft.metadata.attributes.NodeKind;
import org.weft.metadata.journal.JournalRecord;
import org.weft.metadata.journal.LiveEffect;
import org.weft.metadata.journal.RepeatKey;
import org.weft.metadata.volume.execution.Operation;
import org.weft.metadata.volume.execution.Outcome;
import org.weft.metadata.volume.operation.name.MakeDirectory;
import org.weft.metadata.volume.operation.number.LinkNode;
import org.weft.metadata.volume.operation.number.MakeNode;
import org.weft.metadata.volume.operation.number.MoveName;
import org.weft.metadata.volume.operation.number.RemoveName;
import org.weft.metadata.volume.operation.number.SetNode;
import org.weft.metadata.volume.operation.session.FindFirstAnswer;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.wire.DirectoryEntry;
import org.weft.protocol.wire.NodeReply;

/** What changes something is done once, though its repeat comes in another session (P 6.5c). */
class RepeatedRequestTest {
  private static final ObjectId ROOT = ObjectId.ROOT;
  private static final RepeatKey KEY =
      new RepeatKey(ByteString.copyFrom(new byte[] {10, 0, 0, 7}), 42, 4_711, digest(1));

  /** How the manager that is asked again came to know of the first request. */
  enum Memory {
    ITS_OWN,
    ITS_JOURNAL,
    A_SNAPSHOT
  }

  private TestVolume volume;
  private TestClient gateway;

  @BeforeEach
  void aGateway() throws WeftException {
    volume = TestVolume.formatted(5);
    gateway = volume.trustedClient("gateway");
  }

  private static ByteString digest(int of) {
    return ByteString.copyFrom(ByteBuffer.allocate(RepeatKey.DIGEST_BYTES).putInt(of).array());
  }

  private static Outcome.Done ask(
      TestVolume of, TestClient in, long sequence, RepeatKey key, Operation operation)
      throws WeftException {
    Caller caller = new Caller(in.session(), 7, sequence, Optional.of(NumberedClient.ROOT));
    return of.execute(caller.repeatedBy(key), operation);
  }

  private static NodeReply reply(Outcome.Done done) {
    try {
      return NodeReply.parseFrom(done.reply().toByteString());
    } catch (InvalidProtocolBufferException e) {
      throw new AssertionError(e);
    }
  }

  private static Operation make(String name, NodeKind kind) {
    return new MakeNode(
        ROOT,
        name,
        kind,
        MakeNode.Mode.GUARDED,
        NumberedClient.mode(0755),
        0,
        ByteString.copyFromUtf8("target"),
        Device.NONE);
  }

  private NumberedClient with(TestVolume of) throws WeftException {
    return new NumberedClient(of.trustedClient("looks"), NumberedClient.ROOT);
  }

  private TestVolume next(Memory memory) {
    return switch (memory) {
      case ITS_OWN -> volume;
      case ITS_JOURNAL -> volume.restarted();
      case A_SNAPSHOT -> {
        List<LiveEffect> live = volume.machine().snapshot();
        List<JournalRecord> records = volume.recordsBehindSnapshot(volume.records().size());
        yield TestVolume.recovered(volume.epochs() + 1, live, records);
      }
    };
  }

  /** Each change of the namespace, its repeat in a new session, and what is there then. */
  @ParameterizedTest
  @EnumSource
  void aRepeatInAnotherSessionGetsTheFirstAnswer(Memory memory) throws WeftException {
    NumberedClient first = new NumberedClient(gateway, NumberedClient.ROOT);
    long root = ROOT.value();
    first.make(root, "old", NodeKind.DIRECTORY, NumberedClient.mode(0755));
    first.make(root, "emptied", NodeKind.DIRECTORY, NumberedClient.mode(0755));
    long file =
        first
            .make(root, "gone", NodeKind.FILE, NumberedClient.mode(0644))
            .getNode()
            .getAfter()
            .getObjectId();
    long ctime = AttributesCodec.fromMessage(first.look(file)).times().ctimeNanos();
    List<Operation> changes =
        List.of(
            new SetNode(new ObjectId(file), NumberedClient.mode(0600), OptionalLong.of(ctime)),
            new LinkNode(new ObjectId(file), ROOT, "second"),
            make("made", NodeKind.DIRECTORY),
            make("fifo", NodeKind.FIFO),
            make("symlink", NodeKind.SYMLINK),
            make("file", NodeKind.FILE),
            new MoveName(ROOT, "old", ROOT, "new"),
            new RemoveName(ROOT, "gone", false),
            new RemoveName(ROOT, "emptied", true));
    List<NodeReply> answers = new ArrayList<>();
    for (int i = 0; i < changes.size(); i++) {
      RepeatKey key = new RepeatKey(KEY.client(), i, i, digest(i));
      answers.add(reply(ask(volume, gateway, i + 1, key, changes.get(i))));
    }
    TestVolume next = next(memory);
    int records = next.records().size();
    TestClient other = next.trustedClient("another gateway");
    records++;
    for (int i = 0; i < changes.size(); i++) {
      RepeatKey key = new RepeatKey(KEY.client(), i, i, digest(i));
      assertEquals(answers.get(i), reply(ask(next, other, i + 1, key, changes.get(i))), "" + i);
    }
    assertEquals(records, next.records().size(), "nothing is carried out again");
    assertEquals(
        List.of("fifo", "file", "made", "new", "second", "symlink"),
        with(next).list(root, 10).stream().map(DirectoryEntry::getName).sorted().toList());
  }

  @Test
  void repeatIsNotExecutedThoughTheNameHasChanged() throws WeftException {
    ask(volume, gateway, 1, KEY, make("a", NodeKind.DIRECTORY));
    NumberedClient others = with(volume);
    others.remove(ROOT.value(), "a", true);
    TestClient other = volume.trustedClient("another gateway");
    ask(volume, other, 1, KEY, make("a", NodeKind.DIRECTORY));
    assertEquals(List.of(), others.list(ROOT.value(), 10), "what was removed stays away");
  }

  @Test
  void otherChecksumMeansANewRequestOfAnEarlierRelease() throws WeftException {
    RepeatKey older = KEY.withoutDigest();
    ask(volume, gateway, 1, older, make("a", NodeKind.DIRECTORY));
    RepeatKey newer =
        new RepeatKey(KEY.client(), KEY.number(), KEY.checksum() + 1, ByteString.EMPTY);
    WeftException refused =
        assertThrows(
            WeftException.class,
            () -> ask(volume, gateway, 2, newer, make("a", NodeKind.DIRECTORY)));
    assertEquals(ErrorCode.EXISTS, refused.code());
  }

  /** A user behind the same address has shaped the checksum: that of a CRC is easy. */
  @Test
  void aShapedChecksumDoesNotGetAnothersAnswer() throws WeftException {
    ask(volume, gateway, 1, KEY, make("a", NodeKind.DIRECTORY));
    RepeatKey shaped = new RepeatKey(KEY.client(), KEY.number(), KEY.checksum(), digest(2));
    WeftException refused =
        assertThrows(
            WeftException.class,
            () -> ask(volume, gateway, 2, shaped, make("a", NodeKind.DIRECTORY)));
    assertEquals(ErrorCode.EXISTS, refused.code());
  }

  /** Each of the two gateways may be of the earlier release, before and after a manager's start. */
  @ParameterizedTest
  @EnumSource(Memory.class)
  void gatewaysOfTwoReleasesRepeatForEachOther(Memory memory) throws WeftException {
    RepeatKey other = new RepeatKey(KEY.client(), KEY.number() + 1, KEY.checksum(), digest(2));
    NodeReply newer = reply(ask(volume, gateway, 1, KEY, make("a", NodeKind.DIRECTORY)));
    NodeReply older =
        reply(ask(volume, gateway, 2, other.withoutDigest(), make("b", NodeKind.DIRECTORY)));
    TestVolume next = next(memory);
    TestClient successor = next.trustedClient("another gateway");
    assertEquals(newer, reply(ask(next, successor, 1, KEY.withoutDigest(), new FindFirstAnswer())));
    assertEquals(older, reply(ask(next, successor, 2, other, new FindFirstAnswer())));
  }

  @Test
  void aRefusalIsNoFirstAnswer() throws WeftException {
    assertThrows(
        WeftException.class, () -> ask(volume, gateway, 1, KEY, new RemoveName(ROOT, "a", true)));
    with(volume).make(ROOT.value(), "a", NodeKind.DIRECTORY, NumberedClient.mode(0755));
    assertTrue(reply(ask(volume, gateway, 2, KEY, new RemoveName(ROOT, "a", true))).hasNode());
  }

  @Test
  void aRepeatThatWasAnsweredInItsSlotIsAnsweredThereAgain() throws WeftException {
    ask(volume, gateway, 1, KEY, make("a", NodeKind.DIRECTORY));
    TestClient other = volume.trustedClient("another gateway");
    NodeReply once = reply(ask(volume, other, 1, KEY, make("a", NodeKind.DIRECTORY)));
    volume.pass(3_600_000);
    assertEquals(once, reply(ask(volume, other, 1, KEY, make("a", NodeKind.DIRECTORY))));
  }

  @Test
  void onlyTrustedSessionsStateWhereARequestComesFrom() throws WeftException {
    ask(volume, gateway, 1, KEY, make("a", NodeKind.DIRECTORY));
    TestClient stranger = volume.client("eve");
    Caller caller = new Caller(stranger.session(), 0, 1).repeatedBy(KEY);
    WeftException refused =
        assertThrows(
            WeftException.class,
            () -> volume.execute(caller, new MakeDirectory(TestClient.path("/b"), 0755, 0, false)));
    assertEquals(ErrorCode.UNAUTHENTICATED, refused.code());
  }

  @Test
  void aJournalThatLostTheRecordHasNoAnswer() throws WeftException {
    ask(volume, gateway, 1, KEY, make("a", NodeKind.DIRECTORY));
    TestVolume next = volume.restarted(volume.records().size() - 1);
    TestClient other = next.trustedClient("another gateway");
    int records = next.records().size();
    assertTrue(reply(ask(next, other, 1, KEY, make("a", NodeKind.DIRECTORY))).getMade());
    assertEquals(records + 1, next.records().size());
  }

  @Test
  void firstAnswerIsFoundWithoutExecution() throws WeftException {
    Outcome.Done first = ask(volume, gateway, 1, KEY, make("a", NodeKind.DIRECTORY));
    with(volume).remove(ROOT.value(), "a", true);
    TestClient other = volume.trustedClient("another gateway");
    int records = volume.records().size();
    assertEquals(reply(first), reply(ask(volume, other, 1, KEY, new FindFirstAnswer())));
    RepeatKey unknown = new RepeatKey(KEY.client(), 7, 7, digest(7));
    WeftException refused =
        assertThrows(
            WeftException.class, () -> ask(volume, other, 2, unknown, new FindFirstAnswer()));
    assertEquals(ErrorCode.NOT_FOUND, refused.code());
    assertEquals(records, volume.records().size());
  }

  /** The change comes late: the question for its answer was first in its slot. */
  @Test
  void changeAnsweredFromItsSlotIsNotExecutedLater() throws WeftException {
    int records = volume.records().size();
    assertThrows(WeftException.class, () -> ask(volume, gateway, 1, KEY, new FindFirstAnswer()));
    assertThrows(
        WeftException.class, () -> ask(volume, gateway, 1, KEY, make("a", NodeKind.DIRECTORY)));
    assertEquals(records, volume.records().size());
  }
}
