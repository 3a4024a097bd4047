package org.weft.protocol.rpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.ToIntFunction;
import org.junit.jupiter.api.Test;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.frame.FrameKind;

/**
 * Numbers on the wire mean the same in every release: none of these is changed, removed or used
 * again. New ones may be added here or not.
 */
class WireNumbersTest {
  private static final String OPCODES =
      """
      LIST_PARTITIONS=0x0103       REMOVE=0x0105 READ=0x0106 WRITE=0x0107 PUNCH=0x0109 TRUNCATE=0x010a
      FLUSH=0x010b GET_ATTRIBUTES=0x010c SET_ATTRIBUTES=0x010d LIST=0x010e       XOR_READ_WRITE=0x0112 XOR_WRITE=0x0113       FENCE=0x0115 BATCH=0x0116 LIST_PENDING=0x0117 ABORT=0x0118 GET_STAMP=0x0119
      RAISE_VERSION=0x011a WRITE_BLOCKS=0x011b OSD_STATUS=0x011c READ_DELTA=0x011d
      COMPLETE=0x011e GET_CONFIGURATION_COPY=0x0140 LIST_BAD_BLOCKS=0x0141
      REPORT_BAD_BLOCKS=0x0142 SCRUB_NOW=0x0143 OPEN_SESSION=0x0201 RENEW_SESSION=0x0202
      CLOSE_SESSION=0x0203 GET_ATTRIBUTES_OF=0x0204 SET_ATTRIBUTES_OF=0x0205 CREATE_FILE=0x0206
      OPEN_FILE=0x0207 CLOSE_FILE=0x0208 MKDIR=0x0209 READDIR=0x020a RENAME=0x020b UNLINK=0x020c
      RMDIR=0x020d STATFS=0x020e REPORT=0x020f RECALL=0x0210 PUBLISH=0x0211 SET_LENGTH=0x0212
      TRIMMED=0x0213 REGRANT=0x0214 RECOVER_LEASE=0x0215 LINK=0x0216 SYMLINK=0x0217
      SET_XATTR=0x0218 SET_LAYOUT=0x0219 ACQUIRE_RANGE=0x021a RELEASE_RANGE=0x021b
      LENGTH_WANTED=0x021c CLOSE_UNWRITTEN=0x021d LOCK_RANGE=0x0250 UNLOCK_RANGE=0x0251
      CANCEL_LOCK=0x0252 LIST_LOCKS=0x0253 LOCK_FREED=0x0254 LIST_DAMAGE=0x0260
      READ_RECALL=0x0270 GRANT_WANTED=0x0280 LOOK_UP_NODE=0x0290 SET_NODE=0x0291 MAKE_NODE=0x0292
      REMOVE_NAME=0x0293 MOVE_NAME=0x0294 LINK_NODE=0x0295 LIST_NODES=0x0296 OPEN_NODE=0x0297
      FIND_FIRST_ANSWER=0x0298 START_CHECK=0x02a0 CHECK_STATUS=0x02a1 CANCEL_CHECK=0x02a2
      EXTEND_SHARE=0x02c0 SET_QUOTA=0x02c1 LIST_QUOTAS=0x02c2 SET_ACL=0x02d0 BEGIN_COPY=0x0230
      APPEND_COPY=0x0231 START_SHARE=0x02e0 WATCH_SHARE=0x02e1 END_SHARE=0x02e2 GET_TABLE=0x0301
      JOIN_OSD=0x0302 JOIN_MANAGER=0x0303 HEARTBEAT=0x0304 ACQUIRE_VOLUMES=0x0305
      VOLUME_FORMATTED=0x0306 GET_STATUS=0x0307 CREATE_VOLUME=0x0308 DELETE_VOLUME=0x0309
      VOLUME_STEP=0x030a READMIT_OSD=0x030b SET_BACKUP=0x0330 HAND_OVER=0x0331 MOVE_VOLUME=0x0332
      DRAIN_MANAGER=0x0333 REMOVE_OSD=0x0334 DRAIN_OSD=0x0335 MEMBER_STATE=0x0340
      ENLIST_MEMBER=0x0341 CHANGE_MEMBER=0x0342 NFS_GATEWAY=0x0350 GET_NFS=0x0351
      CHANGE_NFS_EXPORT=0x0352 CHANGE_NFS_ID=0x0353 CHANGE_NFS_GROUPS=0x0375 GET_EVENTS=0x0360 BALANCE=0x0368
      GET_BALANCE=0x0369 CHANGE_BLADE_SET=0x036c RECOVER_VOLUME=0x0370 VOLUME_RECOVERED=0x0371
      NFS_TAKE_ADDRESSES=0x0372 NFS_WATCH_CLIENTS=0x0373 NFS_FORGET_HOST=0x037a
      LOOK_AT_VOLUME=0x0374 REMOVE_MANAGER=0x0380 PAUSE_REPAIRS=0x0381
      """;

