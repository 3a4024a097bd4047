package org.weft.sysmgr.configuration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.weft.protocol.rpc.Endpoint;
import org.weft.sysmgr.configuration.command.Command;
import org.weft.sysmgr.configuration.command.CommandResult;
import org.weft.sysmgr.configuration.nfs.NfsMonitor;
import org.weft.sysmgr.configuration.nfs.NfsWatched;
import org.weft.sysmgr.configuration.stored.CommandCodec;
import org.weft.sysmgr.configuration.stored.SnapshotCodec;

/** Rule 6.5f, as the members of SysMgr agree on it. */
final class NfsMonitorRuleTest {
  private static final Endpoint ONE = new Endpoint("10.0.0.1", 7350);
  private static final Endpoint TWO = new Endpoint("fe80::2", 7350);
  private static final NfsWatched A = new NfsWatched(ONE, "10.1.0.1", "a");
  private static final NfsWatched B = new NfsWatched(ONE, "10.1.0.1", "b");
  private static final long NOW = 1_800_000_000_000L;

  private final ConfigurationMachine machine = new ConfigurationMachine();

  private void take(long claim, Endpoint... servers) {
    Command command = new Command.TakeNfsAddresses(claim, List.of(servers), NOW);
    assertInstanceOf(
        CommandResult.Done.class, machine.apply(CommandCodec.decode(CommandCodec.encode(command))));
  }

  private void watch(long number, long claim, List<NfsWatched> removed, List<NfsWatched> added) {
    Command command =
        new Command.WatchNfsClients(
            number, new TreeMap<>(Map.of(ONE.toString(), claim)), removed, added, NOW);
    assertInstanceOf(
        CommandResult.Done.class, machine.apply(CommandCodec.decode(CommandCodec.encode(command))));
  }

  private NfsMonitor monitor() {
    return machine.state().nfs().monitor();
  }

  private int state(Endpoint server) {
    return monitor().served(server).orElseThrow().state();
  }

  @Test
  void eachClaimHasALargerOddStateAndRepeatsKeepIt() {
    take(1, ONE, TWO);
    int first = state(ONE);
    assertEquals(first, state(TWO));
    assertEquals(1, first % 2);
    assertTrue(first > 200_000_000, "by the time, so that a list that was lost repeats none");
    take(1, ONE, TWO);
    assertEquals(first, state(ONE));
    take(2, ONE);
    assertEquals(first + 2, state(ONE));
    assertEquals(first, state(TWO));
  }

  /** A failure when a record is carried out would stop each member, at each start again. */
  @Test
  void aLeaderWithAnyClockGivesAState() {
    long lastSecond = 1_577_836_800L + Integer.MAX_VALUE;
    int before = 0;
    long claim = 1;
    for (long nowMillis :
        new long[] {
          Long.MIN_VALUE, 0, Long.MAX_VALUE, 4_000_000_000_000L, NOW, lastSecond * 1_000
        }) {
      Command command = new Command.TakeNfsAddresses(claim++, List.of(ONE), nowMillis);
      assertInstanceOf(
          CommandResult.Done.class,
          machine.apply(CommandCodec.decode(CommandCodec.encode(command))));
      assertTrue(state(ONE) > before && state(ONE) % 2 == 1, state(ONE) + " after " + before);
      before = state(ONE);
    }
    assertEquals(Integer.MAX_VALUE, before);
    take(claim, ONE);
    assertTrue(state(ONE) > 0 && state(ONE) < before, "another one than before");
  }

  @Test
  void clientsOutliveTheGatewayThatToldOfThem() {
    take(1, ONE);
    watch(1, 1, List.of(), List.of(A, B));
    take(2, ONE);
    assertEquals(Set.of(A, B), monitor().watched().keySet());
    watch(2, 1, List.of(A), List.of());
    assertEquals(Set.of(A, B), monitor().watched().keySet(), "it is another gateway's by now");
    watch(1, 2, List.of(A), List.of());
    assertEquals(Set.of(B), monitor().watched().keySet());
  }

  @Test
  void aChangeThatComesLateIsVoid() {
    take(1, ONE);
    watch(1, 1, List.of(), List.of(A));
    watch(2, 1, List.of(A), List.of());
    watch(3, 1, List.of(), List.of(A));
    watch(2, 1, List.of(A), List.of());
    assertEquals(Set.of(A), monitor().watched().keySet());
  }

  @Test
  void hostsBeyondTheBoundAreNotTaken() {
    take(1, ONE);
    for (int number = 1; number <= NfsMonitor.MAX_WATCHED / 1_000 + 1; number++) {
      List<NfsWatched> some = new ArrayList<>();
      for (int i = 0; i < 1_000; i++) {
        some.add(new NfsWatched(ONE, "10.1." + number + ".1", "host-" + i));
      }
      watch(number, 1, List.of(), some);
    }
    assertEquals(NfsMonitor.MAX_WATCHED, monitor().watched().size());
  }

  @Test
  void addressesWithoutClientsGoWhenThereAreTooMany() {
    take(7, ONE);
    watch(1, 7, List.of(), List.of(A));
    for (int i = 0; i < NfsMonitor.MAX_SERVED + 10; i++) {
      take(100 + i, new Endpoint("10.9.0.1", 1_000 + i));
    }
    assertEquals(NfsMonitor.MAX_SERVED, monitor().served().size());
    assertTrue(monitor().isHeldBy(ONE, 7), "its clients are to be told");
  }

  /** Else the gateway goes on as if all were recorded that were after the copy was made. */
  @Test
  void afterARestorationAddressesAreToBeTakenAgain() {
    take(1, ONE);
    watch(1, 1, List.of(), List.of(A));
    int state = state(ONE);
    NfsMonitor restored = machine.state().nfs().jumped(1_000, 1_000).monitor();
    assertFalse(restored.isHeldBy(ONE, 1));
    assertEquals(Set.of(A), restored.watched().keySet(), "they are to be told");
    assertTrue(restored.nextState(NOW) > state, "no state is given twice");
  }

  @Test
  void aSnapshotHoldsIt() throws IOException {
    take(1, ONE, TWO);
    watch(1, 1, List.of(), List.of(A, B));
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    SnapshotCodec.write(machine.state(), out);
    assertEquals(machine.state(), SnapshotCodec.read(new ByteArrayInputStream(out.toByteArray())));
  }
}
