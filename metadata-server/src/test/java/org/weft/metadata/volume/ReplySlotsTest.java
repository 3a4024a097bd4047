package org.weft.metadata.volume;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.weft.metadata.journal.LiveEffect;
import org.weft.metadata.session.SessionTable;
import org.weft.metadata.session.SlotAnswer;
import org.weft.metadata.volume.execution.Operation;
import org.weft.metadata.volume.execution.Outcome;
import org.weft.metadata.volume.operation.attributes.GetAttributes;
import org.weft.metadata.volume.operation.name.CreateFile;
import org.weft.metadata.volume.operation.name.MakeDirectory;
import org.weft.metadata.volume.operation.session.CloseSession;
import org.weft.metadata.volume.operation.session.OpenSession;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.SessionId;
import org.weft.protocol.wire.OpenSessionReply;

/** A request is executed once, whatever becomes of its answer (P 6.4). */
class ReplySlotsTest {
  private TestVolume volume;
  private TestClient client;

  @BeforeEach
  void oneClient() throws WeftException {
    volume = TestVolume.formatted(5);
    client = volume.superuser();
  }

  @Test
  void aRetryAfterARestartGetsTheSameReply() throws WeftException {
    Outcome.Done first = client.execute(creation("/f"));
    TestVolume next = volume.restarted();
    int records = next.records().size();
    Outcome.Done again = client.with(next).retry();
    assertEquals(first.reply().toByteString(), again.reply().toByteString());
    assertEquals(records, next.records().size());
  }

  @Test
  void aRetryOfWhatTheJournalLostIsExecuted() throws WeftException {
    client.mkdir("/d");
    TestVolume next = volume.restarted(volume.records().size() - 1);
    TestClient again = client.with(next);
    again.retry();
    assertEquals(List.of("d"), again.names("/"));
  }

  @Test
  void aRenameIsNotFoundMissingByItsOwnRetry() throws WeftException {
    client.mkdir("/a");
    client.rename("/a", "/b");
    client.with(volume.restarted()).retry();
    client.retry();
  }

  @Test
  void aRefusalIsRepeatedAlthoughTheReasonIsGone() throws WeftException {
    TestClient other = volume.superuser();
    assertThrows(WeftException.class, () -> client.rmdir("/d"));
    other.mkdir("/d");
    assertEquals(ErrorCode.NOT_FOUND, assertThrows(WeftException.class, client::retry).code());
    assertEquals(List.of("d"), other.names("/"));
  }

  @Test
  void refusedRequestIsExecutedWhenRepeated() throws WeftException {
    volume.osds(0);
    assertEquals(
        ErrorCode.UNAVAILABLE, assertThrows(WeftException.class, () -> client.create("/f")).code());
    volume.osds(6);
    client.retry();
    assertEquals(List.of("f"), client.names("/"));
  }

  /** An earlier attempt under its number may be under way still, and come when there is room. */
  @Test
  void aRequestWithoutPatienceIsRefusedForGood() throws WeftException {
    volume.osds(0);
    Caller caller = new Caller(client.session(), 3, 1).withoutPatience();
    assertRefused(ErrorCode.BUSY, caller, creation("/f"));
    volume.osds(6);
    assertRefused(ErrorCode.BUSY, caller, creation("/f"));
    assertEquals(List.of(), client.names("/"));
  }

  @Test
  void earlierAttemptIsNotExecutedAfterAFailedLoad() throws WeftException {
    Caller caller = new Caller(client.session(), 3, 5);
    refuseForLoads(caller, ErrorCode.TOO_MANY_LOST);
    assertRefused(ErrorCode.TOO_MANY_LOST, caller, creation("/f"));
    assertEquals(List.of(), client.names("/"));
  }

  @Test
  void temporaryLoadFailureIsRetried() throws WeftException {
    Caller caller = new Caller(client.session(), 3, 5);
    refuseForLoads(caller, ErrorCode.UNAVAILABLE);
    volume.execute(caller, creation("/f"));
    assertEquals(List.of("f"), client.names("/"));
  }

