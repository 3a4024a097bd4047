package org.weft.osd.command;

import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.rpc.Opcode;

/** Refuses commands that have no behaviour here. */
final class UnknownCommand {
  private static final int OSD_FAMILY = 0x01;

  private UnknownCommand() {}

  /** The opcode's name, or its number where this release has no name for it. */
  static String name(int opcodeNumber) {
    return Opcode.of(opcodeNumber)
        .map(Opcode::name)
        .orElse("opcode 0x%04x".formatted(opcodeNumber));
  }

  static WeftException refusal(int opcodeNumber) {
    boolean elsewhere = Opcode.of(opcodeNumber).isPresent() && opcodeNumber >>> 8 != OSD_FAMILY;
    return new WeftException(
        ErrorCode.UNSUPPORTED,
        elsewhere
            ? name(opcodeNumber) + " is no command of an OSD: ask a manager or SysMgr"
            : name(opcodeNumber) + " has no behaviour in this release of the OSD");
  }
}
