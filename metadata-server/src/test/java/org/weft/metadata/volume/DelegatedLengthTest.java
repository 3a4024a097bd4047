package org.weft.metadata.volume;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.weft.metadata.grant.RepeatedPush;
import org.weft.metadata.grant.WriteGrant;
import org.weft.metadata.journal.LiveEffect;
import org.weft.metadata.session.SessionTable;
import org.weft.metadata.volume.TestClient.Held;
import org.weft.metadata.volume.execution.Operation;
import org.weft.metadata.volume.execution.Outcome;
import org.weft.metadata.volume.length.DelegatedLengths;
import org.weft.metadata.volume.length.LengthQuestion;
import org.weft.metadata.volume.operation.attributes.GetAttributes;
import org.weft.metadata.volume.operation.grant.BeginResolve;
import org.weft.metadata.volume.operation.grant.FinishResolve;
import org.weft.metadata.volume.operation.grant.OpenFile;
import org.weft.metadata.volume.operation.grant.Regrant;
import org.weft.metadata.volume.operation.length.PublishLength;
import org.weft.metadata.volume.operation.length.SetLength;
import org.weft.metadata.volume.operation.name.LinkFile;
import org.weft.metadata.volume.operation.session.RenewSession;
import org.weft.metadata.volume.operation.volume.AddLiveEffects;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.wire.AttributesReply;

/** Lengths that writers keep to themselves until a client asks (P 4.3, 6.5). */
class DelegatedLengthTest {
  private TestVolume volume;
  private TestClient writer;
  private TestClient other;
  private Held held;
  private int asked;

  @BeforeEach
  void aWriterThatPublishedOnce() throws WeftException {
    volume = TestVolume.formatted(3);
    writer = volume.superuser();
    other = volume.superuser();
    held = Held.of(writer.create("/f"));
    assertEquals(Lsn.ZERO, publish(100), "the first is journalled, and so is the answer to it");
  }

  /** By a writer that can be asked; answers the question as of which it keeps the next lengths. */
  private Lsn publish(long sizeBytes) throws WeftException {
    PublishLength publish =
        new PublishLength(held.object(), held.number(), sizeBytes, sizeBytes, true);
    AttributesReply reply = TestClient.parse(AttributesReply.parser(), writer.execute(publish));
    return new Lsn(reply.getKeptAsOf());
  }

  private void keep(long sizeBytes) throws WeftException {
    assertTrue(publish(sizeBytes).compareTo(Lsn.ZERO) > 0);
    assertTrue(volume.machine().isLengthKept(held.object()));
  }

  private Outcome ask(Operation operation) {
    asked++;
    return volume.machine().execute(new Caller(other.session(), 1, asked), operation, volume.now());
  }

  private List<Lsn> questions() {
    return volume.machine().lengthQuestions(volume.now()).stream()
        .map(LengthQuestion::number)
        .toList();
  }

  private boolean isLive() {
    return volume.machine().snapshot().contains(new LiveEffect.LengthLive(held.object(), true));
  }

  private void assertWaits(Operation operation) {
    assertEquals(new Outcome.Ask(held.object()), ask(operation), operation.toString());
  }

  @Test
  void readerOfTheLengthWaitsForTheWritersAnswer() throws WeftException {
    keep(200);
    assertEquals(List.of(), questions());
    GetAttributes stat = new GetAttributes(TestClient.path("/f"));
    assertWaits(stat);
    assertWaits(new OpenFile(TestClient.path("/f"), false));
    assertWaits(new LinkFile(TestClient.path("/f"), TestClient.path("/g")));
    List<Lsn> questions = questions();
    assertEquals(1, questions.size(), "one question for all");
    assertEquals(List.of(), questions(), "not at once again");
    volume.pass(TimeUnit.NANOSECONDS.toMillis(RepeatedPush.REPEAT_NANOS));
    assertEquals(questions, questions(), "the same one, again");
    publish(300);
    assertEquals(300, other.attributes("/f").getSize());
    assertEquals(300, other.open("/f").getAttributes().getSize());
    assertEquals(List.of(), questions());
  }

  @Test
  void theWriterTellsEachLengthWhileAClientWantsThem() throws WeftException {
    keep(200);
    assertWaits(new GetAttributes(TestClient.path("/f")));
    Lsn question = questions().get(0);
    for (int size = 201; size < 220; size++) {
      assertEquals(Lsn.ZERO, publish(size));
      volume.pass(500);
      assertEquals(size, other.attributes("/f").getSize());
    }
    volume.pass(TimeUnit.NANOSECONDS.toMillis(DelegatedLengths.TELLING_NANOS));
    assertEquals(question, publish(220), "the number of the question that it has seen");
  }

  @Test
  void lateLengthAnswerReachesTheClientThatAsked() throws WeftException {
    keep(200);
    assertWaits(new GetAttributes(TestClient.path("/f")));
    volume.pass(TimeUnit.NANOSECONDS.toMillis(3 * DelegatedLengths.TELLING_NANOS));
    long before = volume.machine().tellings();
    assertEquals(Lsn.ZERO, publish(300));
    assertTrue(volume.machine().tellings() > before, "the client that waits is told");
    assertEquals(300, other.attributes("/f").getSize());
  }

  /** Nothing was written meanwhile. */
  @Test
  void aQuestionChangesNoTime() throws WeftException {
    keep(200);
    long modifiedMillis = other.list("/", 10).get(0).getAttributes().getMtimeMillis();
    volume.pass(3_600_000);
    assertWaits(new GetAttributes(TestClient.path("/f")));
    publish(200);
    assertEquals(modifiedMillis, other.attributes("/f").getMtimeMillis());
  }

