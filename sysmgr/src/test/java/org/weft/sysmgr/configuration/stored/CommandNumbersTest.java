package org.weft.sysmgr.configuration.stored;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Arrays;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.weft.protocol.wire.ConfigurationCommand.CommandCase;
import org.weft.sysmgr.configuration.command.Command;

/** Pins since which number each command exists (P 6.8.151): the numbers are on disks and wires. */
final class CommandNumbersTest {
  private static final List<String> WITHOUT_NUMBER =
      List.of(
              "FORMAT JOIN_OSD JOIN_MANAGER SET_LIVENESS ACQUIRE_VOLUMES VOLUME_FORMATTED CREATE_VOLUME"
                  .split(" "),
              "DELETE_VOLUME VOLUME_STEP READMIT_OSD SET_UNUSABLE SET_USABLE ENLIST_MEMBER"
                  .split(" "),
              "CHANGE_MEMBER SETTLE_MEMBERS RESTORE NOTE_HISTORIES SET_BACKUP HAND_OVER".split(" "),
              "MOVE_VOLUME END_MOVE DRAIN_MANAGER REMOVE_OSD DRAIN_OSD PUT_NFS_EXPORT".split(" "),
              "REMOVE_NFS_EXPORT PUT_NFS_ID TAKE_NFS_ADDRESSES WATCH_NFS_CLIENTS".split(" "),
              "CHANGE_BLADE_SET SET_BALANCE PLAN_BALANCE RECOVER_VOLUME VOLUME_RECOVERED"
                  .split(" "))
          .stream()
          .flatMap(Arrays::stream)
          .toList();

  /** Each line is a release more: a new command is in a new line, with the next number. */
  private static final List<List<String>> SINCE =
      List.of(
          WITHOUT_NUMBER,
          List.of("REMOVE_MANAGER", "CREATE_VOLUME_ELSEWHERE", "PAUSE_REPAIRS", "RESUME_REPAIRS"),
          List.of("PUT_NFS_EXPORT_WITH_GROUPS", "PUT_NFS_GROUPS"));

  @Test
  void everyCommandHasTheNumberThatItHadAlways() {
    SortedMap<String, Integer> pinned = new TreeMap<>();
    for (int number = 0; number < SINCE.size(); number++) {
      for (String command : SINCE.get(number)) {
        pinned.put(command, number);
      }
    }
    SortedMap<String, Integer> found = new TreeMap<>();
    for (CommandCase command : CommandCase.values()) {
      if (command != CommandCase.COMMAND_NOT_SET) {
        found.put(command.name(), CommandNumbers.since(command));
      }
    }
    assertEquals(
        pinned, found, "a new command gets the next number, which CommandNumbers.NEWEST is then");
    assertEquals(SINCE.size() - 1, CommandNumbers.NEWEST);
  }

  @Test
  void eventsAreUnderstoodByEveryRelease() {
    byte[] events = CommandCodec.encode(new Command.NoteEvents(List.of()));
    assertEquals(CommandNumbers.OLDEST, CommandCodec.origin(events).number());
  }

  @Test
  void anUnknownCommandHasNoNumber() {
    assertThrows(
        IllegalArgumentException.class, () -> CommandCodec.origin(new byte[] {1, 2, 3}).number());
    assertThrows(IllegalArgumentException.class, () -> CommandCodec.origin(new byte[0]).number());
  }
}
