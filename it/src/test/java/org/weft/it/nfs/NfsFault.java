package org.weft.it.nfs;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** What is done to a process. */
enum NfsFault {
  KILL_GATEWAY("gateway killed, back within seconds", Victim.GATEWAYS),
  FREEZE_GATEWAY("gateway frozen for longer than its lease", Victim.GATEWAYS),
  KILL_GATEWAY_AT_ONCE("gateway killed, back at once", Victim.GATEWAYS),
  RESTART_GATEWAY("gateway stopped and started", Victim.GATEWAYS),
  KILL_GATEWAYS("all gateways killed at once", Victim.GATEWAYS),
  KILL_GATEWAY_AS_IT_STARTS("gateway killed twice, the second time as it starts", Victim.GATEWAYS),
  KILL_MANAGER("manager killed", Victim.MANAGERS),
  FREEZE_MANAGER("manager frozen for longer than its lease", Victim.MANAGERS),
  KILL_MANAGER_AND_GATEWAY("manager and gateway killed at once", Victim.MANAGERS),
  KILL_OSD("OSD killed", Victim.OSDS),
  FREEZE_OSD("OSD frozen for moments", Victim.OSDS);

  /** What kinds of processes are met. */
  enum Victim {
    GATEWAYS,
    MANAGERS,
    OSDS
  }

  private final String what;
  private final Victim victim;

  NfsFault(String what, Victim victim) {
    this.what = what;
    this.victim = victim;
  }

  String what() {
    return what;
  }

  /** Those that meet these victims. */
  static List<NfsFault> of(Set<Victim> victims) {
    return EnumSet.allOf(NfsFault.class).stream()
        .filter(fault -> victims.contains(fault.victim))
        .toList();
  }
}