  @Test
  void aLateFailureOfALoadLeavesLaterAnswers() throws WeftException {
    Outcome.Done first = volume.execute(new Caller(client.session(), 3, 6), creation("/f"));
    refuseForLoads(new Caller(client.session(), 3, 5), ErrorCode.TOO_MANY_LOST);
    refuseForLoads(new Caller(client.session(), 3, 6), ErrorCode.TOO_MANY_LOST);
    Outcome.Done again = volume.execute(new Caller(client.session(), 3, 6), creation("/f"));
    assertEquals(first.reply().toByteString(), again.reply().toByteString());
  }

  private void refuseForLoads(Caller caller, ErrorCode code) {
    volume.machine().refused(caller, creation("/f"), new WeftException(code, "OSDs are away"));
  }

  @Test
  void aReadIsReadAgain() throws WeftException {
    client.mkdir("/d");
    Outcome.Done first = client.execute(new GetAttributes(TestClient.path("/d")));
    assertEquals(first.reply(), client.retry().reply());
  }

  @Test
  void aStaleDuplicateIsRefused() throws WeftException {
    client.mkdir("/d");
    Caller stale = client.last();
    client.rmdir("/d");
    assertRefused(ErrorCode.INVALID_ARGUMENT, stale);
    assertEquals(List.of(), client.names("/"));
  }

  @Test
  void numbersMayJumpAhead() throws WeftException {
    Caller ahead = new Caller(client.session(), 3, 1_000);
    volume.execute(ahead, new MakeDirectory(TestClient.path("/d"), 0755, 0, false));
    assertRefused(ErrorCode.INVALID_ARGUMENT, new Caller(client.session(), 3, 999));
  }

  @Test
  void slotsAreThoseThatTheSessionWasGiven() {
    assertRefused(ErrorCode.INVALID_ARGUMENT, new Caller(client.session(), 8, 1));
    assertRefused(ErrorCode.INVALID_ARGUMENT, new Caller(client.session(), -1, 1));
    assertRefused(ErrorCode.INVALID_ARGUMENT, new Caller(client.session(), 0, 0));
  }

  @Test
  void slotsAreApartFromEachOther() throws WeftException {
    for (int slot = 1; slot < 8; slot++) {
      Caller caller = new Caller(client.session(), slot, 1);
      volume.execute(caller, new MakeDirectory(TestClient.path("/d" + slot), 0755, 0, false));
    }
    assertEquals(7, client.names("/").size());
  }

  @Test
  void aRepeatedOpeningFindsItsSession() throws WeftException {
    OpenSession opening = new OpenSession("alice", List.of("g"), "c", 4711, 4);
    OpenSessionReply first = open(opening);
    assertEquals(first, open(opening));
    assertEquals(first.getSessionId(), openIn(volume.restarted(), opening).getSessionId());
    assertEquals(SessionTable.LEASE_MILLIS, first.getLeaseMillis());
    assertEquals(4, first.getSlots());
  }

  @Test
  void anotherUsersNonceFindsNothing() throws WeftException {
    open(new OpenSession("alice", List.of("g"), "c", 4711, 4));
    WeftException refusal =
        assertThrows(
            WeftException.class, () -> open(new OpenSession("bob", List.of("g"), "c", 4711, 4)));
    assertEquals(ErrorCode.INVALID_ARGUMENT, refusal.code());
  }

  @Test
  void sessionIdsAreNotUsedAgain() throws WeftException {
    long first = open(new OpenSession("a", List.of(), "c", 1_001, 4)).getSessionId();
    volume.own(new CloseSession(new SessionId(first)));
    TestVolume next = volume.restarted();
    long second = openIn(next, new OpenSession("a", List.of(), "c", 1_002, 4)).getSessionId();
    assertTrue(second > first);
  }

  private OpenSessionReply open(OpenSession opening) throws WeftException {
    return openIn(volume, opening);
  }

  private static OpenSessionReply openIn(TestVolume in, OpenSession opening) throws WeftException {
    return TestClient.parse(OpenSessionReply.parser(), in.execute(null, opening));
  }

  private void assertRefused(ErrorCode code, Caller caller) {
    assertRefused(code, caller, new MakeDirectory(TestClient.path("/x"), 0755, 0, false));
  }

