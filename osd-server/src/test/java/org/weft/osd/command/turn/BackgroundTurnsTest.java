package org.weft.osd.command.turn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.rpc.RpcPeer;
import org.weft.testkit.rpc.FakePeer;
import org.weft.testkit.sim.VirtualTime;

class BackgroundTurnsTest {
  private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);
  private static final int BYTES = 100;

  private final VirtualTime time = new VirtualTime(1);
  private final RpcPeer manager = FakePeer.background(50);
  private final RpcPeer other = FakePeer.background(50);
  private final List<Asked> begun = new ArrayList<>();
  private long clockWentBackNanos;
  private final BackgroundTurns turns =
      new BackgroundTurns(() -> time.nowNanos() - clockWentBackNanos, time);

  /** A command, and what became of it. */
  private class Asked implements BackgroundTurns.Command {
    private BackgroundTurns.Turn turn;
    private boolean here;
    private boolean givenUp;
    private int dropped;
    private WeftException refused;
    private Error failure;
    private boolean endsAtOnce;
    private Runnable whenBegun = () -> {};
    private Runnable whenDropped = () -> {};

    @Override
    public void begin(BackgroundTurns.Turn its, boolean isHere) {
      assertNull(turn, "it is begun twice");
      turn = its;
      here = isHere;
      begun.add(this);
      if (failure != null) {
        throw failure;
      }
      if (endsAtOnce) {
        its.end();
      }
      whenBegun.run();
    }

    @Override
    public boolean isGivenUp() {
      return givenUp;
    }

    @Override
    public void drop() {
      dropped++;
      whenDropped.run();
    }

    @Override
    public void refuse(WeftException why) {
      refused = why;
    }

    boolean isBegun() {
      return turn != null;
    }
  }

  private Asked ask(RpcPeer peer, int percent, int bytes) {
    Asked command = new Asked();
    turns.take(peer, percent, bytes, command);
    return command;
  }

  private Asked ask(int percent) {
    return ask(manager, percent, BYTES);
  }

  /** Lets time pass in which clients ask for something ten times a second. */
  private void passWithClients(long millis) {
    for (long left = millis; left > 0; left -= 100) {
      turns.clientCame();
      time.pass(Math.min(100, left) * MILLI);
    }
  }

  @Test
  void withoutClientsManyTurnsRunAtOnceAndWithoutPauses() {
    List<Asked> all = new ArrayList<>();
    for (int i = 0; i < BackgroundTurns.MAX_AT_ONCE; i++) {
      all.add(ask(50));
      assertTrue(all.get(i).here, "it waits though no client is there");
    }
    Asked next = ask(50);
    assertFalse(next.isBegun());
    time.pass(30 * MILLI);
    all.get(3).turn.end();
    assertTrue(next.isBegun(), "there is a pause though no client is there");
    assertFalse(next.here);
  }

  @Test
  void besideClientsOneTurnRunsAndAPauseFollows() {
    turns.clientCame();
    Asked first = ask(25);
    Asked second = ask(25);
    Asked third = ask(25);
    assertTrue(first.here);
    passWithClients(400);
    assertFalse(second.isBegun(), "two are carried out at a time");
    first.turn.end();
    passWithClients(1_199);
    assertFalse(second.isBegun(), "a quarter of the time is three times as long a pause");
    passWithClients(2);
    assertTrue(second.isBegun());
    assertFalse(third.isBegun());
    assertEquals(1, turns.figures().waiting());
    assertEquals(1, turns.figures().waited());
    long waited = turns.figures().waitedNanos() / MILLI;
    assertTrue(waited >= 1_600 && waited <= 1_601, "waited " + waited + " ms");
  }

  @Test
  void aShareOfHundredPercentHasNoPause() {
    turns.clientCame();
    Asked first = ask(100);
    Asked second = ask(100);
    passWithClients(400);
    assertFalse(second.isBegun());
    first.turn.end();
    assertTrue(second.isBegun());
  }

  @Test
  void noPauseIsLongerThanFiveSeconds() {
    turns.clientCame();
    Asked first = ask(1);
    Asked second = ask(1);
    passWithClients(300);
    first.turn.end();
    passWithClients(4_999);
    assertFalse(second.isBegun());
    passWithClients(2);
    assertTrue(second.isBegun());
  }

  @Test
  void allWaitingCommandsBeginAfterASecondWithoutClients() {
    turns.clientCame();
    Asked first = ask(50);
    Asked second = ask(50);
    Asked third = ask(50);
    passWithClients(500);
    time.pass(899 * MILLI);
    assertFalse(second.isBegun());
    time.pass(2 * MILLI);
    assertTrue(second.isBegun() && third.isBegun());
    assertNotNull(first.turn);
  }

  @Test
  void runningTurnsEndBeforeTheNextOnceAClientComes() {
    Asked first = ask(50);
    Asked second = ask(50);
    turns.clientCame();
    Asked third = ask(50);
    assertFalse(third.isBegun());
    first.turn.end();
    passWithClients(200);
    assertFalse(third.isBegun());
    second.turn.end();
    passWithClients(201);
    assertTrue(third.isBegun());
  }

  @Test
  void connectionsTakeTurns() {
    turns.clientCame();
    Asked first = ask(100);
    Asked second = ask(100);
    Asked third = ask(100);
    Asked others = ask(other, 100, BYTES);
    first.turn.end();
    second.turn.end();
    assertTrue(others.isBegun(), "a connection waits for all that another one has asked before");
    assertFalse(third.isBegun());
    others.turn.end();
    assertTrue(third.isBegun());
  }

  @Test
  void anEndedConnectionDropsItsWaitingCommandsOnly() {
    turns.clientCame();
    Asked running = ask(100);
    Asked waiting = ask(100);
    Asked others = ask(other, 100, BYTES);
    turns.disconnected(manager);
    assertEquals(1, waiting.dropped);
    assertEquals(1, turns.figures().waiting());
    assertEquals(0, others.dropped);
    running.turn.end();
    assertTrue(others.isBegun());
    others.turn.end();
    assertFalse(waiting.isBegun());
    turns.disconnected(manager);
    assertEquals(1, waiting.dropped);
  }

  @Test
  void aCommandThatIsGivenUpLeavesItsLine() {
    turns.clientCame();
    Asked running = ask(100);
    Asked waiting = ask(100);
    Asked last = ask(100);
    waiting.givenUp = true;
    passWithClients(2_000);
    assertEquals(1, waiting.dropped);
    assertEquals(1, turns.figures().waiting());
    last.givenUp = true;
    running.turn.end();
    assertEquals(1, last.dropped);
    assertEquals(List.of(running), begun);
  }

  @Test
  void aLineThatIsFullRefusesAndOtherConnectionsAreTaken() {
    turns.clientCame();
    Asked running = ask(100);
    for (int i = 0; i < BackgroundTurns.MAX_IN_LINE; i++) {
      assertNull(ask(100).refused);
    }
    Asked refused = ask(100);
    assertEquals(ErrorCode.OVERLOADED, refused.refused.code());
    assertFalse(refused.isBegun());
    assertNull(ask(other, 100, BYTES).refused);
    running.turn.end();
    assertNull(ask(100).refused, "there is room again");
  }

  @Test
  void waitingCommandsOfAllLinesAreBounded() {
    turns.clientCame();
    var unused = ask(100);
    for (int i = 0; i < BackgroundTurns.MAX_WAITING; i++) {
      assertNull(ask(FakePeer.background(100), 100, 0).refused);
    }
    assertEquals(ErrorCode.OVERLOADED, ask(other, 100, 0).refused.code());
  }

  @Test
  void waitingBytesAreBoundedExceptOneLargeCommand() {
    turns.clientCame();
    Asked running = ask(100);
    int most = (int) BackgroundTurns.MAX_WAITING_BYTES;
    Asked large = ask(other, 100, most + 1);
    assertNull(large.refused);
    assertEquals(ErrorCode.OVERLOADED, ask(100).refused.code());
    running.turn.end();
    assertTrue(large.isBegun());
    assertNull(ask(100).refused, "what is begun waits no longer");
  }

  private static final int PIECE_BYTES = 256 << 10;
  private static final int PIECES = (int) (BackgroundTurns.MAX_WAITING_BYTES / PIECE_BYTES);

  private List<Asked> askPieces(RpcPeer peer, int pieces) {
    List<Asked> all = new ArrayList<>();
    for (int i = 0; i < pieces; i++) {
      all.add(ask(peer, 100, PIECE_BYTES));
    }
    return all;
  }

  private static List<Asked> refused(List<Asked> all) {
    return all.stream().filter(each -> each.refused != null).toList();
  }

  @Test
  void aManagerWithManyBytesDoesNotShutOthersOut() {
    turns.clientCame();
    Asked running = ask(100);
    List<Asked> greedy = askPieces(manager, PIECES);
    assertEquals(List.of(), refused(greedy));
    List<Asked> others = askPieces(other, PIECES);
    int half = PIECES / 2;
    assertEquals(List.of(), refused(others.subList(0, half)), "it has no part of the room");
    assertEquals(half, refused(others.subList(half, PIECES)).size(), "it takes more than its part");
    assertEquals(refused(greedy), greedy.subList(half, PIECES), "what came last makes room");
    assertEquals(ErrorCode.OVERLOADED, greedy.get(half).refused.code());
    assertEquals(PIECES, turns.figures().waiting());
    assertEquals(1, refused(askPieces(manager, 1)).size(), "it displaces what is within its part");
    running.turn.end();
    assertTrue(greedy.get(0).isBegun());
    greedy.get(0).turn.end();
    assertTrue(others.get(0).isBegun());
  }

  @Test
  void aThirdManagerTakesItsPartOfTheLongestLines() {
    turns.clientCame();
    var unused = ask(100);
    List<Asked> greedy = askPieces(manager, PIECES - 2);
    List<Asked> modest = askPieces(other, 2);
    List<Asked> third = askPieces(FakePeer.background(50), PIECES / 3);
    assertEquals(List.of(), refused(third));
    assertEquals(List.of(), refused(modest), "what is within its part is displaced");
    assertEquals(PIECES / 3, refused(greedy).size());
    assertEquals(PIECES, turns.figures().waiting());
  }

  @Test
  void connectionsWithAllTheCommandsThatMayWaitKeepNoOtherOut() {
    turns.clientCame();
    var unused = ask(100);
    List<Asked> greedy = new ArrayList<>();
    int connections = BackgroundTurns.MAX_WAITING / BackgroundTurns.MAX_IN_LINE;
    for (int i = 0; i < connections; i++) {
      RpcPeer peer = FakePeer.background(100);
      for (int command = 0; command < BackgroundTurns.MAX_IN_LINE; command++) {
        greedy.add(ask(peer, 100, 0));
      }
    }
    assertEquals(List.of(), refused(greedy));
    assertNull(ask(other, 100, BYTES).refused);
    assertEquals(1, refused(greedy).size());
    assertEquals(BackgroundTurns.MAX_WAITING, turns.figures().waiting());
  }

  @Test
  void theFirstCommandOfALineIsNeverDisplaced() {
    turns.clientCame();
    Asked running = ask(100);
    List<Asked> firsts = new ArrayList<>();
    for (int i = 0; i < PIECES; i++) {
      firsts.addAll(askPieces(FakePeer.background(100), 1));
    }
    assertEquals(ErrorCode.OVERLOADED, askPieces(other, 1).get(0).refused.code());
    assertEquals(List.of(), refused(firsts));
    running.turn.end();
    assertTrue(firsts.get(0).isBegun());
    assertNull(askPieces(other, 1).get(0).refused, "there is room again");
  }

  @Test
  void anErrorOfAWaitingCommandFreesItsTurn() {
    turns.clientCame();
    Asked running = ask(100);
    Asked failing = ask(100);
    failing.failure = new OutOfMemoryError("unable to create native thread");
    Asked next = ask(100);
    running.turn.end();
    assertEquals(ErrorCode.INTERNAL, failing.refused.code());
    assertTrue(next.isBegun());
  }

  @Test
  void anErrorOfAnImmediateCommandReachesItsThreadWithoutATurn() {
    turns.clientCame();
    Asked failing = new Asked();
    failing.failure = new OutOfMemoryError("unable to create native thread");
    assertThrows(OutOfMemoryError.class, () -> turns.take(manager, 100, BYTES, failing));
    assertNull(failing.refused, "the transport answers");
    assertTrue(ask(100).here);
  }

  @Test
  void commandsThatEndAtOnceRunInTheirOrder() {
    turns.clientCame();
    Asked first = ask(100);
    List<Asked> all = new ArrayList<>(List.of(first));
    for (int i = 0; i < BackgroundTurns.MAX_IN_LINE; i++) {
      Asked each = ask(100);
      each.endsAtOnce = true;
      all.add(each);
    }
    first.turn.end();
    assertEquals(all, begun);
  }

  @Test
  void aTurnThatDoesNotEndHoldsNoOtherUpForEver() {
    turns.clientCame();
    Asked stuck = ask(100);
    Asked next = ask(100);
    passWithClients(9_999);
    assertFalse(next.isBegun());
    passWithClients(2);
    assertTrue(next.isBegun());
    Asked third = ask(100);
    stuck.turn.end();
    assertFalse(third.isBegun(), "a turn ends twice");
    next.turn.end();
    next.turn.end();
    assertTrue(third.isBegun());
  }

  @Test
  void aClockThatGoesBackMakesNothingWaitLongerThanUsual() {
    clockWentBackNanos = -TimeUnit.HOURS.toNanos(1);
    turns.clientCame();
    Asked first = ask(50);
    Asked second = ask(50);
    Asked third = ask(50);
    clockWentBackNanos = 0;
    passWithClients(300);
    first.turn.end();
    clockWentBackNanos = TimeUnit.HOURS.toNanos(1);
    passWithClients(401);
    assertTrue(second.isBegun(), "the pause does not end");
    clockWentBackNanos = TimeUnit.HOURS.toNanos(2);
    time.pass(2_100 * MILLI);
    assertTrue(third.isBegun(), "it waits for a client that came in the future");
  }

  @Test
  void waitingCommandsAreRefusedAtTheEnd() {
    turns.clientCame();
    Asked running = ask(50);
    Asked waiting = ask(other, 50, BYTES);
    turns.refuseAll(new WeftException(ErrorCode.UNAVAILABLE, "it ends"));
    assertEquals(ErrorCode.UNAVAILABLE, waiting.refused.code());
    assertEquals(0, turns.figures().waiting());
    running.turn.end();
    time.pass(5_000 * MILLI);
    assertFalse(waiting.isBegun());
    assertTrue(ask(50).here);
  }

  @Test
  void aClockSetBackDoesNotLengthenAPause() {
    turns.clientCame();
    Asked first = ask(50);
    Asked second = ask(50);
    passWithClients(300);
    first.turn.end();
    clockWentBackNanos = TimeUnit.HOURS.toNanos(1);
    passWithClients(700);
    assertTrue(second.isBegun(), "the pause lasts until the clock is where it was");
    assertTrue(turns.figures().waitedNanos() >= 0, "it waited less than nothing");
  }

  @Test
  void aClockSetBackDoesNotExtendATurnForEver() {
    turns.clientCame();
    Asked stuck = ask(100);
    Asked next = ask(100);
    clockWentBackNanos = TimeUnit.HOURS.toNanos(1);
    passWithClients(20_100);
    assertTrue(next.isBegun());
    assertTrue(stuck.isBegun());
  }

  @Test
  void theLongestPauseOfSimultaneousTurnsCounts() {
    Asked modest = ask(10);
    Asked greedy = ask(100);
    time.pass(400 * MILLI);
    turns.clientCame();
    Asked waiting = ask(50);
    modest.turn.end();
    greedy.turn.end();
    passWithClients(3_599);
    assertFalse(waiting.isBegun(), "the turn without a pause ended the pause of the other");
    passWithClients(2);
    assertTrue(waiting.isBegun());
  }

  @Test
  void aNewCommandQueuesBehindWaitingOnesDespiteAFreeTurn() {
    turns.clientCame();
    Asked running = ask(100);
    Asked second = ask(100);
    Asked third = ask(100);
    List<Asked> late = new ArrayList<>();
    second.endsAtOnce = true;
    second.whenBegun = () -> late.add(ask(other, 100, BYTES));
    running.turn.end();
    assertEquals(List.of(running, second, third), begun);
    third.turn.end();
    assertTrue(late.get(0).isBegun());
  }

  @Test
  void aCommandGivenUpBeforeItsTurnTakesNone() {
    turns.clientCame();
    Asked running = ask(100);
    Asked second = ask(100);
    Asked third = ask(100);
    second.endsAtOnce = true;
    second.whenBegun = () -> third.givenUp = true;
    running.turn.end();
    assertEquals(List.of(running, second), begun);
    assertEquals(1, third.dropped);
    assertEquals(0, turns.figures().waiting());
  }

  @Test
  void anErrorOfADroppedCommandDelaysNoOther() {
    turns.clientCame();
    Asked running = ask(100);
    Asked failing = ask(100);
    Asked next = ask(100);
    failing.givenUp = true;
    failing.whenDropped =
        () -> {
          throw new OutOfMemoryError("unable to create native thread");
        };
    assertThrows(OutOfMemoryError.class, running.turn::end);
    passWithClients(100);
    assertTrue(next.isBegun());
  }

  /** Bytes: what is behind the first of the other line is not enough for what comes. */
  @Test
  void theFirstCommandOfALongerLineIsNeverDisplaced() {
    turns.clientCame();
    Asked running = ask(100);
    int mebibyte = 1 << 20;
    Asked first = ask(manager, 100, 6 * mebibyte);
    Asked second = ask(manager, 100, mebibyte);
    Asked large = ask(other, 100, 3 * mebibyte);
    assertEquals(ErrorCode.OVERLOADED, large.refused.code());
    assertEquals(List.of(), refused(List.of(first, second)), "and nothing goes for it in vain");
    assertNull(ask(other, 100, 2 * mebibyte).refused);
    assertEquals(List.of(second), refused(List.of(first, second)));
    running.turn.end();
    assertTrue(first.isBegun());
  }

  @Test
  void theLineWithMostBytesMakesRoomWhenBytesAreShort() {
    turns.clientCame();
    var unused = ask(100);
    List<Asked> small = new ArrayList<>();
    for (int i = 0; i < 2 * PIECES; i++) {
      small.add(ask(manager, 100, 0));
    }
    List<Asked> large = askPieces(other, PIECES);
    assertEquals(List.of(), refused(large));
    assertNull(askPieces(FakePeer.background(100), 1).get(0).refused);
    assertEquals(List.of(), refused(small));
    assertEquals(1, refused(large).size());
  }

  @Test
  void noLineExceedsItsShareOfWaitingCommands() {
    turns.clientCame();
    var unused = ask(100);
    List<RpcPeer> peers = new ArrayList<>();
    List<Asked> all = new ArrayList<>();
    int each = BackgroundTurns.MAX_IN_LINE / 2;
    for (int i = 0; i < BackgroundTurns.MAX_WAITING / each; i++) {
      peers.add(FakePeer.background(100));
      for (int command = 0; command < each; command++) {
        all.add(ask(peers.get(i), 100, 0));
      }
    }
    assertEquals(ErrorCode.OVERLOADED, ask(peers.get(0), 100, 0).refused.code());
    assertEquals(List.of(), refused(all));
  }

  /** What it had, and has no more, counts against no manager. */
  private void takesItsPartAgain() {
    List<Asked> others = askPieces(other, PIECES - 1);
    assertEquals(List.of(), refused(others));
    assertEquals(List.of(), refused(askPieces(manager, 1)), "it has no part of the room any more");
    assertEquals(1, refused(others).size());
  }

  @Test
  void anExecutedCommandFreesRoomOfItsLine() {
    turns.clientCame();
    Asked running = ask(100);
    List<Asked> pieces = askPieces(manager, PIECES / 2 + 2);
    pieces.subList(0, PIECES / 2).forEach(each -> each.endsAtOnce = true);
    running.turn.end();
    assertEquals(1, turns.figures().waiting());
    takesItsPartAgain();
  }

  @Test
  void aCommandThatIsGivenUpFreesRoomOfItsLine() {
    turns.clientCame();
    var unused = ask(100);
    List<Asked> pieces = askPieces(manager, PIECES / 2 + 1);
    pieces.subList(1, pieces.size()).forEach(each -> each.givenUp = true);
    passWithClients(2_000);
    assertEquals(1, turns.figures().waiting());
    takesItsPartAgain();
  }

  @Test
  void aDisplacedCommandFreesRoomOfItsLine() {
    turns.clientCame();
    var unused = ask(100);
    List<Asked> first = askPieces(manager, PIECES);
    List<Asked> second = askPieces(other, PIECES / 2);
    assertEquals(PIECES / 2, refused(first).size());
    assertEquals(List.of(), refused(askPieces(FakePeer.background(100), PIECES / 4)));
    assertEquals(PIECES / 2 + PIECES / 8, refused(first).size(), "one line gives all of it");
    assertEquals(PIECES / 8, refused(second).size());
  }
}
