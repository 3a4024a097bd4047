package org.weft.it.soak;

/** What is done to processes, and for how long. */
enum FaultKind {
  KILL_OSD("OSD killed, back at once"),
  KILL_OSD_LONG("OSD killed, back when SysMgr has given it up"),
  FREEZE_OSD("OSD frozen for moments"),
  FREEZE_OSD_LONG("OSD frozen until SysMgr has given it up"),
  RESTART_OSD("OSD stopped and started"),
  KILL_MANAGER("manager killed"),
  RESTART_MANAGER("manager stopped and started"),
  FREEZE_MANAGER("manager frozen for longer than its lease"),
  KILL_SYSMGR("SysMgr killed"),
  FREEZE_SYSMGR("SysMgr frozen for longer than the manager's lease"),
  FREEZE_BOTH("both frozen, the manager wakes without a lease"),
  KILL_CLIENT("client killed, its files taken"),
  FREEZE_CLIENT("client frozen for moments"),
  FREEZE_CLIENT_LONG("client frozen in the midst of a write until the file is taken");

  private final String text;

  FaultKind(String text) {
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
    return name().startsWith("KILL");
  }

  /** Other daemons may be killed meanwhile. */
  boolean bearsAnother() {
    return switch (this) {
      case KILL_OSD_LONG, FREEZE_OSD_LONG, FREEZE_CLIENT_LONG -> true;
      default -> false;
    };
  }
}