  private void assertRefused(ErrorCode code, Caller caller, Operation operation) {
    assertEquals(
        code, assertThrows(WeftException.class, () -> volume.execute(caller, operation)).code());
  }

  private static Operation creation(String path) {
    return new CreateFile(TestClient.path(path), 0644, 0, false, false, java.util.Optional.empty());
  }

  @Test
  void controlCharactersInUserAndClientNamesAreKeptOut() throws WeftException {
    for (OpenSession opening :
        List.of(
            new OpenSession("a\u001b[2J", List.of("g"), "c", 5, 4),
            new OpenSession("alice", List.of("g\nforged"), "c", 6, 4))) {
      WeftException refused = assertThrows(WeftException.class, () -> open(opening));
      assertEquals(ErrorCode.NAME_INVALID, refused.code());
    }
    assertEquals("c?[2J", new OpenSession("alice", List.of("g"), "c\u001b[2J", 7, 4).clientName());
  }

  @Test
  void aSlotKeepsOfALongRefusalItsBeginningAndItsEnd() throws WeftException {
    String path = "/first" + ("/" + "d".repeat(250)).repeat(200) + "/last";
    String told = assertThrows(WeftException.class, () -> client.rmdir(path)).getMessage();
    assertTrue(told.length() <= 1_024, told);
    assertTrue(told.contains("/first"), told);
    String kept = assertThrows(WeftException.class, client::retry).getMessage();
    assertEquals(told, kept);
    SlotAnswer answer =
        SlotAnswer.refused(ErrorCode.NO_SPACE, "head" + "x".repeat(9_000) + "tail", Lsn.ZERO);
    assertEquals(1_024, answer.message().length());
    assertTrue(answer.message().startsWith("head"));
    assertTrue(answer.message().endsWith("tail"));
    LiveEffect.GrantsRevoked revoked = new LiveEffect.GrantsRevoked(List.of(), "y".repeat(9_000));
    assertEquals(1_024, revoked.why().length());
  }

  @Test
  void namesOfAUserAndItsGroupsAreBounded() throws WeftException {
    List<String> many = groups(67, 248);
    WeftException refusal =
        assertThrows(WeftException.class, () -> open(new OpenSession("a", many, "c", 9, 4)));
    assertEquals(ErrorCode.INVALID_ARGUMENT, refusal.code());
    assertTrue(refusal.getMessage().contains("16384 bytes"), refusal.getMessage());
    var unused = open(new OpenSession("a", groups(1_000, 16), "c", 10, 4));
  }

  @Test
  void memoryForSessionNamesIsBoundedAndFreed() throws WeftException {
    List<String> many = groups(64, 255);
    List<Long> sessions = new ArrayList<>();
    WeftException refusal = null;
    while (refusal == null) {
      try {
        OpenSession opening = new OpenSession("a", many, "c", 10_000 + sessions.size(), 1);
        sessions.add(open(opening).getSessionId());
      } catch (WeftException e) {
        refusal = e;
      }
      assertTrue(sessions.size() < 5_000, "there is no bound");
    }
    assertEquals(ErrorCode.OVERLOADED, refusal.code());
    assertTrue(refusal.getMessage().contains("state fewer groups"), refusal.getMessage());
    volume.own(new CloseSession(new SessionId(sessions.get(0))));
    var unused = open(new OpenSession("a", many, "c", 20_000, 1));
  }

  @Test
  void aSessionOfAnOlderJournalWithMoreNamesIsTaken() throws WeftException {
    LiveEffect.SessionOpened opened =
        new LiveEffect.SessionOpened(
            new SessionId(1), "a", groups(1_000, 255), "c", 77, 4, 1, Optional.empty());
    TestVolume next = TestVolume.recovered(9, List.of(opened), volume.records());
    assertEquals(4, openIn(next, new OpenSession("a", List.of(), "c", 78, 4)).getSlots());
  }

  private static List<String> groups(int count, int bytes) {
    return IntStream.range(0, count)
        .mapToObj(number -> String.format("%" + bytes + "d", number).replace(' ', 'g'))
        .toList();
  }
}
