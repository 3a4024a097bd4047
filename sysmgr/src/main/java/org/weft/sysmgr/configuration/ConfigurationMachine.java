package org.weft.sysmgr.configuration;

import java.util.List;
import org.weft.sysmgr.configuration.cluster.Event;
import org.weft.sysmgr.configuration.cluster.EventLog;
import org.weft.sysmgr.configuration.command.Command;
import org.weft.sysmgr.configuration.command.CommandResult;
import org.weft.sysmgr.configuration.state.Configuration;

/**
 * The configuration as commands change it. Single-threaded; no IO, no clock, no random number: the
 * same commands in the same order give the same state on every member.
 */
public final class ConfigurationMachine {
  private Configuration state;
  private EventLog events;

  public ConfigurationMachine() {
    this(Configuration.EMPTY);
  }

  public ConfigurationMachine(Configuration state) {
    this(state, EventLog.EMPTY);
  }

  ConfigurationMachine(Configuration state, EventLog events) {
    this.state = state;
    this.events = events;
  }

  /** What happened last. */
  public EventLog events() {
    return events;
  }

  public Configuration state() {
    return state;
  }

  /** What the command would do now; changes nothing. */
  public Decision decide(Command command) {
    if (command instanceof Command.Format format) {
      return FormatRule.decide(state, format);
    }
    if (command instanceof Command.Join join) {
      return JoinRule.decide(state, join);
    }
    if (command instanceof Command.SetLiveness liveness) {
      return LivenessRule.decide(state, liveness);
    }
    if (command instanceof Command.Acquire acquire) {
      return AcquireRule.decide(state, acquire);
    }
    if (command instanceof Command.Formatted formatted) {
      return FormattedRule.decide(state, formatted);
    }
    if (command instanceof Command.CreateVolume create) {
      return CreateVolumeRule.decide(state, create);
    }
    if (command instanceof Command.DeleteVolume delete) {
      return DeleteVolumeRule.decide(state, delete);
    }
    if (command instanceof Command.Step step) {
      return VolumeStepRule.decide(state, step);
    }
    if (command instanceof Command.Readmit readmit) {
      return QuarantineRule.decide(state, readmit);
    }
    if (command instanceof Command.SetUnusable unusable) {
      return UnusableRule.decide(state, unusable);
    }
    if (command instanceof Command.SetUsable usable) {
      return UnusableRule.decide(state, usable);
    }
    if (command instanceof Command.EnlistMember enlist) {
      return MemberRule.decide(state, enlist);
    }
    if (command instanceof Command.ChangeMember change) {
      return MemberRule.decide(state, change);
    }
    if (command instanceof Command.SettleMembers settle) {
      return MemberRule.decide(state, settle);
    }
    if (command instanceof Command.Restore restore) {
      return RestoreRule.decide(state, restore);
    }
    if (command instanceof Command.NoteHistories histories) {
      return HistoryRule.decide(state, histories);
    }
    if (command instanceof Command.SetBackup backup) {
      return BackupRule.decide(state, backup);
    }
    if (command instanceof Command.HandOver handOver) {
      return BackupRule.decide(state, handOver);
    }
    if (command instanceof Command.MoveVolume move) {
      return MoveRule.decide(state, move);
    }
    if (command instanceof Command.EndMove end) {
      return MoveRule.decide(state, end);
    }
    if (command instanceof Command.RemoveOsd remove) {
      return RemoveOsdRule.decide(state, remove);
    }
    if (command instanceof Command.DrainOsd drain) {
      return DrainOsdRule.decide(state, drain);
    }
    if (command instanceof Command.NoteEvents) {
      return new Decision(state, new CommandResult.Done());
    }
    if (command instanceof Command.DrainManager drain) {
      return MoveRule.decide(state, drain);
    }
    if (command instanceof Command.RemoveManager remove) {
      return RemoveManagerRule.decide(state, remove);
    }
    if (command instanceof Command.PauseRepairs pause) {
      return RepairPauseRule.decide(state, pause);
    }
    if (command instanceof Command.ResumeRepairs resume) {
      return RepairPauseRule.decide(state, resume);
    }
    if (command instanceof Command.ChangeBladeSet change) {
      return BladeSetRule.decide(state, change);
    }
    if (command instanceof Command.PutNfsExport export) {
      return NfsRule.decide(state, export);
    }
    if (command instanceof Command.RemoveNfsExport export) {
      return NfsRule.decide(state, export);
    }
    if (command instanceof Command.PutNfsGroups groups) {
      return NfsRule.decide(state, groups);
    }
    if (command instanceof Command.PutNfsId id) {
      return NfsRule.decide(state, id);
    }
    if (command instanceof Command.TakeNfsAddresses take) {
      return NfsMonitorRule.decide(state, take);
    }
    if (command instanceof Command.WatchNfsClients watch) {
      return NfsMonitorRule.decide(state, watch);
    }
    if (command instanceof Command.SetBalance balance) {
      return BalanceRule.decide(state, balance);
    }
    if (command instanceof Command.PlanBalance plan) {
      return BalanceRule.decide(state, plan);
    }
    if (command instanceof Command.RecoverVolume recover) {
      return RecoverRule.decide(state, recover);
    }
    if (command instanceof Command.Recovered recovered) {
      return RecoverRule.decide(state, recovered);
    }
    throw new AssertionError("unhandled command: " + command);
  }

  /** As the other one, where neither is known. */
  public CommandResult apply(Command command) {
    return apply(command, 0, "");
  }

  /**
   * The only mutator.
   *
   * @param nowMillis wall time of the leader that proposed it, for the log of events
   * @param user that asked for it, for the log of events; empty: none did
   */
  public CommandResult apply(Command command, long nowMillis, String user) {
    Decision decision = decide(command);
    List<Event> news =
        command instanceof Command.NoteEvents note
            ? note.events()
            : ChangeEvents.between(state, decision.next());
    events = events.with(news, nowMillis, user);
    state = decision.next();
    return decision.answer();
  }

  /**
   * The command that was applied last has this number (P 6.8.155): all members understand it, or
   * have stopped at it.
   */
  void used(int number) {
    state = state.using(number);
  }
}
