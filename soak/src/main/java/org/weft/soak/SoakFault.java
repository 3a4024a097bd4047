package org.weft.soak;

import java.util.List;
import java.util.stream.Stream;

/** Harm to processes and to the network, with its duration. */
public enum SoakFault {
  KILL_OSD("OSD killed, back at once"),
  KILL_OSD_LONG("OSD killed, back when SysMgr has given it up"),
  FREEZE_OSD("OSD frozen for moments"),
  FREEZE_OSD_LONG("OSD frozen until SysMgr has given it up"),
  RESTART_OSD("OSD stopped and started"),
  WIPE_OSD("OSD killed and its disk removed, rebuilt, another one joins"),
  WIPE_SPARE("the same, and the one that joins is lost as well while it is rebuilt"),
  DRAIN_OSD("OSD drained and removed, another one joins"),
  KILL_MANAGER("manager killed"),
  RESTART_MANAGER("manager stopped and started"),
  FREEZE_MANAGER("manager frozen for longer than its lease"),
  KILL_MANAGERS("all managers killed at once"),
  WIPE_MANAGER("manager killed and its disk removed, another one joins"),
  MOVE_VOLUME("root volume moved to its backup"),
  KILL_SYSMGR("SysMgr, or one of its members, killed"),
  FREEZE_SYSMGR("the same, frozen for longer than a manager's lease"),
  WIPE_SYSMGR("a member of SysMgr killed and its disk removed, another one joins in its place"),
  FREEZE_BOTH("SysMgr and a manager frozen, which wakes without a lease"),
  KILL_CLIENT("client killed, its files taken"),
  FREEZE_CLIENT("client frozen for moments"),
  FREEZE_CLIENT_LONG("client frozen in the midst of a write until the file is taken"),
  CUT_OSD("OSD cut off until SysMgr has given it up"),
  CUT_MANAGER("manager cut off for longer than its lease"),
  CUT_IN_TWO("network cut in two"),
  CUT_ONE_WAY("what some hosts send to the others is lost"),
  CUT_PAIRS("some hosts cut from some others, both heard by the rest");

  private final String text;

  SoakFault(String text) {
    this.text = text;
  }

  /** For people. */
  String text() {
    return text;
  }

  boolean isFreeze() {
    return name().startsWith("FREEZE");
  }

  boolean isKill() {
    return name().startsWith("KILL") || name().startsWith("WIPE");
  }

  /** Without a backup the volume would be gone, or could go nowhere. */
  boolean needsBackup() {
    return this == WIPE_MANAGER || this == MOVE_VOLUME;
  }

  /** The others must be a majority. */
  boolean needsMembers() {
    return this == WIPE_SYSMGR;
  }

  /** Hosts are on a network of their own. */
  boolean needsNetwork() {
    return name().startsWith("CUT");
  }

  /**
   * The kinds that a cluster bears.
   *
   * @param members of SysMgr
   * @param cuts its network can be cut
   */
  public static List<SoakFault> bornBy(int managers, int members, boolean cuts) {
    return Stream.of(values())
        .filter(kind -> managers > 1 || !kind.needsBackup())
        .filter(kind -> members > 1 || !kind.needsMembers())
        .filter(kind -> cuts || !kind.needsNetwork())
        .toList();
  }

  /** Other daemons may be killed meanwhile. */
  boolean bearsAnother() {
    return switch (this) {
      case KILL_OSD_LONG, FREEZE_OSD_LONG, DRAIN_OSD, FREEZE_CLIENT_LONG -> true;
      default -> false;
    };
  }
}