  @Test
  void aWriterThatAsksForAnotherGrantTellsItToo() throws WeftException {
    keep(200);
    assertWaits(new GetAttributes(TestClient.path("/f")));
    Regrant regrant = new Regrant(held.object(), held.number(), List.of(), 5, OptionalLong.of(300));
    assertThrows(WeftException.class, () -> writer.execute(regrant), "nothing is given up");
    assertEquals(300, other.attributes("/f").getSize());
  }

  @Test
  void listingsShowTheLastKnownLength() throws WeftException {
    keep(200);
    assertEquals(200, other.list("/", 10).get(0).getAttributes().getSize());
    assertEquals(List.of(), questions());
  }

  /** What is put is less than what was published: the journal must not say that it is all. */
  @Test
  void aRecordThatPutsTheAttributesDoesNotSettleWhatIsKept() throws WeftException {
    keep(200);
    other.rename("/f", "/g");
    assertTrue(isLive());
    assertWaits(new GetAttributes(TestClient.path("/g")));
    volume = volume.restarted();
    TestClient late = other.with(volume);
    assertEquals(
        ErrorCode.UNAVAILABLE,
        assertThrows(WeftException.class, () -> late.attributes("/g")).code());
  }

  @Test
  void closingTellsIt() throws WeftException {
    keep(200);
    assertWaits(new GetAttributes(TestClient.path("/f")));
    writer.close(held, 500, 5);
    assertFalse(volume.machine().isLengthKept(held.object()));
    assertFalse(isLive());
    assertEquals(500, other.attributes("/f").getSize());
  }

  /** It may lie between what was told and what was published. */
  @Test
  void aLengthIsSetAgainstWhatWasPublished() throws WeftException {
    keep(200);
    WeftException refused = assertThrows(WeftException.class, () -> writer.setLength(held, 250));
    assertEquals(ErrorCode.INVALID_ARGUMENT, refused.code());
    writer.execute(new SetLength(held.object(), held.number(), 250, 5, OptionalLong.of(300)));
    assertFalse(volume.machine().isLengthKept(held.object()));
    assertTrue(isCut(), "50 bytes are to be cut");
    assertEquals(250, other.attributes("/f").getSize());
  }

  private boolean isCut() throws WeftException {
    return other.attributes("/f").getHasTrim();
  }

  @Test
  void componentsTellTheLengthOfAGoneWriter() throws WeftException {
    keep(200);
    writer.abandon(held);
    GetAttributes stat = new GetAttributes(TestClient.path("/f"));
    assertUnavailable(stat);
    assertEquals(200, other.list("/", 10).get(0).getAttributes().getSize());
    WriteGrant resolving = volume.machine().resolving().get(0);
    volume.own(new BeginResolve(resolving.number(), Set.of()));
    assertUnavailable(stat);
    volume.own(new FinishResolve(resolving.number(), 700));
    assertEquals(700, other.attributes("/f").getSize());
    assertFalse(isLive());
    assertFalse(volume.machine().isLengthKept(held.object()));
  }

  private void assertUnavailable(Operation operation) {
    Outcome.Refused refused = assertInstanceOf(Outcome.Refused.class, ask(operation));
    assertEquals(ErrorCode.UNAVAILABLE, refused.why().code());
  }

  @Test
  void aWriterThatDoesNotAnswerForALeaseCountsAsGone() throws WeftException {
    keep(200);
    assertWaits(new GetAttributes(TestClient.path("/f")));
    for (int second = 0; second < SessionTable.LEASE_MILLIS / 1_000 - 1; second++) {
      volume.pass(1_000);
      volume.own(new RenewSession(writer.session()));
      volume.tick();
    }
    assertEquals(List.of(), volume.machine().resolving());
    volume.pass(1_000);
    volume.tick();
    assertEquals(held.number(), volume.machine().resolving().get(0).number());
  }

  /** Nor before a client asked: then only its lease counts. */
  @Test
  void unaskedWriterKeepsItsLength() throws WeftException {
    keep(200);
    for (int second = 0; second < 100; second++) {
      volume.pass(1_000);
      volume.own(new RenewSession(writer.session()));
      volume.tick();
    }
    assertEquals(List.of(), volume.machine().resolving());
    assertTrue(volume.machine().isLengthKept(held.object()));
  }

  @Test
  void writersOfRemovedFilesAreNotAsked() throws WeftException {
    keep(200);
    assertWaits(new GetAttributes(TestClient.path("/f")));
    other.unlink("/f");
    writer.close(held, 300, 5);
    assertFalse(volume.machine().isLengthKept(held.object()));
    assertEquals(List.of(), questions());
  }

  @Test
  void aWriterThatSharesAFileOrCannotBeAskedKeepsNothing() throws WeftException {
    writer.publish(held, 200);
    assertFalse(volume.machine().isLengthKept(held.object()));
    writer.close(held, 200, 5);
    held = Held.of(writer.share("/f"));
    publish(300);
    assertEquals(Lsn.ZERO, publish(400));
    assertEquals(400, other.attributes("/f").getSize());
  }

  /** The same writer goes on, under another number. */
  @Test
  void aGrantThatTakesTheOthersPlaceKeepsItOn() throws WeftException {
    keep(200);
    Lsn old = held.number();
    volume.own(new AddLiveEffects(List.of(new LiveEffect.GrantSuperseded(old, held.object()))));
    writer.execute(new Regrant(held.object(), old, List.of(), 5, OptionalLong.empty()));
    assertTrue(volume.machine().isLengthKept(held.object()));
    assertWaits(new GetAttributes(TestClient.path("/f")));
    WriteGrant next = volume.machine().grants().get(0);
    assertTrue(next.number().compareTo(old) > 0);
    LengthQuestion question = volume.machine().lengthQuestions(volume.now()).get(0);
    assertEquals(next, question.writer());
  }
}