  /** Opcodes of earlier releases that no process sent: their numbers stay free. */
  private static final List<Integer> REMOVED_OPCODES =
      List.of(0x0101, 0x0102, 0x0104, 0x0108, 0x010f, 0x0110, 0x0111, 0x0114);

  private static final String ERROR_CODES =
      """
      INTERNAL=1 UNSUPPORTED=2 MALFORMED=3 INVALID_ARGUMENT=4 DEADLINE_EXCEEDED=5 CANCELLED=6
      UNAVAILABLE=7 CONNECTION_LOST=8 OVERLOADED=9 WRONG_CLUSTER=10 VERSION_MISMATCH=11
      NOT_LEADER=12 UNAUTHENTICATED=13 CAPABILITY_INVALID=20 CAPABILITY_EXPIRED=21 FENCED=22
      NO_SUCH_PARTITION=23 NO_SUCH_OBJECT=24 NO_SPACE=25 BUSY=26 BAD_CHECKSUM=27 BAD_MEDIA=28
      QUARANTINED=29 TOMBSTONE=30 WRITE_ABORTED=31 STORE_FAILED=32 NOT_FOUND=40 EXISTS=41
      NOT_DIRECTORY=42 IS_DIRECTORY=43 NOT_EMPTY=44 PERMISSION_DENIED=45 NAME_INVALID=46
      CROSS_VOLUME=47 BEING_WRITTEN=48 SESSION_EXPIRED=49 GRANT_REVOKED=50 NOT_SERVING=51
      TOO_MANY_LOST=52 LOOP=53 HANDLE_INVALID=54 STALE=60 NOT_OWNER=61 GUARD_FAILED=62
      TOO_MANY_LINKS=63 LOCKED=70 DEADLOCK=71 QUOTA_EXCEEDED=150
      """;

  private static final String FRAME_KINDS =
      """
      HELLO=1 HELLO_REPLY=2 REQUEST=3 RESPONSE=4 ERROR=5 CANCEL=6 PUSH=7 PING=8
      """;

  @Test
  void opcodesKeepTheirNumbers() {
    assertKept(OPCODES, 100, name -> Opcode.valueOf(name).number());
  }

  @Test
  void numbersOfRemovedOpcodesAreNotUsedAgain() {
    for (int number : REMOVED_OPCODES) {
      assertEquals(Optional.empty(), Opcode.of(number), "0x%04x".formatted(number));
    }
  }

  @Test
  void errorCodesKeepTheirNumbers() {
    assertKept(ERROR_CODES, 40, name -> ErrorCode.valueOf(name).number());
  }

  @Test
  void kindsOfFramesKeepTheirNumbers() {
    assertKept(FRAME_KINDS, 8, name -> FrameKind.valueOf(name).number());
  }

  /** A name that is not there any more is an IllegalArgumentException that tells it. */
  private static void assertKept(String wanted, int least, ToIntFunction<String> numberOf) {
    List<String> changed = new ArrayList<>();
    List<String> pairs = List.of(wanted.strip().split("\\s+", -1));
    for (String pair : pairs) {
      int equals = pair.indexOf('=');
      int number = Integer.decode(pair.substring(equals + 1));
      int found = numberOf.applyAsInt(pair.substring(0, equals));
      if (found != number) {
        changed.add(pair + " is " + found);
      }
    }
    assertEquals(List.of(), changed);
    assertTrue(pairs.size() >= least, "pairs: " + pairs.size());
  }
}
