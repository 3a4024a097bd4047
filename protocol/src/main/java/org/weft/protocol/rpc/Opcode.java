package org.weft.protocol.rpc;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Every request on the wire. Numbers are never reused; 0x01xx OSD, 0x02xx manager, 0x03xx SysMgr.
 */
public enum Opcode {
  // OSD commands, after T10 OSD-2. Removed, and not to be used again: 0x0101, 0x0102,
  // 0x0104, 0x0108, 0x010f, 0x0110, 0x0111, 0x0114.
  LIST_PARTITIONS(0x0103),
  REMOVE(0x0105),
  READ(0x0106),
  WRITE(0x0107),
  PUNCH(0x0109),
  TRUNCATE(0x010a),
  FLUSH(0x010b),
  GET_ATTRIBUTES(0x010c),
  SET_ATTRIBUTES(0x010d),
  LIST(0x010e),
  XOR_READ_WRITE(0x0112),
  XOR_WRITE(0x0113),
  FENCE(0x0115),
  BATCH(0x0116),
  LIST_PENDING(0x0117),
  ABORT(0x0118),
  GET_STAMP(0x0119),
  RAISE_VERSION(0x011a),
  WRITE_BLOCKS(0x011b),
  OSD_STATUS(0x011c),
  READ_DELTA(0x011d),
  COMPLETE(0x011e),
  GET_CONFIGURATION_COPY(0x0140),
  LIST_BAD_BLOCKS(0x0141),
  REPORT_BAD_BLOCKS(0x0142),
  SCRUB_NOW(0x0143),
  // Requests to the manager of a volume.
  OPEN_SESSION(0x0201),
  RENEW_SESSION(0x0202),
  CLOSE_SESSION(0x0203),
  GET_ATTRIBUTES_OF(0x0204),
  SET_ATTRIBUTES_OF(0x0205),
  CREATE_FILE(0x0206),
  OPEN_FILE(0x0207),
  CLOSE_FILE(0x0208),
  MKDIR(0x0209),
  READDIR(0x020a),
  RENAME(0x020b),
  UNLINK(0x020c),
  RMDIR(0x020d),
  STATFS(0x020e),
  REPORT(0x020f),
  RECALL(0x0210),
  PUBLISH(0x0211),
  SET_LENGTH(0x0212),
  TRIMMED(0x0213),
  REGRANT(0x0214),
  RECOVER_LEASE(0x0215),
  LINK(0x0216),
  SYMLINK(0x0217),
  SET_XATTR(0x0218),
  SET_LAYOUT(0x0219),
  ACQUIRE_RANGE(0x021a),
  RELEASE_RANGE(0x021b),
  LENGTH_WANTED(0x021c),
  CLOSE_UNWRITTEN(0x021d),
  LOCK_RANGE(0x0250),
  UNLOCK_RANGE(0x0251),
  CANCEL_LOCK(0x0252),
  LIST_LOCKS(0x0253),
  LOCK_FREED(0x0254),
  LIST_DAMAGE(0x0260),
  READ_RECALL(0x0270),
  GRANT_WANTED(0x0280),
  LOOK_UP_NODE(0x0290),
  SET_NODE(0x0291),
  MAKE_NODE(0x0292),
  REMOVE_NAME(0x0293),
  MOVE_NAME(0x0294),
  LINK_NODE(0x0295),
  LIST_NODES(0x0296),
  OPEN_NODE(0x0297),
  FIND_FIRST_ANSWER(0x0298),
  START_CHECK(0x02a0),
  CHECK_STATUS(0x02a1),
  CANCEL_CHECK(0x02a2),
  EXTEND_SHARE(0x02c0),
  SET_QUOTA(0x02c1),
  LIST_QUOTAS(0x02c2),
  SET_ACL(0x02d0),
  // Requests of a volume's primary to its backup.
  BEGIN_COPY(0x0230),
  APPEND_COPY(0x0231),
  // Requests of a volume's primary to managers that copy components for it.
  START_SHARE(0x02e0),
  WATCH_SHARE(0x02e1),
  END_SHARE(0x02e2),
  // Requests to SysMgr.
  GET_TABLE(0x0301),
  JOIN_OSD(0x0302),
  JOIN_MANAGER(0x0303),
  HEARTBEAT(0x0304),
  ACQUIRE_VOLUMES(0x0305),
  VOLUME_FORMATTED(0x0306),
  GET_STATUS(0x0307),
  CREATE_VOLUME(0x0308),
  DELETE_VOLUME(0x0309),
  VOLUME_STEP(0x030a),
  READMIT_OSD(0x030b),
  SET_BACKUP(0x0330),
  HAND_OVER(0x0331),
  MOVE_VOLUME(0x0332),
  DRAIN_MANAGER(0x0333),
  REMOVE_OSD(0x0334),
  DRAIN_OSD(0x0335),
  // Members of SysMgr itself.
  MEMBER_STATE(0x0340),
  ENLIST_MEMBER(0x0341),
  CHANGE_MEMBER(0x0342),
  // NFS gateways.
  NFS_GATEWAY(0x0350),
  GET_NFS(0x0351),
  CHANGE_NFS_EXPORT(0x0352),
  CHANGE_NFS_ID(0x0353),
  CHANGE_NFS_GROUPS(0x0375),
  GET_EVENTS(0x0360),
  // Balances of BladeSets.
  BALANCE(0x0368),
  GET_BALANCE(0x0369),
  CHANGE_BLADE_SET(0x036c),
  // Volumes without a journal.
  RECOVER_VOLUME(0x0370),
  VOLUME_RECOVERED(0x0371),
  // Clients of NFS with locks.
  NFS_TAKE_ADDRESSES(0x0372),
  NFS_WATCH_CLIENTS(0x0373),
  NFS_FORGET_HOST(0x037a),
  // Volumes that no manager serves.
  LOOK_AT_VOLUME(0x0374),
  REMOVE_MANAGER(0x0380),
  PAUSE_REPAIRS(0x0381);

  private static final Map<Integer, Opcode> BY_NUMBER = byNumber();

  private final int number;

  Opcode(int number) {
    this.number = number;
  }

  public int number() {
    return number;
  }

  /** The opcode of that number; empty for one that this release does not know. */
  public static Optional<Opcode> of(int number) {
    return Optional.ofNullable(BY_NUMBER.get(number));
  }

  private static Map<Integer, Opcode> byNumber() {
    Map<Integer, Opcode> map = new HashMap<>();
    for (Opcode opcode : values()) {
      map.put(opcode.number, opcode);
    }
    return Map.copyOf(map);
  }
}
