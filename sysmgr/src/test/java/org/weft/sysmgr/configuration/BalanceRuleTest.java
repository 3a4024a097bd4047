package org.weft.sysmgr.configuration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.rpc.Endpoint;
import org.weft.sysmgr.balance.Balance;
import org.weft.sysmgr.balance.BalancePlan;
import org.weft.sysmgr.balance.OsdUsage;
import org.weft.sysmgr.configuration.cluster.Secret;
import org.weft.sysmgr.configuration.command.Command;
import org.weft.sysmgr.configuration.command.CommandResult;
import org.weft.sysmgr.configuration.node.NodeHistory;
import org.weft.sysmgr.configuration.node.NodeKey;
import org.weft.sysmgr.configuration.node.StartProof;
import org.weft.sysmgr.configuration.state.Configuration;
import org.weft.sysmgr.configuration.stored.CommandCodec;
import org.weft.sysmgr.configuration.stored.SnapshotCodec;

/** Balances as operators and leaders change them. */
final class BalanceRuleTest {
  private static final String SET = Configuration.DEFAULT_BLADE_SET;
  private static final BalancePlan PLAN =
      BalancePlan.of(
          List.of(
              new OsdUsage(new OsdId(1), 500, 1_000, 9), new OsdUsage(new OsdId(2), 0, 1_000, 0)));

  private final ConfigurationMachine machine = new ConfigurationMachine();

  @BeforeEach
  void start() {
    machine.apply(
        new Command.Format(
            new ClusterId("00112233445566778899aabbccddeeff"),
            "test",
            Secret.of(new byte[64]),
            "root",
            Secret.of(new byte[32]),
            1));
    join(1);
    join(2);
  }

  private void join(int number) {
    machine.apply(
        new Command.Join(
            NodeKey.Kind.OSD,
            "o" + number,
            "",
            0,
            List.of(new Endpoint("127.0.0.1", 7400 + number)),
            "host-" + number,
            1,
            0,
            false,
            1,
            "",
            StartProof.NONE,
            NodeHistory.NONE));
  }

  private CommandResult ask(Balance.Action action) {
    return apply(new Command.SetBalance(SET, action, 50_000, 5));
  }

  /** As the log has it. */
  private CommandResult apply(Command command) {
    assertEquals(command, CommandCodec.decode(CommandCodec.encode(command)));
    return machine.apply(command);
  }

  private Balance balance() {
    return machine.state().history().placement().balance(SET).orElseThrow();
  }

  private void refused(ErrorCode code, CommandResult answer) {
    assertEquals(code, assertInstanceOf(CommandResult.Refused.class, answer).code());
  }

  @Test
  void roundsFollowEachOtherAndAWordOfAnotherRoundIsVoid() {
    assertInstanceOf(CommandResult.Done.class, ask(Balance.Action.START));
    long number = balance().number();
    apply(new Command.PlanBalance(SET, number, 0, PLAN, 6));
    long round = balance().round();
    assertTrue(round > number);
    assertEquals(PLAN, balance().plan());
    Configuration before = machine.state();
    apply(new Command.PlanBalance(SET, number, 0, BalancePlan.NONE, 7));
    apply(new Command.PlanBalance(SET, number + 1, round, BalancePlan.NONE, 7));
    assertEquals(before, machine.state());
    apply(new Command.PlanBalance(SET, number, round, BalancePlan.NONE, 8));
    assertEquals(Balance.State.ENDED, balance().state());
    assertInstanceOf(CommandResult.Done.class, ask(Balance.Action.START));
    assertTrue(balance().number() > round);
  }

  @Test
  void roundsThatGainedLittleBeforeAnOsdJoinedDoNotEndIt() {
    ask(Balance.Action.START);
    planNext();
    planNext();
    assertEquals(1, balance().idleRounds());
    join(3);
    assertEquals(0, balance().idleRounds());
    planNext();
    planNext();
    planNext();
    assertEquals(Balance.State.RUNNING, balance().state());
    planNext();
    assertEquals(Balance.State.ENDED, balance().state(), "three rounds gained nothing");
  }

  private void planNext() {
    apply(new Command.PlanBalance(SET, balance().number(), balance().round(), PLAN, 6));
  }

  @Test
  void aPausedBalancePlansNoRound() {
    ask(Balance.Action.START);
    ask(Balance.Action.PAUSE);
    long number = balance().number();
    apply(new Command.PlanBalance(SET, number, 0, PLAN, 6));
    assertEquals(0, balance().round());
    ask(Balance.Action.RESUME);
    apply(new Command.PlanBalance(SET, number, 0, PLAN, 6));
    assertTrue(balance().round() > 0);
    ask(Balance.Action.STOP);
    assertEquals("it was stopped", balance().words());
    assertInstanceOf(CommandResult.Done.class, ask(Balance.Action.STOP));
  }

  @Test
  void invalidBalanceCommandsAreRefused() {
    refused(ErrorCode.NOT_FOUND, ask(Balance.Action.PAUSE));
    CommandResult absent = apply(new Command.SetBalance("other", Balance.Action.START, 50_000, 5));
    refused(ErrorCode.NOT_FOUND, absent);
    assertEquals(
        "there is no BladeSet other; there are " + SET,
        assertInstanceOf(CommandResult.Refused.class, absent).message());
    refused(
        ErrorCode.INVALID_ARGUMENT, apply(new Command.SetBalance(SET, Balance.Action.START, 0, 5)));
    ask(Balance.Action.START);
    assertInstanceOf(CommandResult.Done.class, ask(Balance.Action.START));
    refused(ErrorCode.EXISTS, apply(new Command.SetBalance(SET, Balance.Action.START, 20_000, 5)));
  }

  @Test
  void aSingleOsdIsNotBalanced() {
    ConfigurationMachine lonely = new ConfigurationMachine();
    lonely.apply(
        new Command.Format(
            new ClusterId("00112233445566778899aabbccddeeff"),
            "test",
            Secret.of(new byte[64]),
            "root",
            Secret.of(new byte[32]),
            1));
    refused(
        ErrorCode.INVALID_ARGUMENT,
        lonely.apply(new Command.SetBalance(SET, Balance.Action.START, 50_000, 5)));
  }

  @Test
  void aSnapshotKeepsIt() throws Exception {
    ask(Balance.Action.START);
    apply(new Command.PlanBalance(SET, balance().number(), 0, PLAN, 6));
    ByteArrayOutputStream written = new ByteArrayOutputStream();
    SnapshotCodec.write(machine.state(), written);
    Configuration read = SnapshotCodec.read(new ByteArrayInputStream(written.toByteArray()));
    assertEquals(Optional.of(balance()), read.history().placement().balance(SET));
    assertEquals(machine.state(), read);
  }
}
