package org.weft.sysmgr.configuration.stored;

import org.weft.protocol.wire.ConfigurationCommand;
import org.weft.protocol.wire.ConfigurationCommand.CommandCase;

/**
 * Since which number each command of the log exists (P 6.8.151). A member understands all commands
 * up to the number that it tells. It stops at any other command for ever, since the entry is in its
 * log. So a leader logs no command that a member does not understand.
 *
 * <p>A new command gets the next number, which becomes the {@link #NEWEST}, in the same release.
 * The number of a command never changes.
 */
public final class CommandNumbers {
  /** Of a member that tells no number: its release is older than they are. */
  public static final int OLDEST = 0;

  /** A member of this release understands commands up to here. */
  public static final int NEWEST = 2;

  private CommandNumbers() {}

  /** Events stand beside a command that every release understands, and change no state. */
  static int of(ConfigurationCommand command) {
    return command.hasNoteEvents() ? OLDEST : since(command.getCommandCase());
  }

  /** Every command has its place here: without one this does not compile. */
  static int since(CommandCase command) {
    return switch (command) {
      case FORMAT,
          JOIN_OSD,
          JOIN_MANAGER,
          SET_LIVENESS,
          ACQUIRE_VOLUMES,
          VOLUME_FORMATTED,
          CREATE_VOLUME,
          DELETE_VOLUME,
          VOLUME_STEP,
          READMIT_OSD,
          SET_UNUSABLE,
          SET_USABLE,
          ENLIST_MEMBER,
          CHANGE_MEMBER,
          SETTLE_MEMBERS,
          RESTORE,
          NOTE_HISTORIES,
          SET_BACKUP,
          HAND_OVER,
          MOVE_VOLUME,
          END_MOVE,
          DRAIN_MANAGER,
          REMOVE_OSD,
          DRAIN_OSD,
          PUT_NFS_EXPORT,
          REMOVE_NFS_EXPORT,
          PUT_NFS_ID,
          TAKE_NFS_ADDRESSES,
          WATCH_NFS_CLIENTS,
          CHANGE_BLADE_SET,
          SET_BALANCE,
          PLAN_BALANCE,
          RECOVER_VOLUME,
          VOLUME_RECOVERED ->
          OLDEST;
      case REMOVE_MANAGER, CREATE_VOLUME_ELSEWHERE, PAUSE_REPAIRS, RESUME_REPAIRS -> 1;
      case PUT_NFS_EXPORT_WITH_GROUPS, PUT_NFS_GROUPS -> 2;
      case COMMAND_NOT_SET -> throw new IllegalArgumentException("no command of this release");
    };
  }
}
